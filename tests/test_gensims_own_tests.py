"""gensim's shipped tests of LdaModel, Nmf, coherence and diff, with DnmfModel in their place."""

from __future__ import annotations

import tempfile
from copy import deepcopy
from types import SimpleNamespace
from unittest import defaultTestLoader

import gensim.test.test_coherencemodel as coherence_tests
import gensim.test.test_ldamodel as lda_tests
import gensim.test.test_nmf as nmf_tests
import gensim.test.test_tmdiff as diff_tests
import numpy as np
import pytest
from gensim.test.utils import common_corpus, common_dictionary

from dnmf_topics import DnmfModel

PICKLE = "loads an old pickle of gensim's class; DnmfModel's files have no pickle"


class Substituted:
    """The tests of a class of gensim, run on DnmfModel; `excluded` says which are not, and why."""

    excluded: dict[str, str] = {}  # noqa: RUF012

    @pytest.fixture(autouse=True)
    def _substitute(self, request, monkeypatch, tmp_path):
        name = request.function.__name__
        if name in self.excluded:
            pytest.skip(self.excluded[name])
        module, attribute, replacement = self.substitution
        monkeypatch.setattr(module, attribute, replacement)
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        # Most of these tests leave the seed to numpy's global one, and some set it.
        state = np.random.get_state()  # noqa: NPY002
        np.random.seed(0)  # noqa: NPY002
        yield
        np.random.set_state(state)  # noqa: NPY002
        assert type(getattr(self, self.holder)) is DnmfModel


class TestAsLdaModel(Substituted, lda_tests.TestLdaModel):
    substitution = lda_tests, "ldamodel", SimpleNamespace(LdaModel=DnmfModel)
    holder = "model"
    excluded = {  # noqa: RUF012
        "test_dtype_backward_compatibility": PICKLE,
        "test_model_compatibility_with_python_versions": PICKLE,
        "test_random_state_backward_compatibility": PICKLE,
    }


class TestInCoherenceModel(Substituted, coherence_tests.TestCoherenceModel):
    substitution = coherence_tests, "LdaModel", DnmfModel
    holder = "ldamodel"


class TestInDiff(Substituted, diff_tests.TestLdaDiff):
    substitution = diff_tests, "LdaModel", DnmfModel
    holder = "model"


class TestAsNmf(Substituted, nmf_tests.TestNmf):
    substitution = nmf_tests, "nmf", SimpleNamespace(Nmf=DnmfModel)
    holder = "model"
    excluded = {  # noqa: RUF012
        "test_dtype_backward_compatibility": PICKLE,
        "test_transform": "asserts Nmf's own numbers, which are no shares of a soft clustering",
        "test_random_state": "asserts that seeds differ on nine documents, where all find the same "
        "topics; test_model_reading.py has a corpus where they differ",
        "test_update": "asserts that the same documents again change the topics; here as many more "
        "have each word, so they stay",
    }


# The class, gensim's own, and how many of its tests are run.
CLASSES = [
    (TestAsLdaModel, lda_tests.TestLdaModel, 21),
    (TestInCoherenceModel, coherence_tests.TestCoherenceModel, 23),
    (TestInDiff, diff_tests.TestLdaDiff, 3),
    (TestAsNmf, nmf_tests.TestNmf, 13),
]


@pytest.mark.parametrize(("ours", "gensims", "num_run"), CLASSES)
def test_all_but_the_excluded_tests_are_run(ours, gensims, num_run):
    names = defaultTestLoader.getTestCaseNames(gensims)
    assert set(ours.excluded) <= set(names)
    run = [name for name in names if name not in ours.excluded]
    assert len(run) == num_run
    # Nothing between the two classes puts something else in a test's place.
    assert all(getattr(ours, name) is getattr(gensims, name) for name in names)


@pytest.mark.parametrize(("ours", "gensims", "num_run"), CLASSES)
def test_nothing_stays_patched(ours, gensims, num_run):
    module, attribute, replacement = ours.substitution
    assert getattr(module, attribute) is not replacement


def test_documents_change_the_topics_unless_the_model_has_seen_them():
    model = DnmfModel(common_corpus, 2, common_dictionary, random_state=42)
    again, more = deepcopy(model), deepcopy(model)
    again.update(common_corpus)
    np.testing.assert_allclose(again.get_topics(), model.get_topics(), rtol=1e-6)
    more.update([common_dictionary.doc2bow(["graph", "trees", "time"])])
    assert np.abs(more.get_topics() - model.get_topics()).max() > 0.01
