"""Finding one's way on the page: topics that open, the tree, time, colors, links, pictures."""

from __future__ import annotations

import struct
from collections import Counter
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest
from test_report_browser import Shown
from test_report_page import NASTY
from trained import CLASSES, CORPUS, WORDS, small_model

from dnmf_topics.report import Report
from dnmf_topics.report.page import html_page

HOSTILE = "<img src=x onerror=alert(1)>"
NUM_TOPICS = 6
NUM_DOCS = len(CORPUS)
TEXTS = [f"Text {i} of class {CLASSES[i]}" for i in range(NUM_DOCS)]
# Months of 2020 by the class, so that topics come and go; two are not known.
MONTHS = [1 + (3 * CLASSES[i] + i) % 12 for i in range(NUM_DOCS)]
DATES = [None if i in (3, 4) else f"2020-{MONTHS[i]:02}-15" for i in range(NUM_DOCS)]
LINKS = [
    "https://example.org/?a=1&b=<b>", "javascript:alert(1)", " java\nscript:alert(1)",
    "mailto:a@b.c", "papers/5.pdf", "data:text/html,<script>alert(1)</script>", "vbscript:x", "file:///etc/passwd",
    "", None, "http://[", "JaVaScRiPt:alert(1)", "//server/name", r"\\server\name",
]  # fmt: skip
FOLLOWED = {0, 3, 4}
CATEGORIES = [HOSTILE if i % 2 else f"kind {i % 5}" for i in range(NUM_DOCS)]
NUMBERS = [None if i == 7 else str(i * i) for i in range(NUM_DOCS)]
COLUMNS = {
    f"{HOSTILE} column": CATEGORIES,
    "squares": NUMBERS,
    "names": [f"name {i}" if i < 40 else f"name {i % 4}" for i in range(NUM_DOCS)],
}


@pytest.fixture(scope="module")
def made():
    """A model with names, sub-topics of its largest topic, and the page of it."""
    model = small_model(num_topics=NUM_TOPICS)
    model.topic_names = {0: HOSTILE, 1: "Second topic"}
    members = np.flatnonzero(model.cluster_labels == 0)
    inside = small_model([CORPUS[i] for i in members], 2, WORDS)
    inside.topic_names = {0: f"{HOSTILE} inside"}
    report = Report(
        model, CORPUS, excerpts=TEXTS, labels=[f"class {k}" for k in CLASSES], dates=DATES,
        links=(LINKS + [None] * NUM_DOCS)[:NUM_DOCS], columns=COLUMNS, subtopics={0: inside},
        title=f"{HOSTILE} & more",
    )  # fmt: skip
    html = html_page(report.summary, None, "no panel here")
    return SimpleNamespace(
        model=model, inside=inside, members=members, summary=report.summary, html=html
    )


@pytest.fixture
def shown(open_page, tmp_path, made):
    path = tmp_path / "report.html"
    path.write_text(made.html, "utf-8")
    return Shown(open_page(path))


def evaluate(shown, code):
    return shown.page.evaluate(code)


def listed_documents(shown):
    texts = shown.page.locator("#opened .typical .text").all_text_contents()
    return [int(text.split()[1]) for text in texts]


def in_window(shown, selector):
    box = shown.page.locator(selector).bounding_box()
    return box["y"] >= -1 and box["y"] + box["height"] <= evaluate(shown, "innerHeight") + 1


# A topic that opens


