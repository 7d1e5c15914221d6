"""The page: one file, no word can break it, and a browser without a network draws it."""

from __future__ import annotations

import json
import os
import re

import numpy as np
import pyLDAvis.gensim_models
import pytest
from fake_models import TOPICS, WORDS, WithInference, documents_of
from gensim.models import LdaModel
from gensim.test.utils import common_corpus, common_dictionary

from dnmf_topics.adapters.pyldavis import prepare, save_html

NASTY = ["</script><script>boom()</script>", "<!--<script>", "a&b;\"'", "\u2028", "日本語", "😀",
         "toString", "{{data}}", "%s"]  # fmt: skip


def data_of(html):
    return json.loads(re.search(r'type="application/json" id="data">(.*?)</script>', html)[1])


def test_the_page_is_one_file_and_no_word_can_break_it(tmp_path):
    path = tmp_path / "topics.html"
    save_html(prepare(WithInference(words=NASTY), documents_of(TOPICS)), path)
    html = path.read_text("utf-8")
    assert set(NASTY) <= set(data_of(html)["tinfo"]["Term"])
    assert html.count("<script") == html.count("</script>") == 4
    assert "<!--" not in html
    assert not re.search(r"<script[^>]*\ssrc|<link|@import", html)


def test_numbers_of_pyldavis_itself_are_kept_too(tmp_path):
    lda = LdaModel(common_corpus, 3, common_dictionary, random_state=0)
    for start_index in (0, 1):
        prepared = pyLDAvis.gensim_models.prepare(
            lda, common_corpus, common_dictionary, start_index=start_index, n_jobs=1, mds="mmds"
        )
        save_html(prepared, tmp_path / "topics.html")
        data = data_of((tmp_path / "topics.html").read_text("utf-8"))
        assert data["first_topic"] == start_index
        assert data["mdsDat"]["topics"] == [1, 2, 3]
        assert set(data["token.table"]["Topic"]) == {1, 2, 3}
        assert set(data["tinfo"]["Category"]) == {"Default", "Topic1", "Topic2", "Topic3"}


def test_a_page_replaces_another_only_when_it_is_complete(tmp_path, monkeypatch):
    path = tmp_path / "topics.html"
    path.write_text("old")
    prepared = prepare(WithInference(), documents_of(TOPICS))

    def fail(*_):
        raise OSError("disk full")

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", fail)
        with pytest.raises(OSError, match="disk full"):
            save_html(prepared, path)
    assert path.read_text() == "old"
    broken = prepared._replace(topic_coordinates=prepared.topic_coordinates.assign(x=np.nan))
    with pytest.raises(ValueError, match="prepared must hold finite numbers only"):
        save_html(broken, path)
    assert path.read_text() == "old"
    save_html(prepared, str(path))
    assert path.read_text("utf-8").startswith("<!DOCTYPE html>")
    assert os.listdir(tmp_path) == ["topics.html"]
    with pytest.raises(FileNotFoundError, match="There is no folder"):
        save_html(prepared, tmp_path / "missing" / "topics.html")


@pytest.fixture
def show(open_page, tmp_path):
    """Show topics in the browser."""

    def show_topics(weights=TOPICS, words=WORDS):
        model = WithInference(weights, words)
        prepared = prepare(model, documents_of(weights), lambda_step=0.1)
        save_html(prepared, tmp_path / "topics.html")
        return Shown(open_page(tmp_path / "topics.html"), prepared)

    return show_topics


class Shown:
    """What a person sees of a page."""

    def __init__(self, page, prepared):
        self.page, self.prepared = page, prepared
        self.circles = page.locator("#ldavis .dot")

    def title(self):
        return self.page.locator("#ldavis .bubble-tool").text_content()

    def numbers(self):
        return self.page.locator("#ldavis .txt").all_text_contents()

    def selected(self):
        # Not input_value(): the page's own scripts read other numbers than a person.
        return self.page.locator("#ldavis-topic").evaluate(
            "box => Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')"
            ".get.call(box)"
        )

    def words(self):
        """The words beside the bars, from the top."""
        return self.page.evaluate(
            """() => [...document.querySelectorAll("#ldavis .terms")]
                .sort((one, other) => one.getAttribute("y") - other.getAttribute("y"))
                .map((word) => word.textContent)"""
        )

    def widths(self, kind):
        return self.page.evaluate(
            "kind => [...document.querySelectorAll(kind)].map((bar) => bar.width.baseVal.value)",
            f"#ldavis {kind}",
        )


