"""How much of a document is about what, as a person sees it on the page."""

from __future__ import annotations

import pytest
from test_report_browser import Shown
from trained import CORPUS, small_model

from dnmf_topics.report import Report
from dnmf_topics.report.page import html_page

# Parts of the first documents, the largest first; all others have one.
PARTS = [
    [(0, 55), (1, 30), (2, 9)],
    [(1, 51), (2, 49)],
    [(2, 60), (0, 40)],
    [(0, 61), (1, 39)],
    [],
]
MIXED = [1, 2, 0]  # the larger the second part, the earlier
TEXTS = [
    "The Rocket flew to <b>New York</b>, where a team of doctors and a rocket-man won the cup.",
    "A game of doctors", "Rocket games", "team", "",
]  # fmt: skip
TELLING = {
    "rocket": [(0, 4)],
    "team": [(1, 3), (0, 2)],
    "Doctors": [(2, 9), (1, 2)],  # 9 % x 9 is more than 30 % x 2
    "new_york": [(1, 2)],
    "york": [(0, 5)],
    "cup": [(1, 1.5), (0, 1.6)],
}
COLORS = """(node) => {
    const channels = (color) => {
        const brush = new OffscreenCanvas(1, 1).getContext("2d");
        brush.fillStyle = getComputedStyle(byId("card")).backgroundColor;
        brush.fillRect(0, 0, 1, 1);
        brush.fillStyle = color;
        brush.fillRect(0, 0, 1, 1);
        return [...brush.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const style = getComputedStyle(node);
    return [channels(style.color), channels(style.backgroundColor),
        channels(style.textDecorationColor)];
}"""


def columns(lists, *names):
    """Lists of pairs as three flat columns: how many each has, their first and second entries."""
    flat = [[pair[side] for pairs in lists for pair in pairs] for side in (0, 1)]
    return dict(zip(names, [[len(pairs) for pairs in lists], *flat], strict=True))


@pytest.fixture(scope="module")
def summary():
    return Report(small_model(), CORPUS, excerpts=[""] * len(CORPUS)).summary


def with_parts(summary, parts):
    """The summary of documents with these parts; the largest is a document's own topic."""
    documents = summary["documents"]
    rest = [[(topic, 100)] for topic in documents["topic"][len(parts) :]]
    every = parts + rest
    texts = (TEXTS + [""] * len(every))[: len(every)]
    flat = columns(every, "num_parts", "part_topic", "part_percent")
    own = [listed[0][0] if listed else 0 for listed in every]
    told = {"word": list(TELLING), **columns(TELLING.values(), "num_topics", "topic", "ratio")}
    return summary | {
        "documents": documents | flat | {"text": texts, "topic": own},
        "telling_words": told,
    }


@pytest.fixture
def show(open_page, tmp_path, summary):
    def show_parts(parts=PARTS, **media):
        path = tmp_path / "report.html"
        path.write_text(html_page(with_parts(summary, parts), None, "no panel here"), "utf-8")
        page = open_page(path)
        page.emulate_media(**media)
        return Shown(page)

    return show_parts


def names(shown):
    return shown.page.evaluate("topicNames")


def listed(shown):
    """The numbers of the documents in the list of results."""
    texts = shown.page.locator("#results .about").all_text_contents()
    return [int(text.removeprefix("Document ")) for text in texts]


