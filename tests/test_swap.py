"""DnmfModel in the scripts of LdaModel's users: what people publish, and what they may meet."""

from __future__ import annotations

import copy
import io
import pickle
import re
import subprocess
import sys
from pathlib import Path

import joblib
import numpy as np
import pytest
from gensim.corpora import HashDictionary
from gensim.models import LdaModel, Nmf
from gensim.test.utils import common_corpus, common_dictionary, common_texts
from side_by_side import REFUSED, SNIPPETS, main
from trained import CORPUS, WORDS, file_of, small_model

from dnmf_topics import DnmfModel
from dnmf_topics.core import VARIANTS
from dnmf_topics.storage import FileFormatError

SCRIPT = Path(__file__).parent / "side_by_side.py"


def verdicts(printed):
    """What is said of each snippet."""
    return dict(line.split(maxsplit=1) for line in printed.splitlines())


def test_snippets_of_users_run_or_fail_as_it_is_documented():
    done = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True, timeout=600)
    said = verdicts(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
    names = re.findall(r"^def (\w+)", SNIPPETS.read_text("utf-8"), re.MULTILINE)
    assert list(said) == [name for name in names if name != "trained"]
    refused = {name for name, text in said.items() if text == "fails as documented"}
    assert refused == set(REFUSED)
    assert {said[name] for name in said.keys() - refused} == {"runs with both"}
    assert len(said) > 40


def test_the_script_tells_snippets_that_are_not_served(tmp_path, capsys):
    file = tmp_path / "others.py"
    file.write_text(
        "from gensim.models import LdaModel\n"
        "def works():\n    return issubclass(LdaModel, object)\n"
        "def fails():\n    return LdaModel.__name__.index('L')\n"
        "def differs():\n    return 1 if len(LdaModel.__name__) == 8 else 'one'\n"
        "def kind_of_a_model():\n    return True\n",
        encoding="utf-8",
    )
    assert main(file) == 3
    assert verdicts(capsys.readouterr().out) == {
        "works": "runs with both",
        "fails": "no: ValueError: substring not found",
        "differs": "no: returns str, not number",
        "kind_of_a_model": "no: it is said to fail, and does not",
    }


# --- arguments of relatives


def test_workers_are_threads_and_batch_has_no_effect(caplog):
    caplog.set_level("INFO", "dnmf_topics")
    plain = small_model(n_jobs=2)
    assert "batch" not in caplog.text
    model = small_model(workers=2, n_jobs=-1, batch=True)
    assert model.n_jobs == 2
    assert "without an effect: batch" in caplog.text
    assert joblib.hash(model) == joblib.hash(plain)
    assert small_model(workers=2, n_jobs=3).n_jobs == 3
    assert small_model(workers=np.int64(2), n_jobs=-1).n_jobs == 2


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"workers": 0}, ValueError, "workers must be at least 1, got 0."),
        ({"workers": "all"}, TypeError, "workers must be a whole number, got 'all'."),
        ({"kappa": 1}, TypeError, "DnmfModel has no argument 'kappa', which is Nmf's; leave it"),
        ({"power_iters": 2}, TypeError, "'power_iters', which is LsiModel's; leave it out."),
        ({"T": 15}, TypeError, "'T', which is HdpModel's; leave it out."),
        ({"time_slice": [1]}, TypeError, "'time_slice', which is LdaSeqModel's; leave it out."),
        ({"author2doc": {}}, TypeError, "'author2doc', which is AuthorTopicModel's; leave it"),
        ({"random_seed": 1}, TypeError, "'random_seed'; did you mean 'random_state'?"),
        ({"mallet_path": "m"}, TypeError, "DnmfModel has no argument 'mallet_path'."),
        ({"distributed": 3}, TypeError, "distributed must be True or False, got 3; a number of th"),
    ],
    ids=str,
)
def test_arguments_of_relatives_that_mean_nothing_are_refused(options, error, message):
    with pytest.raises(error, match=re.escape(message)):
        small_model(**options)


# --- few documents


@pytest.mark.parametrize("rounds", ["auto", 3])
@pytest.mark.parametrize("variant", VARIANTS)
def test_more_topics_than_documents_can_be_refined(variant, rounds):
    model = small_model(CORPUS[:4], 9, variant=variant, mixing_rounds=rounds)
    before = model.get_topics(), model.cluster_labels
    model.refine(CORPUS[:4])  # each document has its topic already
    np.testing.assert_array_equal(model.cluster_labels, before[1])
    np.testing.assert_allclose(model.get_topics(), before[0], atol=1e-6)
    model.update(CORPUS[20:22], new_topics=2)
    assert model.num_topics == 11
    model.refine([*CORPUS[:4], *CORPUS[20:22]])
    assert np.isfinite(model.get_topics()).all()
    assert len(model.cluster_labels) == 6