@pytest.mark.parametrize("way", ["legend", "card", "label"])
def test_a_topic_opens_beside_the_map(shown, made, way):
    topic = 1
    if way == "label":
        shown.drawn()
        box = evaluate(shown, f"labelBoxes.find((box) => box.node === {topic})")
        canvas = shown.page.locator("#canvas").bounding_box()
        # the middle of the label, or a letter that no dot is under
        spots = [(box["x"] + part * box["half"], box["y"]) for part in (0, -0.8, 0.8, -0.4, 0.4)]
        free = [
            spot for spot in spots if evaluate(shown, f"documentAt({spot[0]}, {spot[1]}, 10)") < 0
        ]
        shown.page.mouse.click(canvas["x"] + free[0][0], canvas["y"] + free[0][1])
    else:
        selector = {"legend": "#legend", "card": "#cards"}[way]
        shown.page.locator(f"{selector} [data-node='{topic}']").click()
    about = made.summary["topics"][topic]
    assert shown.text("#opened-name") == "1 Second topic"
    assert f"{about['size']} document" in shown.text("#opened .about >> nth=0")
    assert shown.page.locator("#opened .weights bdi").all_text_contents() == [
        word for word, *_ in about["words"][:10]
    ]
    assert shown.page.locator("#listing").is_hidden()
    shown.until("Math.abs(canvas.getBoundingClientRect().top) < innerHeight / 2")
    assert in_window(shown, "#map")
    own = np.flatnonzero(made.model.cluster_labels == topic).tolist()
    typical = about["documents"]
    first = listed_documents(shown)
    assert first == [*typical, *[i for i in first if i not in typical]]
    for _ in range(3):
        if shown.page.locator("#opened-more").is_visible():
            shown.page.locator("#opened-more").click()
    assert sorted(listed_documents(shown)) == own
    shown.page.locator("#opened .typical button").first.click()
    assert f"Document {typical[0]} " in shown.text("#card .about")
    assert evaluate(shown, "looking.topic") == topic, "it is read without leaving the topic"
    shown.page.locator("#opened .back").click()
    assert shown.page.locator("#opened").is_hidden()
    assert shown.page.locator("#listing").is_visible()


def test_a_topic_opens_into_its_sub_topics(shown, made):
    shown.page.locator("#legend [data-node='0']").click()
    names = shown.page.locator("#opened .part:has-text('Sub-topics') .words").all_text_contents()
    assert names == made.inside.topic_names == [f"{HOSTILE} inside", made.inside.topic_names[1]]
    # Its documents are colored by them, and they are named on the map.
    labels = made.inside.cluster_labels
    colored = evaluate(shown, f"{made.members.tolist()}.map((i) => swatches[i])")
    assert colored == labels.tolist()
    shown.page.locator("#reset").click()
    shown.drawn()
    assert {box["subtopic"] for box in evaluate(shown, "labelBoxes")} <= {0, 1}
    shown.page.locator("#opened .part:has-text('Sub-topics') button").nth(1).click()
    assert shown.page.url.endswith("#topic-0.1")
    expected = made.members[labels == 1].tolist()
    assert evaluate(shown, "[...shown.keys()].filter((i) => shown[i])") == expected
    assert f"{len(expected)} document" in shown.text("#opened .about >> nth=0")
    assert sorted(listed_documents(shown)) == expected[: len(listed_documents(shown))]
    shown.page.locator("#opened .back").click()
    assert shown.page.url.endswith("#topic-0"), "one step back"
    shown.page.locator("#opened .back").click()
    assert evaluate(shown, "nodeNow()") is None


def test_the_address_leads_to_what_is_looked_at_and_back(shown, made):
    page = shown.page
    for topic in (2, 3):
        page.locator(f"#legend [data-node='{topic}']").click()
        page.locator("#opened .back").click()
    for expected in (3, None, 2, None):
        page.go_back()
        shown.until(f"looking.topic === {'null' if expected is None else expected}")
    page.go_forward()
    shown.until("looking.topic === 2")
    assert page.locator("#opened").is_visible()
    cases = {
        "topic-0.1": [0, 1, None, -1], "group-7": [None, None, 7, -1],
        "document-9": [None, None, None, 9], "topic-99": [None, None, None, -1],
        "topic-0.7": [None, None, None, -1], "group-3": [None, None, None, -1],
        "group-99": [None, None, None, -1],
    }  # fmt: skip
    for address, expected in cases.items():
        evaluate(shown, f"location.hash = '{address}'")
        now = "JSON.stringify([looking.topic, looking.subtopic, looking.group, looking.chosen])"
        shown.until(f"{now} === '{str(expected).replace('None', 'null').replace(' ', '')}'")
    own = made.summary["documents"]["topic"][9]
    evaluate(shown, f"location.hash = 'topic-{own}/document-9'")
    shown.until("looking.chosen === 9")
    page.reload()
    shown.drawn()
    assert evaluate(shown, "[looking.topic, looking.chosen]") == [own, 9]
    evaluate(shown, "location.hash = 'similarity'")
    evaluate(shown, "new Promise((done) => setTimeout(done))")
    assert evaluate(shown, "[looking.topic, looking.chosen]") == [own, 9], (
        "a section changes nothing"
    )


