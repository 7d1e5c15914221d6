"""DnmfModel has all that LdaModel has, under the same names, and says what it does."""

from __future__ import annotations

import copy
import inspect
import pickle
import re

import joblib
import numpy as np
import pytest
from gensim.interfaces import TransformationABC
from gensim.models import LdaModel
from gensim.models.basemodel import BaseTopicModel
from gensim.test.utils import common_corpus, common_dictionary
from lee import lee

from dnmf_topics import DnmfModel
from dnmf_topics.core import VARIANTS

OWN = [
    "workers", "batch", "variant", "num_clusterings", "delta", "first_layer_size",
    "last_layer_size", "deep_model", "weighting", "mixing_rounds", "seed_words", "embeddings",
    "n_jobs", "show_progress", "spool", "max_in_memory",
]  # fmt: skip
# LdaModel's for its way of training, with values that are not the defaults.
WITHOUT_EFFECT = {
    "passes": 7, "update_every": 0, "decay": 0.9, "offset": 64.0,
    "eval_every": 1, "iterations": 400, "gamma_threshold": 0.1, "dtype": np.float64,
}  # fmt: skip
METHODS = [
    name
    for name in dir(LdaModel)
    if callable(getattr(LdaModel, name)) and (name[0] != "_" or name == "__getitem__")
]


def parameters(function):
    """The parameters that have a name, without *args and **kwargs."""
    found = inspect.signature(function).parameters.values()
    return [p for p in found if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]


def test_the_constructor_begins_as_that_of_lda_model():
    own = parameters(DnmfModel.__init__)
    positional = [p for p in own if p.kind is p.POSITIONAL_OR_KEYWORD]
    ldas = parameters(LdaModel.__init__)
    assert [(p.name, p.default) for p in positional] == [(p.name, p.default) for p in ldas]
    assert [p.name for p in own if p.kind is p.KEYWORD_ONLY] == OWN
    assert len(own) == len(ldas) + len(OWN)


@pytest.mark.parametrize("name", METHODS)
def test_each_method_of_lda_model_is_here_with_its_parameters(name):
    named = parameters(getattr(LdaModel, name))
    ours = parameters(getattr(DnmfModel, name))
    assert [p.name for p in ours[: len(named)]] == [p.name for p in named]
    defaults = {p.name: p.default for p in named}
    if name == "top_topics":
        defaults["processes"] = 1  # more of them hang on an empty text
    assert {p.name: p.default for p in ours[: len(named)]} == defaults
    # save and load take any arguments in gensim; here they have names.
    more = {
        "save": ["sep_limit", "pickle_protocol"],
        "load": ["mmap"],
        "update": ["new_topics", "embeddings"],
    }
    assert [p.name for p in ours[len(named) :]] == more.get(name, [])


def test_the_list_of_methods_is_not_empty():
    assert {"update", "inference", "show_topics", "diff", "print_topic", "save"} <= set(METHODS)


def test_each_attribute_of_lda_model_is_here_with_its_value():
    options = {
        "num_topics": 3, "id2word": common_dictionary, "chunksize": 77, "alpha": "asymmetric",
        "eta": 0.3, "minimum_probability": 0.2, "minimum_phi_value": 0.3, "per_word_topics": True,
        **WITHOUT_EFFECT,
    }  # fmt: skip
    lda, model = LdaModel(common_corpus, **options), DnmfModel(common_corpus, **options)
    public = {name for name in vars(lda) if not name.startswith("_")}
    assert all(hasattr(model, name) for name in public)
    different = {"expElogbeta", "state", "random_state", "lifecycle_events"}
    for name in public - different:
        np.testing.assert_array_equal(getattr(model, name), getattr(lda, name), err_msg=name)
    assert model.expElogbeta.shape == lda.expElogbeta.shape
    assert type(model.random_state) is type(lda.random_state)
    for name in ("sstats", "get_lambda", "get_Elogbeta"):
        here, there = (getattr(each.state, name) for each in (model, lda))
        shapes = [np.shape(value() if callable(value) else value) for value in (here, there)]
        assert shapes[0] == shapes[1]
    assert model.state.numdocs == lda.state.numdocs == len(common_corpus)


@pytest.mark.parametrize("name", ["merge", "blend", "reset", "get_lambda", "get_Elogbeta"])
def test_the_state_has_the_methods_of_ldas(name):
    lda, model = (cls(num_topics=2, id2word=common_dictionary) for cls in (LdaModel, DnmfModel))
    names = [[p.name for p in parameters(getattr(each.state, name))] for each in (lda, model)]
    assert names[0] == names[1]


def test_gensim_and_pyldavis_take_it_for_a_topic_model():
    assert issubclass(DnmfModel, TransformationABC)
    assert issubclass(DnmfModel, BaseTopicModel)
    model = DnmfModel(common_corpus, 2, common_dictionary)
    # By these pyLDAvis knows gensim's HdpModel, which it treats in another way.
    assert not hasattr(model, "lda_alpha")
    assert not hasattr(model, "lda_beta")


def test_parameters_without_a_meaning_have_no_effect_and_are_said_once(caplog):
    _, dictionary, corpus = lee()
    plain = DnmfModel(corpus, 10, dictionary, random_state=0)
    assert "without a meaning" not in caplog.text
    caplog.set_level("INFO", "dnmf_topics")
    model = DnmfModel(corpus, 10, dictionary, random_state=0, **WITHOUT_EFFECT)
    said = [text for text in caplog.messages if "without an effect" in text]
    assert len(said) == 1
    assert said[0].partition(": ")[2].split(", ") == list(WITHOUT_EFFECT)
    for name in WITHOUT_EFFECT:
        setattr(model, name, getattr(plain, name))
    assert joblib.hash(model) == joblib.hash(plain)


def test_the_docstring_names_every_parameter():
    section = inspect.getdoc(DnmfModel).split("Parameters\n----------\n")[1].split("\n\n")[0]
    entries = re.sub(r",\n(?=\S)", ", ", section)  # a list of names may go on in the next line
    named = [
        name for names in re.findall(r"^(\S[^:]*) :", entries, re.M) for name in names.split(", ")
    ]
    assert len(named) == len(set(named))
    own = {p.name for p in parameters(DnmfModel.__init__)} - {"self"}
    assert set(named) == own | {"**variant_options"}


# -------------------------------------------------------------------------------------- attributes


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", ["overlap", "lambda1", "lambda2"])
def test_an_option_of_a_variant_is_no_attribute(variant, name):
    model = DnmfModel(id2word=common_dictionary, num_topics=2, variant=variant)
    before = model.settings
    with pytest.raises(AttributeError, match=f"{name}, an option of .dnmf, cannot be changed; "):
        setattr(model, name, 0)
    assert not hasattr(model, name)
    assert model.settings is before


def test_attributes_of_users_and_of_subclasses_are_their_own():
    class Own(DnmfModel):
        lambda1 = 3

        def __init__(self, **options):
            self.remark = "before"
            self.overlap = "mine"
            super().__init__(common_corpus, 2, common_dictionary, random_state=0, **options)

    model = Own(variant="sdnmf", overlap=0.5)
    assert (model.remark, model.overlap, model.lambda1) == ("before", "mine", 3)
    model.overlap, model.lambda1, model.note = 1, 2, "later"
    assert (model.overlap, model.lambda1, model.note) == (1, 2, "later")
    assert model.settings.variant_options == {"overlap": 0.5}
    again = pickle.loads(pickle.dumps(copy.copy(DnmfModel(id2word=common_dictionary))))
    again.note = "user's"
    assert again.note == "user's"
