"""The page as text, and as a file."""

from __future__ import annotations

import json
import os
import re

import pytest
from trained import CORPUS, WORDS, small_model

from dnmf_topics.report import Report
from dnmf_topics.report import page as module
from dnmf_topics.report.page import html_page

NASTY = ["<script>alert(1)</script>", "</script>", "<!-- <script>", "&lt;b&gt; &amp;", "\"'`",
         "a\u2028b\u2029c", "العربية", "😀", "{{data}}", "${data}", "\x00\x7f\r\n",
         "]]>"]  # fmt: skip


def data_of(html, name="data"):
    return json.loads(re.search(rf'type="application/json" id="{name}">(.*?)</script>', html)[1])


def nasty_report(**options):
    texts = [NASTY[i % len(NASTY)] for i in range(len(CORPUS))]
    words = WORDS | {term: f"{word}{term}" for term, word in enumerate(NASTY)}
    given = {"excerpts": texts, "ids": texts, "labels": texts, "title": "</title>" + NASTY[0]}
    given["facts"] = {NASTY[1]: NASTY[2]}
    return Report(small_model(id2word=words), CORPUS, **(given | options))


def test_no_text_can_break_the_page():
    html = nasty_report().html()
    documents = data_of(html)["documents"]
    assert documents["label"][: len(NASTY)] == documents["id"][: len(NASTY)] == NASTY
    assert data_of(html)["facts"] == [[NASTY[1], NASTY[2]]]
    # two kinds of data and the page's own script
    assert len(re.findall(r"<script", html)) == len(re.findall(r"</script", html)) == 3
    assert "<!--" not in html
    assert "\u2028" not in html
    assert "alert(1)</" not in html
    assert html.count("</title>") == html.count("<title>") == 1


def test_the_page_asks_for_nothing_from_outside():
    html = nasty_report().html()
    assert not re.search(r"<script[^>]*\ssrc|<link|@import", html)
    assert "url(" not in module._file("page.css")
    assert "default-src 'none'" in html
    assert "'unsafe-eval'" not in html
    assert len(re.findall(r"'sha256-", html)) == 5  # its own script, and four of the panel


def test_the_scripts_of_the_page_never_write_markup():
    script = "".join(module._file(f"{name}.js") for name in module.SCRIPTS)
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", script)
    assert "</script" not in script


def test_the_same_input_gives_the_same_page():
    model = small_model()
    assert Report(model, CORPUS).html() == Report(model, iter(CORPUS)).html()


def test_a_saved_model_gives_the_same_page(tmp_path):
    model = small_model()
    model.save(tmp_path / "model")
    assert Report(type(model).load(tmp_path / "model"), CORPUS).html() == (
        Report(model, CORPUS).html()
    )


def test_the_panel_is_a_page_of_its_own_or_a_reason():
    report = Report(small_model(), CORPUS)
    panel = data_of(report.html(), "panel")["html"]
    assert panel.startswith("<!DOCTYPE html>")
    assert data_of(html_page(report.summary, None, "no words"), "panel") == {"reason": "no words"}


def test_a_file_is_replaced_only_by_a_whole_one(tmp_path, monkeypatch):
    path = tmp_path / "report.html"
    path.write_text("old")
    report = Report(small_model(), CORPUS, excerpts=["lone \ud83d half"] * len(CORPUS))

    def fail(*_):
        raise OSError("disk full")

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", fail)
        with pytest.raises(OSError, match="disk full"):
            report.save(path)
    assert path.read_text() == "old"
    report.save(str(path))
    assert "lone ? half" in path.read_text("utf-8")
    assert os.listdir(tmp_path) == ["report.html"]


def test_a_path_that_cannot_be_written_is_refused_before_the_work(tmp_path, monkeypatch):
    report = Report(small_model(), CORPUS)
    monkeypatch.setattr(Report, "html", lambda self: pytest.fail("worked"))
    with pytest.raises(FileNotFoundError, match="There is no folder"):
        report.save(tmp_path / "missing" / "report.html")
    with pytest.raises(IsADirectoryError, match="is a folder; name a file"):
        report.save(tmp_path)


def test_a_page_of_too_many_documents_is_refused(monkeypatch):
    monkeypatch.setattr("dnmf_topics.report.MOST_ON_PAGE", len(CORPUS) - 1)
    with pytest.raises(ValueError, match=f"at most {len(CORPUS) - 1} documents, as the page shows"):
        Report(small_model(), CORPUS)