def test_a_click_on_a_circle_shows_the_topic_under_the_models_number(show):
    shown = show()
    assert shown.numbers() == ["0", "1", "2"]
    assert shown.circles.count() == 3
    assert shown.title().startswith("Top-9 Most Salient Terms")
    assert shown.selected() == ""
    salient = shown.words(), shown.widths(".bar-totals")
    for topic in (1, 0, 2, 0):
        shown.circles.nth(topic).click()
        assert re.match(rf"Top-9 Most Relevant Terms for Topic {topic} \(", shown.title())
        assert shown.selected() == str(topic)
        relevant = shown.prepared.sorted_terms(topic, 1)
        assert shown.words() == relevant["Term"].tolist()
        red, blue = shown.widths(".overlay"), shown.widths(".bar-totals")
        assert len(red) == len(blue) == 9
        np.testing.assert_allclose(
            np.divide(red, blue), relevant["Freq"] / relevant["Total"], atol=1e-3
        )
    shown.page.get_by_text("Clear Topic").click()
    assert shown.title().startswith("Top-9 Most Salient Terms")
    assert (shown.words(), shown.widths(".bar-totals")) == salient
    assert shown.selected() == ""


def test_buttons_and_typing_go_by_the_models_numbers(show):
    shown = show()
    for button, topic in [("Next", 0), ("Next", 1), ("Next", 2), ("Next", 2), ("Previous", 1)]:
        shown.page.get_by_text(f"{button} Topic").click()
        assert f"for Topic {topic} (" in shown.title()
        assert shown.selected() == str(topic)
    for typed, topic in [("0", 0), ("2", 2), ("7", 2)]:
        shown.page.locator("#ldavis-topic").select_text()
        shown.page.locator("#ldavis-topic").press(typed)
        assert f"for Topic {topic} (" in shown.title()
        assert shown.selected() == str(topic)


def test_the_slider_reorders_the_words_of_topic_0_too(show):
    shown = show()
    shown.circles.nth(0).click()
    slider = shown.page.locator("#ldavis-lambda")
    slider.fill("0")
    slider.dispatch_event("mouseup")
    distinctive = shown.prepared.sorted_terms(0, 0)["Term"].tolist()
    assert distinctive != shown.prepared.sorted_terms(0, 1)["Term"].tolist()
    shown.page.wait_for_function(
        """expected => JSON.stringify(expected) === JSON.stringify(
            [...document.querySelectorAll("#ldavis .terms")]
                .sort((one, other) => one.getAttribute("y") - other.getAttribute("y"))
                .map((word) => word.textContent))""",
        arg=distinctive,
    )
    assert "for Topic 0 (" in shown.title()


def test_a_word_under_the_mouse_shows_which_topics_have_it(show):
    shown = show()
    for word, topic in [("sun", 0), ("wine", 1), ("goal", 2)]:
        shown.page.get_by_text(word, exact=True).hover()
        shown.page.wait_for_function(
            """topic => [...document.querySelectorAll("#ldavis .dot")].every(
                (circle, index) => index === topic ? circle.r.baseVal.value > 100
                                                   : circle.r.baseVal.value < 1)""",
            arg=topic,
        )


def test_the_scale_belongs_to_the_bars(show):
    shown = show()
    for topic in range(3):
        shown.circles.nth(topic).click()
        ticks = [float(tick) for tick in shown.page.locator(".xaxis .tick").all_text_contents()]
        longest = shown.prepared.sorted_terms(topic, 1)["Total"].max()
        assert ticks[0] == 0
        assert ticks[-1] <= longest * 1.2
        assert longest <= ticks[-1] * 1.2


@pytest.mark.parametrize(
    "weights",
    [TOPICS[:1], TOPICS[[0, 0]], TOPICS[[0, 1, 0, 2, 1]], np.eye(9)[:4], np.ones((2, 1))],
    ids=["one topic", "two equal topics", "duplicate topics", "words of one count", "one word"],
)
def test_degenerate_topics_are_drawn(show, weights):
    shown = show(weights, WORDS[: weights.shape[1]])
    last = len(weights) - 1
    assert shown.numbers() == [str(topic) for topic in range(len(weights))]
    assert shown.circles.count() == len(weights)
    box = shown.circles.nth(last).bounding_box()
    assert 0 <= box["x"] < 700
    assert 0 <= box["y"] < 800
    shown.circles.nth(last).click()
    assert f"for Topic {last} (" in shown.title()
    for topic in range(last, 0, -1):
        shown.page.get_by_text("Previous Topic").click()
        assert f"for Topic {topic - 1} (" in shown.title()


def test_nasty_words_are_words(show):
    shown = show(words=NASTY)
    shown.circles.nth(0).click()
    assert shown.words() == shown.prepared.sorted_terms(0, 1)["Term"].tolist()
    shown.page.locator("#ldavis .terms").first.hover()