def luminance(color):
    parts = [part / 255 for part in color]
    linear = [part / 12.92 if part <= 0.04 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def test_the_card_says_how_much_of_a_document_is_about_what(show):
    shown = show()
    shown.page.evaluate("choose(0)")
    name = names(shown)
    assert shown.page.locator("#card .shares li").all_text_contents() == [
        f"0 {name[0]} 55 %", f"1 {name[1]} 30 %", f"2 {name[2]} 9 %", "other 6 %",
    ]  # fmt: skip
    bar = shown.page.locator("#card .parts")
    assert bar.get_attribute("aria-hidden") == "true"
    full = bar.bounding_box()["width"]
    pieces = [piece.bounding_box()["width"] for piece in bar.locator("span").all()]
    assert [100 * piece / full for piece in pieces] == pytest.approx([55, 30, 9, 6], abs=1)
    fill = "(node) => getComputedStyle(node).backgroundColor"
    dots = [dot.evaluate(fill) for dot in shown.page.locator("#card .shares .dot").all()]
    assert [piece.evaluate(fill) for piece in bar.locator("span").all()] == dots
    assert len(set(dots)) == 4
    assert shown.page.locator("#card .why").count() == 0
    shown.page.evaluate("documents.topic[1] = 2")
    shown.page.evaluate("choose(1)")
    assert shown.text("#card .why") == (
        "It is in topic 2 with the documents it is most like; more of its words are about topic 1."
    )
    assert shown.page.locator("#card .shares li").count() == 2, "nothing is left for others"
    shown.page.evaluate("choose(4)")
    assert shown.page.locator("#card .parts").count() == 0
    assert "No topic has 5 % of it." in shown.text("#card")


def test_a_topic_of_the_card_is_isolated_and_the_card_stays(show):
    shown = show()
    shown.page.evaluate("focusDocument(0)")
    button = shown.page.locator("#card .shares button").nth(1)
    button.click()
    assert shown.page.evaluate("looking.topic") == 1
    assert shown.page.url.endswith("#topic-1/document-0")
    assert button.get_attribute("aria-pressed") == "true"
    assert shown.page.evaluate("looking.chosen") == 0, "it goes on being read"
    button.click()
    assert shown.page.evaluate("looking.topic") is None
    assert button.get_attribute("aria-pressed") == "false"
    shown.page.locator("#legend [data-node='2']").click()
    assert shown.page.evaluate("looking.chosen") == 0, "it is about this one too"
    shown.page.evaluate("selectNode(null); choose(3)")
    shown.page.locator("#legend [data-node='2']").click()
    assert shown.page.evaluate("looking.chosen") == -1, "and this one is not"
    assert shown.page.locator("#card").is_hidden()


def test_the_pointer_gets_from_a_dot_to_its_card_and_to_other_dots(show):
    shown = show()
    others = "[...Array(count).keys()].filter((i) => i !== 0)"
    # Dots lie between the chosen one and its card, and under the card.
    shown.page.evaluate("focusDocument(0)")
    shown.page.evaluate(f"{others}.forEach((i) => {{ documents.x[i] = documents.x[0] + 5 * i; }})")
    shown.page.evaluate(f"{others}.forEach((i) => {{ documents.y[i] = documents.y[0]; }})")
    shown.page.evaluate("cellStart.fill(0); fillGrid(); drawMap()")
    x, y = shown.place_of(0)
    shown.page.mouse.move(x, y)
    for step in range(0, 60, 4):
        shown.page.mouse.move(x + step, y)
        assert shown.page.evaluate("looking.hovered") == -1
    assert shown.text("#card .about") == "Document 0"
    shown.page.mouse.move(x - 40, y)
    shown.page.evaluate("documents.x[1] = documents.x[0] - 300; cellStart.fill(0); fillGrid()")
    shown.page.mouse.move(*shown.place_of(1))
    assert shown.text("#card .about") == "Document 1"
    assert "fixed" not in shown.page.locator("#card").get_attribute("class")


def test_the_keyboard_reaches_the_topics_of_the_card(show):
    shown = show()
    shown.page.evaluate("focusDocument(0); selectNode(null)")
    shown.page.locator("#reset").focus()
    shown.page.keyboard.press("Tab")
    assert shown.page.evaluate("document.activeElement.closest('#card .shares') !== null")
    shown.page.keyboard.press("Tab")
    shown.page.keyboard.press("Enter")
    assert shown.page.evaluate("looking.topic") == 1
    assert shown.page.evaluate("document.activeElement.dataset.node") == "1", "the focus stays"
    shown.page.keyboard.press("Escape")
    assert shown.page.locator("#card").is_hidden()
    assert shown.page.evaluate("document.activeElement.id") == "canvas"


def test_the_card_of_a_chosen_document_has_a_button_to_close_it(show):
    shown = show()
    shown.page.evaluate("choose(0)")
    shown.page.get_by_role("button", name="Close").click()
    assert shown.page.evaluate("looking.chosen") == -1
    assert shown.page.locator("#card").is_hidden()
    shown.page.evaluate("hover(0)")
    assert shown.page.locator("#card").is_visible()
    assert shown.page.locator("#card .close").is_hidden(), "it goes when the pointer goes"


def test_mixed_documents_are_counted_listed_and_shown_alone(show):
    shown = show()
    bright = shown.colored()
    button = shown.page.locator("#mixed")
    assert button.text_content() == "Mixed documents: 3"
    assert "60 %" in button.get_attribute("title")
    assert listed(shown) == []
    button.focus()
    shown.page.keyboard.press("Enter")
    assert button.get_attribute("aria-pressed") == "true"
    assert shown.text("#found") == "3 mixed documents found"
    assert listed(shown) == MIXED
    assert shown.page.evaluate("[...Array(count).keys()].filter(isShown)") == sorted(MIXED)
    assert 0 < shown.colored() < bright / 4
    name = names(shown)
    first = shown.page.locator("#results button").first
    assert f"51 % 1 {name[1]}, 49 % 2 {name[2]}" in first.text_content()
    shown.page.keyboard.press("Tab")
    assert first.evaluate("(node) => node === document.activeElement")
    shown.page.keyboard.press("Enter")
    assert shown.text("#card .about") == "Document 1"
    for _ in range(2):  # the card, then what is shown
        shown.page.keyboard.press("Escape")
    assert button.get_attribute("aria-pressed") == "false"
    assert shown.text("#found") == ""
    assert listed(shown) == []
    shown.page.evaluate("setView(1, 0, 0)")
    assert shown.colored() == bright


def test_mixed_documents_of_a_topic_and_of_a_search(show):
    shown = show()
    shown.page.locator("#mixed").click()
    shown.page.locator("#legend [data-node='2']").click()
    assert shown.text("#found") == "3 mixed documents found in topic 2"
    shown.page.evaluate("toggleTopic(0)")
    assert shown.text("#found") == "2 mixed documents found in topic 0"
    assert listed(shown) == [2, 0], "the topic may be a part that is not the largest"
    shown.page.locator("#results button").first.click()
    assert shown.page.evaluate("looking.topic") == 0, "reading one does not leave the topic"
    assert shown.search("doctors") == "1 mixed document found in topic 0"
    assert listed(shown) == [0]
    shown.page.evaluate("toggleTopic(0)")
    assert listed(shown) == [1, 0]
    shown.page.locator("#mixed").click()
    assert shown.text("#found") == "2 documents found"
    assert listed(shown) == [0, 1]
    assert shown.search("team") == "2 documents found"
    shown.page.locator("#mixed").click()
    assert listed(shown) == [0], "61 % of the other are about one topic"
    shown.page.evaluate("focusDocument(3)")
    assert not shown.page.evaluate("looking.mixed"), "what is read is shown"


def test_without_mixed_documents_that_is_said(show):
    shown = show([[(0, 61), (1, 39)], [], [(1, 30)]])
    assert shown.page.locator("#mixed").is_disabled()
    assert shown.text("#mixed") == "No mixed documents"


def telling(shown):
    """The words that are underlined, with the numbers of their topics."""
    return [
        (word.text_content(), int(word.get_attribute("title").split()[0]))
        for word in shown.page.locator("#card .text .telling").all()
    ]


def test_words_are_underlined_for_the_topic_they_speak_for(show):
    shown = show()
    shown.page.evaluate("choose(0)")
    assert telling(shown) == [
        # 55 % x 2 is more than 30 % x 3
        ("Rocket", 0), ("New York", 1), ("team", 0), ("doctors", 2), ("rocket", 0), ("cup", 0),
    ]  # fmt: skip
    assert shown.text("#card .text") == TEXTS[0], "and markup is text"
    title = shown.page.locator("#card .text .telling").first.get_attribute("title")
    assert title == f"0 {names(shown)[0]}: 4 times as frequent as in all documents"
    shown.page.evaluate("choose(1)")
    assert telling(shown) == [("doctors", 2)], "not for topics that are no part"
    shown.page.evaluate("choose(2)")
    assert telling(shown) == [("Rocket", 0)]
    styles = shown.page.locator("#card .telling").evaluate_all(
        "(nodes) => nodes.map((node) => getComputedStyle(node).textDecorationStyle)"
    )
    # In the legend of both topics, then in the text.
    assert styles == ["solid", "dotted", "dotted"]


def test_what_was_searched_stays_marked_in_words_that_tell(show):
    shown = show()
    shown.search('rock "a team of d"')
    shown.page.evaluate("choose(0)")
    assert shown.text("#card .text") == TEXTS[0]
    marks = shown.page.locator("#card .text mark").all_text_contents()
    assert marks == ["Rock", "a ", "team", " of ", "d", "rock"]
    assert ("Rocket", 0) in telling(shown)
    assert shown.page.locator("#card .telling mark").count() == 4


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_of_every_color_can_be_read(show, scheme):
    shown = show(color_scheme=scheme)
    shown.page.evaluate("choose(0)")
    word = shown.page.locator("#card .text .telling").first
    lines = set()
    for topic in range(20):
        word.evaluate(f"(node) => paintSwatch(node, {topic})")
        ink, paper, line = word.evaluate(COLORS)
        assert contrast(ink, paper) > 7
        assert paper != [255, 255, 255]
        lines.add(tuple(line))
    assert len(lines) == 20


def test_texts_without_words_that_tell_are_shown_as_they_are(show, summary, tmp_path, open_page):
    plain = with_parts(summary, PARTS) | {"telling_words": None}
    path = tmp_path / "plain.html"
    path.write_text(html_page(plain, None, "no panel here"), "utf-8")
    shown = Shown(open_page(path))
    shown.page.evaluate("choose(0)")
    assert shown.text("#card .text") == TEXTS[0]
    assert telling(shown) == []


def test_a_card_that_is_higher_than_the_map_can_be_scrolled(show):
    shown = show([[(0, 30), (1, 25), (2, 20)]])
    shown.page.set_viewport_size({"width": 360, "height": 360})
    shown.page.evaluate("documents.text[0] = 'word '.repeat(60); choose(0)")
    card, chart = (shown.page.locator(name).bounding_box() for name in ("#card", "#map"))
    assert card["y"] >= chart["y"]
    assert card["y"] + card["height"] <= chart["y"] + chart["height"]