def test_the_keyboard_alone_opens_reads_and_goes_back(shown):
    page = shown.page
    page.locator("#legend [data-node='1']").focus()
    page.keyboard.press("Enter")
    assert evaluate(shown, "document.activeElement.id") == "opened-name"
    page.keyboard.press("Tab")  # the way back and the cross come before the name
    assert evaluate(shown, "byId('opened').contains(document.activeElement)")
    page.locator("#opened .typical button").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("#card").is_visible()
    page.keyboard.press("Escape")
    assert page.locator("#card").is_hidden()
    page.locator("#opened .back").focus()
    page.keyboard.press("Escape")
    assert page.locator("#opened").is_hidden()
    assert evaluate(shown, "document.activeElement.dataset.node") == "1", "where it came from"
    page.locator("#legend [data-node='0']").press("Enter")
    page.locator("#opened .part:has-text('Sub-topics') button").first.press("Enter")
    assert evaluate(shown, "document.activeElement.id") == "opened-name"
    page.locator("#opened .back").press("Enter")
    assert evaluate(shown, "[looking.topic, looking.subtopic]") == [0, None]
    assert evaluate(shown, "document.activeElement.id") == "opened-name"
    page.locator("#opened .close").press("Enter")
    assert evaluate(shown, "document.activeElement.dataset.node") == "0"


# The tree


def groups_of(made, number):
    return [sorted(group) for group in made.model.hierarchy().cut(number)]


def test_the_slider_cuts_the_tree_and_recolors_the_map(shown, made):
    slider, tree = shown.page.locator("#cut"), made.model.hierarchy()
    assert slider.get_attribute("max") == str(NUM_TOPICS)
    topics = made.model.cluster_labels
    before = None
    for number in range(NUM_TOPICS, 1, -1):
        swatches = np.array(evaluate(shown, "[...swatches]"))
        groups = groups_of(made, number)
        colors = [set(swatches[np.isin(topics, group)].tolist()) for group in groups]
        assert all(len(color) <= 1 for color in colors)
        used = [color for color in colors if color]
        assert len(set().union(*used)) == len(used), "no two groups have the same color"
        assert max(set().union(*used)) < number, "few groups have the first colors"
        if before is not None:
            changed = set(topics[swatches != before].tolist())
            assert any(changed < set(group) for group in groups), "a part of the merged one changed"
        before = swatches
        named = sorted(
            evaluate(shown, "groupsAt(looking.cut).map((node) => topicsOf(node).sort())")
        )
        assert named == sorted(groups)
        rows = shown.page.locator("#legend .row.group").evaluate_all(
            "(rows) => rows.map((row) => Number(row.dataset.node))"
        )
        assert len(rows) == sum(len(group) > 1 for group in groups)
        names = shown.page.locator("#legend .row.group .words").all_text_contents()
        assert names == [tree.names[node] for node in rows]
        slider.press("ArrowLeft")
    assert slider.input_value() == "2"
    assert shown.text("#cut-number") == f"2 groups of {NUM_TOPICS} topics"
    shown.drawn()
    labels = evaluate(shown, "labelBoxes.map((box) => box.text)")
    large = [tree.names[node] for node in evaluate(shown, "groupsAt(2)")]
    assert labels
    assert set(labels) <= set(large)
    slider.press("End")
    assert shown.text("#cut-number") == f"{NUM_TOPICS} topics"


