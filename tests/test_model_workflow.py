"""What users do with a model: a script of theirs, pages in a browser, many threads at once."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import numpy as np
import pandas as pd
import pyLDAvis.gensim_models
import pytest
from gensim.corpora import Dictionary
from gensim.test.utils import datapath
from gensim.utils import simple_preprocess
from lee import lee
from pyLDAvis import urls

from dnmf_topics import DnmfModel
from dnmf_topics.adapters import pyldavis

SCRIPTS = Path(__file__).parent / "scripts"
IMPORT = "from gensim.models import LdaModel"


def run(name, folder, change):
    """Run a script of users, after a change of the class; what it printed."""
    script = folder / name
    source = (SCRIPTS / name).read_text("utf-8")
    assert source.count(IMPORT) == 1
    script.write_text(change(source), "utf-8")
    done = subprocess.run(
        [sys.executable, script, folder], capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def to_dnmf(source):
    return source.replace(IMPORT, "from dnmf_topics import DnmfModel").replace(
        "LdaModel", "DnmfModel"
    )


@pytest.mark.parametrize("change", [str, to_dnmf], ids=["LdaModel", "DnmfModel"])
def test_a_script_of_users_runs_with_only_the_class_changed(change, tmp_path):
    printed = run("train.py", tmp_path, change)
    assert "coherence: [" in printed
    table = pd.read_csv(tmp_path / "documents.csv")
    assert table["document"].tolist() == list(range(300))
    assert table["share"].between(0.1, 1).all()
    html = (tmp_path / "topics.html").read_text("utf-8")
    assert "new LDAvis(" in html
    assert "NaN" not in html

    found = json.loads(run("infer.py", tmp_path, change))
    num_topics = found["num_topics"]
    assert num_topics in (5, 8)
    assert table["topic"].isin(range(num_topics)).all()
    assert found["word"] == Dictionary.load(str(tmp_path / "dictionary"))[7]
    assert len(set(found["words"])) == 1
    shares = np.zeros((50, num_topics))
    for row, topics in zip(shares, found["topics"], strict=True):
        for topic, share in topics:
            row[topic] = share
    np.testing.assert_allclose(shares.sum(axis=1), 1, rtol=1e-4)
    agreement = (shares.argmax(axis=1) == found["dominant"]).mean()
    assert agreement >= (1 if change is to_dnmf else 0.5)  # LdaModel's topics have a random start
    assert found["change"] > 0


@pytest.fixture(scope="module")
def model():
    _, dictionary, corpus = lee()
    return DnmfModel(corpus, 7, dictionary, random_state=100, per_word_topics=True)


def test_a_new_process_infers_the_same_bits(model, tmp_path):
    model.save(str(tmp_path / "model"))
    model.id2word.save(str(tmp_path / "dictionary"))
    found = json.loads(run("infer.py", tmp_path, to_dnmf))
    lines = Path(datapath("lee.cor")).read_text("latin-1").splitlines()
    for line, topics in zip(lines, found["topics"], strict=True):
        document = model.id2word.doc2bow(simple_preprocess(line))
        here = model.get_document_topics(document, minimum_probability=0)
        assert [tuple(pair) for pair in topics] == here


def pyldavis_page(prepared, path):
    """pyLDAvis's own page, with its own scripts from its folder instead of the web."""
    pyLDAvis.save_html(
        prepared,
        str(path),
        d3_url=Path(urls.D3_LOCAL).as_uri(),
        ldavis_url=Path(urls.LDAVIS_LOCAL).as_uri(),
        ldavis_css_url=Path(urls.LDAVIS_CSS_LOCAL).as_uri(),
    )


def offline_page(prepared, path):
    pyldavis.save_html(prepared, path)


@pytest.mark.parametrize(
    ("prepare", "save", "first"),
    [
        (pyLDAvis.gensim_models.prepare, pyldavis_page, 1),
        (pyLDAvis.gensim_models.prepare, offline_page, 1),
        (pyldavis.prepare, offline_page, 0),
    ],
    ids=["pyLDAvis alone", "pyLDAvis on an offline page", "the adapter"],
)
def test_a_browser_without_a_network_shows_the_topics(
    model, open_page, tmp_path, prepare, save, first
):
    _, dictionary, corpus = lee()
    prepared = prepare(model, corpus, dictionary, mds="mmds")  # see scripts/train.py
    save(prepared, tmp_path / "topics.html")
    page = open_page(tmp_path / "topics.html")
    page.locator(".dot").first.wait_for()
    assert page.locator(".dot").count() == 7

    def bars():
        return page.evaluate(
            """() => [".terms", ".bar-totals", ".overlay"].map(
                (kind) => [...document.querySelectorAll(kind)].map(
                    (bar) => bar.textContent + bar.getAttribute("width")))"""
        )

    seen = [bars()]
    for topic in (first, first + 3, first + 6):
        page.locator(".dot").nth(topic - first).click()
        title = page.locator(".bubble-tool").text_content()
        assert f"Most Relevant Terms for Topic {topic} (" in title
        words = set(page.locator(".terms").all_text_contents())
        # Words that the same documents have weigh the same: either may be the last one shown.
        ranked = prepared.sorted_terms(topic, 1).set_index("Term")["relevance"].round(6)
        last = ranked.iloc[29]
        assert len(words) == 30
        assert set(ranked.index[ranked > last]) <= words <= set(ranked.index[ranked >= last])
        assert bars() not in seen
        seen.append(bars())


def test_pages_and_model_agree_on_the_topics(model):
    _, dictionary, corpus = lee()
    native = pyLDAvis.gensim_models.prepare(model, corpus, dictionary, sort_topics=False)
    ours = pyldavis.prepare(model, corpus, dictionary)
    for topic in range(7):
        weights = dict(model.show_topic(topic, None))
        # Words of the same weight, which the same documents have, come in any order.
        top = [weight for _, weight in model.show_topic(topic, 5)]
        for shown in (native.sorted_terms(topic + 1, 1), ours.sorted_terms(topic, 1)):
            assert [weights[word] for word in shown["Term"][:5]] == pytest.approx(top)
    np.testing.assert_allclose(
        native.topic_coordinates.sort_values("topics")["Freq"],
        ours.topic_coordinates.sort_values("topics")["Freq"],
        rtol=1e-6,
    )


@pytest.fixture
def _eager_threads():
    """Threads take turns all the time, not every few milliseconds."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


@pytest.mark.usefixtures("_eager_threads")
def test_many_threads_read_what_one_reads(model):
    _, _, corpus = lee()
    blocks = [corpus[start : start + 30] for start in range(0, 300, 30)]
    alone = [model[document] for document in corpus], [model.inference(b)[0] for b in blocks]
    start = Barrier(8)

    def read(number):
        start.wait()
        # Each thread is at another place of the corpus.
        order = np.roll(np.arange(300), 37 * number)
        topics = {i: model[corpus[i]] for i in order}
        weights = {i: model.inference(blocks[i])[0] for i in np.roll(np.arange(10), number)}
        return [topics[i] for i in range(300)], [weights[i] for i in range(10)]

    with ThreadPoolExecutor(8) as pool:
        for topics, weights in pool.map(read, range(8)):
            assert topics == alone[0]
            np.testing.assert_array_equal(weights, alone[1])