# --- vocabularies


def test_words_that_share_a_hash_are_one():
    hashed = HashDictionary(common_texts, id_range=7)
    corpus = [hashed.doc2bow(text) for text in common_texts]
    model = DnmfModel(corpus, 2, hashed, random_state=0)
    assert model.num_terms == 7
    words = [word for word, _ in model.show_topic(0, topn=7)]
    assert {"/".join(sorted(hashed[term])) or str(term) for term in range(7)} == set(words)
    assert any("/" in word for word in words)
    again = DnmfModel.load(io.BytesIO(file_of(model)))
    assert again.show_topics() == model.show_topics()


# --- files of gensim


@pytest.fixture(scope="module")
def gensims(tmp_path_factory):
    """A folder of what gensim saves."""
    folder = tmp_path_factory.mktemp("gensim")
    lda = LdaModel(common_corpus, 2, common_dictionary)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        lda.save(str(folder / f"lda{protocol}"), pickle_protocol=protocol)
    lda.save(str(folder / "lda.gz"))
    Nmf(common_corpus, 2, common_dictionary).save(str(folder / "nmf"))
    return folder


PICKLE = "is a pickle of gensim's {0}, not a file of dnmf_topics; load it with {0}.load, or make a"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        *((f"lda{n}", PICKLE.format("LdaModel")) for n in range(2, pickle.HIGHEST_PROTOCOL + 1)),
        ("lda.gz", PICKLE.format("LdaModel")),
        ("lda2.state", PICKLE.format("LdaState")),
        ("lda4.state", PICKLE.format("LdaState")),
        ("lda4.id2word", PICKLE.format("Dictionary")),
        ("nmf", PICKLE.format("Nmf")),
        ("lda4.expElogbeta.npy", "is an array of numpy (.npy), such as gensim puts beside a large"),
    ],
)
def test_loading_what_gensim_saved_says_what_it_is(gensims, name, said):
    for source in (gensims / name, str(gensims / name)):
        with pytest.raises(FileFormatError, match=re.escape(f"{gensims / name} {said}")):
            DnmfModel.load(source)
    if not name.endswith(".gz"):
        with pytest.raises(FileFormatError, match=re.escape(f"The open file {said}")):
            DnmfModel.load(io.BytesIO((gensims / name).read_bytes()))


class Explosive:
    """Its pickle raises when it is read."""

    def __reduce__(self):
        return exec, ("raise SystemExit('it ran')",)


def test_no_pickle_is_executed(tmp_path):
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        path = tmp_path / "model"
        path.write_bytes(pickle.dumps([Explosive(), "x" * 100], protocol))
        with pytest.raises(FileFormatError, match="is a pickle, which dnmf_topics does not read"):
            DnmfModel.load(path)


# --- events


def test_events_are_those_of_gensim(tmp_path):
    events = []
    for cls in (LdaModel, DnmfModel):
        model = cls(common_corpus, 2, common_dictionary)
        model.add_lifecycle_event("reviewed", by="us")
        model.save(str(tmp_path / cls.__name__))
        loaded = cls.load(str(tmp_path / cls.__name__))
        assert re.match(
            rf"trained {cls.__name__}<.*> in \d+\.\d\ds$", model.lifecycle_events[0]["msg"]
        )
        events.append([model.lifecycle_events, loaded.lifecycle_events[-1:]])
    (theirs, their_last), (ours, our_last) = events
    assert [event["event"] for event in ours] == ["created", "reviewed", "saving"]
    assert our_last[0]["event"] == "loaded"
    assert our_last[0]["fname"] == str(tmp_path / "DnmfModel")
    for one, other in zip([*theirs, *their_last], [*ours, *our_last], strict=True):
        assert one.keys() == other.keys()
        assert one["event"] == other["event"]


def test_events_are_neither_saved_nor_copied():
    model, twin = small_model(), small_model()
    model.add_lifecycle_event("reviewed", by="us")
    assert file_of(model) == file_of(twin)
    for other in (copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert other.lifecycle_events == []
        other.add_lifecycle_event("copied")
    assert [event["event"] for event in model.lifecycle_events] == ["created", "reviewed", "saving"]


def test_events_can_be_switched_off():
    model = small_model(None)
    assert model.lifecycle_events == []
    model.lifecycle_events = None
    model.update(CORPUS)
    model.save(io.BytesIO())
    assert model.lifecycle_events is None
    assert model.id2word is WORDS