def test_a_knot_of_the_tree_brings_out_its_topics(shown, made):
    tree = made.model.hierarchy()
    node = NUM_TOPICS + 1
    shown.page.locator(".knot").nth(1).locator("circle").last.click()
    assert shown.page.url.endswith(f"#group-{node}")
    members = [
        group
        for group in groups_of(made, NUM_TOPICS - 2)
        if group not in groups_of(made, NUM_TOPICS - 1)
    ]
    expected = np.flatnonzero(np.isin(made.model.cluster_labels, members[0]))
    assert evaluate(shown, "[...shown.keys()].filter((i) => shown[i])") == expected.tolist()
    assert len(set(evaluate(shown, f"{expected.tolist()}.map((i) => swatches[i])"))) > 1
    assert shown.text("#opened-name") == tree.names[node]
    assert shown.text(".word-list").split(", ") == list(tree.words[node][:10])
    first = shown.page.locator("#opened .nodes button").first
    topic = int(first.get_attribute("data-node"))
    first.click()
    assert evaluate(shown, "looking.topic") == topic
    shown.page.locator("#opened .part:has-text('Belongs to') button").click()
    assert topic in evaluate(shown, "topicsOf(looking.group)"), "and up again, without a mouse"
    shown.page.keyboard.press("Escape")
    assert evaluate(shown, "nodeNow()") is None


def test_the_topics_are_listed_along_the_tree_or_the_largest_first(shown, made):
    def listed():
        return shown.page.locator("#legend .row").evaluate_all(
            "(rows) => rows.map((row) => Number(row.dataset.node))"
        )

    order = listed()
    assert sorted(order) == list(range(NUM_TOPICS))
    for number in range(2, NUM_TOPICS):  # no line crosses another
        for group in groups_of(made, number):
            places = sorted(order.index(topic) for topic in group)
            assert places == list(range(places[0], places[0] + len(places)))
    assert shown.page.locator(".knot").count() == NUM_TOPICS - 1
    shown.page.locator("#by-size").click()
    sizes = [made.summary["topics"][topic]["size"] for topic in listed()]
    assert sizes == sorted(sizes, reverse=True)
    assert shown.page.locator(".knot").count() == 0


# Time


def time_of(made):
    return [-1 if at is None else at for at in made.summary["documents"]["time"]]


def test_a_range_of_time_filters_the_map_the_counts_and_the_lists(shown, made):
    times, topics = np.array(time_of(made)), made.model.cluster_labels
    labels = made.summary["time"]["labels"]
    assert shown.text("#time-range").endswith(f": {NUM_DOCS - 2} documents, 2 without a date")
    box = shown.page.locator("#bars").bounding_box()
    step = (box["width"] - 18) / len(labels)
    low, high = 2, 4
    shown.page.mouse.move(box["x"] + 9 + (high + 0.5) * step, box["y"] + 20)
    shown.page.mouse.down()
    shown.page.mouse.move(box["x"] + 9 + (low + 0.5) * step, box["y"] + 20, steps=3)
    shown.page.mouse.up()
    inside = (times >= low) & (times <= high)
    assert evaluate(shown, "[...shown].map(Boolean)") == inside.tolist()
    assert shown.text("#time-range") == (
        f"{labels[low]} \u2013 {labels[high]}: {inside.sum()} documents"
    )
    for row in shown.page.locator("#legend .row").all():
        topic = int(row.get_attribute("data-node"))
        assert int(row.locator(".share").text_content()) == int((inside & (topics == topic)).sum())
    assert shown.search("text") == f"{inside.sum()} documents found"
    shown.search("")
    topic = int(np.bincount(topics[inside]).argmax())
    shown.page.locator(f"#legend [data-node='{topic}']").click()
    expected = np.flatnonzero(inside & (topics == topic))
    assert set(listed_documents(shown)) <= set(expected.tolist())
    assert f"{len(expected)} document" in shown.text("#opened-documents-heading")
    outside = int(np.flatnonzero(~inside)[0])
    evaluate(shown, f"focusDocument({outside})")
    assert not evaluate(shown, "isTimed()"), "what is read is shown"


def test_the_range_is_set_by_the_keyboard_and_taken_back(shown, made):
    times = np.array(time_of(made))
    last = len(made.summary["time"]["labels"])
    start = shown.page.locator("#time-from")
    start.focus()
    for _ in range(3):
        shown.page.keyboard.press("ArrowRight")
    assert evaluate(shown, "[looking.from, looking.to]") == [3, last]
    assert start.get_attribute("aria-valuetext") == f"from {made.summary['time']['labels'][3]}"
    shown.page.keyboard.press("Tab")
    shown.page.keyboard.press("Home")
    assert evaluate(shown, "[looking.from, looking.to]") == [3, 4], (
        "the ends do not pass each other"
    )
    assert evaluate(shown, "shown.reduce((sum, one) => sum + one)") == int((times == 3).sum())
    shown.page.locator("#time-all").click()
    assert evaluate(shown, "areAllShown()")
    evaluate(shown, "setRange(1, 3)")
    shown.page.keyboard.press("Escape")
    assert evaluate(shown, "areAllShown()")


def test_a_sparkline_is_the_share_of_a_topic_in_its_time(shown, made):
    times, topics = np.array(time_of(made)), made.model.cluster_labels
    shares = evaluate(shown, "timeShares.map((row) => [...row])")
    for bin_ in range(len(made.summary["time"]["labels"])):
        there = topics[times == bin_]
        for topic in range(NUM_TOPICS):
            expected = (there == topic).mean() if len(there) else 0
            assert shares[topic][bin_] == pytest.approx(expected)
    assert shown.page.locator("#legend .spark").count() == NUM_TOPICS


# Colors


def color_by(shown, name):
    shown.page.locator("#color-by").select_option(label=name)
    return evaluate(shown, "[...swatches]")


def test_the_map_is_colored_by_labels_and_columns(shown, made):
    options = shown.page.locator("#color-by option").all_text_contents()
    assert options == ["topic", "label", "time", f"{HOSTILE} column", "squares", "names"]
    by_topic = evaluate(shown, "[...swatches]")
    plain = evaluate(shown, "PLAIN")
    swatches = color_by(shown, f"{HOSTILE} column")
    assert len(set(zip(swatches, CATEGORIES, strict=True))) == len(set(CATEGORIES))
    entries = shown.page.locator("#key .entry").all_text_contents()
    counts = Counter(CATEGORIES)
    assert Counter(dict(entry.rsplit(" ", 1) for entry in entries)) == {
        name: str(number) for name, number in counts.items()
    }
    assert shown.page.locator("#legend .dot").first.is_hidden(), "their colors mean nothing now"
    topic = int(made.model.cluster_labels[1])
    shown.page.locator(f"#legend [data-node='{topic}']").click()
    own = [CATEGORIES[i] for i in np.flatnonzero(made.model.cluster_labels == topic)]
    assert shown.page.locator("#key .entry").count() == len(set(own)), "those of what is shown"
    shown.page.locator("#opened .close").click()
    swatches = color_by(shown, "names")
    named = Counter(COLUMNS["names"]).most_common()
    assert sum(swatch == plain for swatch in swatches) == sum(n for _, n in named[19:])
    assert f"{len(named) - 19} other values" in shown.text("#key")
    assert len({s for s in swatches if s != plain}) == 19
    swatches = color_by(shown, "topic")
    assert swatches == by_topic
    assert shown.page.locator("#key").is_hidden()


def test_numbers_are_a_scale(shown):
    swatches = color_by(shown, "squares")
    plain = evaluate(shown, "PLAIN")
    assert swatches[7] == plain, "not known"
    scale = [swatch for i, swatch in enumerate(swatches) if i != 7]
    assert scale == sorted(scale)
    assert scale[0] == plain + 1
    assert scale[-1] == plain + 64
    assert shown.text("#key").startswith("squares")
    assert color_by(shown, "time")[3] == plain
    assert "Jan" in shown.text("#key")
    evaluate(shown, "choose(0)")
    assert shown.page.locator("#card .columns dd").all_text_contents() == ["kind 0", "0", "name 0"]


# Links


def test_links_are_followed_only_where_nothing_is_executed(shown):
    for i, link in enumerate(LINKS):
        evaluate(shown, f"choose({i})")
        anchor = shown.page.locator("#card a")
        assert anchor.count() == (i in FOLLOWED), link
        if i in FOLLOWED:
            assert anchor.get_attribute("href") == link
            assert anchor.get_attribute("target") == "_blank"
            assert "noopener" in anchor.get_attribute("rel")
        elif link:
            assert shown.text("#card .link") == link, "shown as text"
        else:
            assert shown.page.locator("#card .link").count() == 0


# Pictures


def saved(shown, kind, tmp_path):
    with shown.page.expect_download() as waited:
        shown.page.locator(f"#save-{kind}").click()
    assert waited.value.suggested_filename == f"img-src-x-onerror-alert-1-more.{kind}"
    path = tmp_path / f"map.{kind}"
    waited.value.save_as(path)
    return path.read_bytes()


def test_the_map_is_saved_as_pixels(shown, tmp_path):
    content = saved(shown, "png", tmp_path)
    assert content.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", content[16:24])
    view = evaluate(shown, "[view.width, view.height]")
    assert width == 2 * (view[0] + 40)
    assert height > 2 * view[1]


def test_the_map_is_saved_as_shapes(shown, made, tmp_path):
    evaluate(shown, f"data.topics[1].name = topicNames[1] = '\\x00\\x0b\\ud83d ' + {NASTY[0]!r}")
    root = ElementTree.fromstring(saved(shown, "svg", tmp_path))
    name = "{http://www.w3.org/2000/svg}"
    assert {node.tag.removeprefix(name) for node in root.iter()} <= {
        "svg", "rect", "g", "circle", "path", "text",
    }  # fmt: skip
    shapes = [node for node in root.iter() if node.tag in (f"{name}circle", f"{name}path")]
    assert len(shapes) == NUM_DOCS + NUM_TOPICS
    texts = [node.text for node in root.iter(f"{name}text")]
    assert texts[0] == f"{HOSTILE} & more"
    assert f"0 {HOSTILE}" in texts
    assert any(NASTY[0] in text for text in texts)
    fills = Counter(node.get("fill") for node in shapes)
    sizes = [topic["size"] for topic in made.summary["topics"]]
    assert sorted(fills.values()) == sorted(size + 1 for size in sizes)
    evaluate(shown, "selectNode(1); showWhole()")
    root = ElementTree.fromstring(saved(shown, "svg", tmp_path))
    assert next(root.iter(f"{name}text")).text.startswith(f"{HOSTILE} & more · 1 ")
    color_by(shown, "names")
    root = ElementTree.fromstring(saved(shown, "svg", tmp_path))
    assert any("other value" in node.text for node in root.iter(f"{name}text"))


# Labels


def test_labels_stay_with_their_topics_and_off_the_border(shown):
    evaluate(shown, "setView(3, -view.width, -view.height)")
    shown.drawn()
    evaluate(shown, "void (globalThis.laid = layout)")
    seen = {}
    for step in range(12):
        evaluate(shown, f"setView(3, -view.width + {50 * step}, -view.height + {31 * step})")
        shown.drawn()
        width, height = evaluate(shown, "[view.width, view.height]")
        for box in evaluate(shown, "labelBoxes"):
            x, y = evaluate(shown, f"toScreen(...{box['place']})")
            assert 0 <= x <= width, "its topic is in sight"
            assert 0 <= y <= height
            assert box["half"] + 5 < box["x"] < width - box["half"] - 5
            assert box["tall"] + 5 < box["y"] < height - box["tall"] - 5
            key = box["node"], box["subtopic"]
            offset = box["x"] - x, box["y"] - y
            assert seen.setdefault(key, offset) == pytest.approx(offset), "no jump while moving"
    assert len(seen) > 2
    assert evaluate(shown, "layout === globalThis.laid"), "moving the map takes no new layout"
    evaluate(shown, "setView(1, 0, 0)")
    at_the_border = """{place: [9999, 5000], bounds: [[9998, 4999], [9999, 5001]], size: 1,
        half: 0.48 * view.width, style: LABEL}"""
    assert evaluate(shown, f"placeOfLabel({at_the_border}, [], 1)"), "a long name has room too"


def test_further_in_there_are_more_labels(shown, made):
    def at_zoom(zoom):
        evaluate(shown, f"moveTo(...centered({zoom}, ...toBase(...placeOf(0))))")
        shown.drawn()
        return evaluate(shown, "layout.labels.map(({node, subtopic}) => [node, subtopic])")

    assert all(subtopic is None for _, subtopic in at_zoom(1))
    assert [0, 0] in at_zoom(40), "sub-topics have theirs"
    evaluate(shown, "setCut(2)")
    groups = groups_of(made, 2)
    assert len(at_zoom(1)) <= 2
    near = {node for node, _ in at_zoom(40)}
    assert near & set(max(groups, key=len)), "and so have the topics of a group"


# Many topics, small screens, hostile texts


@pytest.fixture(scope="module")
def many():
    """Fifty topics, as large as those of a real corpus: the page must not be as long as a book."""
    rng = np.random.default_rng(0)
    words = {term: f"word{term}" for term in range(200)}
    corpus = [
        [(int(term), 2) for term in rng.choice(4, 3, replace=False) + 4 * (i % 50)]
        for i in range(300)
    ]
    model = small_model(corpus, 50, words, deep_model=np.arange(300) % 50)
    report = Report(
        model, corpus, excerpts=["A text of some words. " * 20] * 300,
        dates=[f"{1990 + i % 20}" for i in range(300)],
        labels=[f"label {i % 50}" for i in range(300)],
    )  # fmt: skip
    return html_page(report.summary, None, "no panel here")


def test_fifty_topics_fit_a_phone(open_page, tmp_path, many):
    path = tmp_path / "report.html"
    path.write_text(many, "utf-8")
    page = open_page(path)
    page.set_viewport_size({"width": 390, "height": 844})
    page.reload()
    shown = Shown(page)
    width = "document.documentElement.scrollWidth"
    assert evaluate(shown, width) == 390
    assert evaluate(shown, "document.documentElement.scrollHeight") < 11_000
    assert page.locator("#cards .content:visible").count() == 0
    assert page.locator("#matrix").is_hidden()
    fold = page.locator("#cards .fold").nth(3)
    fold.click()
    assert fold.get_attribute("aria-expanded") == "true"
    assert page.locator("#cards .content:visible .weights li").count() > 0
    fold.click()
    assert page.locator("#cards .content:visible").count() == 0
    row = page.locator("#legend [data-node='30']")
    row.evaluate("(row) => row.scrollIntoView({block: 'center', behavior: 'instant'})")
    row.click()
    assert page.locator("#opened").is_visible()
    # Its heading is right below the map, although the time line has moved out of the way.
    shown.until("""(() => {
        const below = byId("opened-name").getBoundingClientRect().top - innerHeight * 0.42;
        return below > 0 && below < 100;
    })()""")
    for _ in range(4):  # however far one reads, the map stays in sight
        shown.until("canvas.getBoundingClientRect().top >= 0")
        assert evaluate(shown, "canvas.getBoundingClientRect().bottom < innerHeight / 2 + 20")
        assert in_window(shown, "#opened .back"), "and so does the way back"
        evaluate(shown, "scrollBy(0, 150)")
        shown.drawn()
    assert evaluate(shown, width) == 390
    inside = """[...shown.keys()].filter((i) => shown[i])
        .map((i) => toScreen(documents.x[i], documents.y[i]))
        .filter(([x, y]) => x > 0 && y > 0 && x < view.width && y < view.height).length"""
    assert evaluate(shown, inside) >= 4, "and its documents are there"
    page.locator("#opened .back").click()
    assert in_window(shown, "#legend [data-node='30']"), "where it came from"
    evaluate(shown, "setCut(5)")
    assert page.locator("#legend .row.group").count() <= 5
    page.locator("#by-size").click()
    assert page.locator("#legend .row").count() == 5


def test_names_from_outside_are_text_wherever_they_stand(shown):
    for node in range(2 * NUM_TOPICS - 1):
        evaluate(shown, f"selectNode({node}); showWhole()")
        shown.drawn()
    evaluate(shown, "selectNode(0, 0)")
    assert shown.text("#opened-name") == f"{HOSTILE} inside"
    assert HOSTILE in shown.text("#showing")
    assert HOSTILE in shown.text("#time-title")
    color_by(shown, f"{HOSTILE} column")
    evaluate(shown, "choose(1)")
    assert shown.page.locator("img, [onerror]").count() == 0


def test_what_is_not_known_has_no_controls(open_page, tmp_path):
    report = Report(small_model(num_topics=1), CORPUS)
    path = tmp_path / "report.html"
    path.write_text(html_page(report.summary, None, "no panel here"), "utf-8")
    shown = Shown(open_page(path))
    for selector in ("#time", "#color-control", "#cutting", "#order", "#key", "#opened"):
        assert shown.page.locator(selector).is_hidden(), selector
    shown.page.locator("#legend [data-node='0']").click()
    assert shown.page.locator("#opened").is_visible()
