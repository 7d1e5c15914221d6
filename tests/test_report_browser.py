"""The page as a person uses it, in a browser without a network."""

from __future__ import annotations

import base64
import hashlib

import numpy as np
import pytest
from test_report_page import NASTY
from trained import CLASSES, CORPUS, small_model

from dnmf_topics.report import Report
from dnmf_topics.report.page import html_page

TEXTS = [
    NASTY[i] if i < len(NASTY) else f"Document about class {CLASSES[i]}, numéro {i}"
    for i in range(len(CORPUS))
]
IDS = [f"doc-{i}" for i in range(len(CORPUS))]
LABELS = [f"class {k}" for k in CLASSES]
# From a copy, because the browser warns of reading a canvas that is drawn with its graphics card.
PIXELS = """() => {
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d");
  copy.drawImage(canvas, 0, 0);
  return copy.getImageData(0, 0, canvas.width, canvas.height);
}"""
BRIGHT = f"""() => {{
  const {{data}} = ({PIXELS})();
  let colored = 0;
  for (let i = 0; i < data.length; i += 4) {{
    const part = [data[i], data[i + 1], data[i + 2]];
    if (Math.max(...part) - Math.min(...part) > 60) colored++;
  }}
  return colored;
}}"""
DRAWN = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def digest_of(element):
    """The hash by which the page's policy may allow a script element."""
    script = element.removeprefix("<script>").removesuffix("</script>")
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


class Shown:
    """The page, and what a person does with it."""

    def __init__(self, page):
        self.page = page
        page.emulate_media(reduced_motion="reduce")
        self.drawn()

    def drawn(self):
        self.page.evaluate(DRAWN)

    def until(self, condition):
        """Wait some seconds; the page's own policy forbids playwright's way of waiting."""
        assert self.page.evaluate(
            f"""async () => {{
                for (let n = 0; n < 300 && !({condition}); n++) {{
                    await new Promise(requestAnimationFrame);
                }}
                return {condition};
            }}"""
        ), condition

    def colored(self):
        """How many pixels of the map have a color."""
        self.drawn()
        return self.page.evaluate(BRIGHT)

    def text(self, selector):
        return self.page.locator(selector).text_content()

    def place_of(self, i):
        """Where document i lies in the window."""
        self.page.locator("#canvas").scroll_into_view_if_needed()
        box = self.page.locator("#canvas").bounding_box()
        x, y = self.page.evaluate(f"toScreen(documents.x[{i}], documents.y[{i}])")
        return box["x"] + x, box["y"] + y

    def search(self, words):
        self.page.locator("#search").fill(words)
        return self.text("#found")


@pytest.fixture(scope="module")
def report():
    return Report(
        small_model(), CORPUS, excerpts=TEXTS, ids=IDS, labels=LABELS,
        title=NASTY[0], facts={"input": "<b>"},
    )  # fmt: skip


@pytest.fixture(scope="module")
def html(report):
    return report.html()


@pytest.fixture
def show(open_page, tmp_path):
    def show_report(html, **media):
        path = tmp_path / "report.html"
        path.write_text(html, "utf-8")
        page = open_page(path)
        page.emulate_media(**media)
        return Shown(page)

    return show_report


def test_the_header_says_what_it_is_about(show, html):
    shown = show(html)
    assert shown.text("#title") == NASTY[0]
    assert shown.page.title() == NASTY[0]
    assert shown.text("#numbers") == "45 documents · 3 topics · 46 terms"
    assert "input<b>" in shown.text("#run")
    assert "num_clusterings10" in shown.text("#settings")
    assert "none" not in shown.text("#settings")
    assert shown.page.locator("#unset").is_hidden()
    shown.page.locator("#more summary").click()
    assert "first_layer_sizenone" in shown.text("#unset")
    assert shown.page.locator("#unset").is_visible()


def test_every_document_is_a_dot_that_can_be_read(show, html, report):
    shown = show(html)
    assert shown.colored() > 45 * 20
    for i in range(0, len(CORPUS), 4):
        # Dots that cover each other are told apart further in.
        shown.page.evaluate(f"focusDocument({i}); choose(-1)")
        shown.page.evaluate("zoomAt(4, view.width / 2, view.height / 2)")
        shown.page.mouse.move(*shown.place_of(i))
        assert f"doc-{i} · {LABELS[i]}" in shown.text("#card .about")
        assert shown.text("#card .text").split() == TEXTS[i].split()
        topic = shown.text("#card .topic").split()[0]
        assert int(topic) == report.summary["documents"]["topic"][i]
        shown.page.mouse.move(5, 5)
        assert shown.page.locator("#card").is_hidden()


def test_the_wheel_the_mouse_and_the_keys_move_the_map(show, html):
    shown = show(html)
    shown.page.set_viewport_size({"width": 1400, "height": 1400})  # the page itself need not move

    def view():
        return shown.page.evaluate("[view.zoom, view.left, view.top]")

    x, y = shown.place_of(0)
    shown.page.mouse.move(x, y)
    shown.page.mouse.wheel(0, -300)
    shown.until("view.zoom > 1.3")
    assert shown.place_of(0) == pytest.approx((x, y), abs=1), "what is pointed at stays there"
    before = view()
    shown.page.mouse.down()
    shown.page.mouse.move(x + 30, y + 40, steps=4)
    shown.page.mouse.up()
    assert np.subtract(view(), before).round() == pytest.approx([0, 30, 40], abs=1)
    shown.page.locator("#canvas").press("ArrowLeft")
    assert view()[1] == pytest.approx(before[1] + 90, abs=1)
    shown.page.locator("#canvas").press("+")
    assert view()[0] == pytest.approx(before[0] * 1.5)
    shown.page.locator("#reset").click()
    assert view() == [1, 0, 0]
    shown.page.mouse.dblclick(x, y)
    assert view()[0] == pytest.approx(2)


def test_search_counts_marks_and_dims(show, html):
    shown = show(html)
    bright = shown.colored()
    expected = sum(
        f"{label} {text}".count("1") > 0 for label, text in zip(LABELS, TEXTS, strict=True)
    )
    assert shown.search("CLASS 1") == f"{expected} documents found"
    assert 0 < shown.colored() < bright
    first = shown.page.locator("#results button").first
    assert [mark.lower() for mark in first.locator("mark").all_text_contents()][:1] == ["class"]
    assert shown.search("numéro 17") == "1 document found"
    shown.page.locator("#search").press("Enter")
    assert shown.text("#card .text") == TEXTS[17]
    middle = shown.page.evaluate("[view.width / 2, view.height / 2]")
    at = shown.page.evaluate("toScreen(documents.x[17], documents.y[17])")
    assert at == pytest.approx(middle, abs=1), "the document found is in the middle of the map"
    for typed in ("m", "mé", "num", "numéro 1", "numéro 17", "numéro", "1 num", "1 class num"):
        found = sum(
            all(word in f"{text}\n{doc_id}\n{label}".lower() for word in typed.split())
            for text, doc_id, label in zip(TEXTS, IDS, LABELS, strict=True)
        )
        assert shown.search(typed) == f"{found} document{'' if found == 1 else 's'} found", typed
    assert shown.search("no such words") == "0 documents found"
    assert shown.page.locator("#results li").count() == 0
    assert shown.search("") == ""
    assert shown.colored() == bright, "the whole map again"


def test_phrases_are_found_and_passages_shown(show, report):
    long = "Ämter sowie " + "some words before it " * 20 + "the needle of gold " + "more " * 60
    texts = [long, "gold of needle the", *[""] * (len(CORPUS) - 2)]
    documents = report.summary["documents"] | {"text": [text.strip() for text in texts]}
    shown = show(html_page(report.summary | {"documents": documents}, None, "no panel here"))
    shown.page.evaluate("choose(0)")
    beginning = shown.text("#card .text")
    assert 280 < len(beginning) <= 301
    assert long.startswith(beginning[:-1] + " ")
    assert beginning.endswith("…")
    assert shown.search("needle gold") == "2 documents found"
    assert shown.search('the "needle of  gold"') == "1 document found"
    result = shown.page.locator("#results button > span").last
    assert result.locator("mark").all_text_contents() == ["the", "needle of gold"]
    passage = result.text_content()
    assert len(passage) < 180
    assert passage[0] == passage[-1] == "…"
    assert f" {passage[1:-1]} " in long


def test_any_sign_can_be_searched(show, html):
    shown = show(html)
    for words in (".*", "[", "\\", "</script>", "^$", "(", "العربية", "😀", "-"):
        fields = zip(TEXTS, IDS, LABELS, strict=True)
        count = sum(any(words in field for field in entry) for entry in fields)
        assert shown.search(words) == f"{count} document{'' if count == 1 else 's'} found"
        assert shown.page.locator("#results li").count() == min(count, 20)


def test_a_topic_is_isolated_released_and_linked(show, html, report):
    shown = show(html)
    bright = shown.colored()
    dots = "[...documents.topic.keys()].filter((i) => documents.topic[i] === 1)"
    inside = f"""{dots}.map((i) => toScreen(documents.x[i], documents.y[i]))
        .filter(([x, y]) => x > 0 && y > 0 && x < view.width && y < view.height).length"""
    pressed = shown.page.locator("#legend [aria-pressed=true]")
    for selector, back in (("#legend", "#opened .close"), ("#cards", "#cards [data-node='1']")):
        shown.page.locator(f"{selector} [data-node='1']").click()
        assert shown.page.url.endswith("#topic-1")
        assert shown.page.evaluate("view.zoom") > 1.5, "it is brought into view"
        assert shown.page.evaluate(inside) >= 2 / 3 * report.summary["topics"][1]["size"]
        shown.page.locator("#reset").click()
        assert 0 < shown.colored() < bright / 2
        assert pressed.count() == 1
        assert shown.text("#showing").startswith("1 ")
        shown.page.locator(back).click()
        assert "#topic" not in shown.page.url
        assert shown.page.evaluate("view.zoom") == 1
        assert shown.colored() == bright
    shown.page.evaluate("location.hash = 'topic-2'")
    shown.until("looking.topic === 2")
    shown.page.reload()
    shown.drawn()
    assert shown.page.evaluate("looking.topic") == 2
    assert shown.page.evaluate("view.zoom") > 1.5
    size = report.summary["topics"][2]["size"]
    assert shown.search("doc-") == f"{size} documents found in topic 2"
    shown.search("")
    shown.page.keyboard.press("Escape")
    assert shown.colored() == bright


def test_labels_keep_off_the_dots_the_buttons_and_each_other(show, html):
    shown = show(html)
    shown.drawn()
    assert shown.page.evaluate("labelBoxes.map((box) => box.node).sort()") == [0, 1, 2]
    assert shown.page.evaluate("""() => {
        const boxes = [...labelBoxes, boxOf(document.querySelector(".controls"))];
        const apart = (a, b) => Math.abs(a.x - b.x) >= a.half + b.half
            || Math.abs(a.y - b.y) >= a.tall + b.tall;
        return boxes.every((one, at) => boxes.slice(at + 1).every((other) => apart(one, other)));
    }""")
    covered = """labelBoxes.map(({x, y, half, tall}) => {
        let n = 0;
        visitWithin(toMap(x - half, y - tall), toMap(x + half, y + tall), () => n++);
        return n;
    })"""
    assert max(shown.page.evaluate(covered)) <= 2
    shown.page.evaluate("data.topics[1].size = 1; layout.key = null; drawMap()")
    shown.drawn()
    assert shown.page.evaluate("labelBoxes.map((box) => box.node).sort()") == [0, 2]
    shown.page.evaluate("moveTo(...centered(2, ...toBase(...placeOf(1))))")
    shown.drawn()
    assert 1 in shown.page.evaluate("labelBoxes.map((box) => box.node)"), "further in it has one"


def test_enter_reads_the_document_in_the_middle_and_escape_closes_it(show, html):
    shown = show(html)
    shown.page.evaluate("focusDocument(30); choose(-1)")
    shown.page.evaluate("zoomAt(8, view.width / 2, view.height / 2)")
    shown.page.locator("#canvas").press("Enter")
    assert "doc-30 " in shown.text("#card .about")
    shown.page.keyboard.press("Escape")
    assert shown.page.locator("#card").is_hidden()


def test_topics_show_their_words_and_documents(show, html, report):
    shown = show(html)
    for k, topic in enumerate(report.summary["topics"]):
        card = shown.page.locator("#cards article").nth(k)
        assert card.locator(".weights bdi").all_text_contents() == [
            word for word, *_ in topic["words"][:10]
        ]
        assert card.locator(".size").text_content().startswith(f"{topic['size']} documents")
        for place, i in enumerate(topic["documents"][:3]):
            shown_text = card.locator(".typical .text").nth(place)
            assert shown_text.text_content().split() == TEXTS[i].split()
    card.locator(".typical button").first.click()
    assert f"doc-{topic['documents'][0]} " in shown.text("#card .about")


def test_pairs_of_topics_are_told_in_words(show, html, report):
    shown = show(html)
    shown.page.locator("#matrix").press("ArrowRight")
    shown.page.locator("#matrix").press("ArrowRight")
    cosines, order = report.summary["similarity"].values()
    assert shown.text("#pair b") == f"{cosines[order[0]][order[1]]:.2f}"
    shown.page.locator("#matrix").hover()
    assert "Both have: " in shown.text("#pair")
    words = [
        {word: ratio for word, _, ratio in topic["words"]} for topic in report.summary["topics"]
    ]
    both = sorted(min(words[0][word], words[1][word]) for word in words[0].keys() & words[1].keys())
    shared = shown.page.evaluate("sharedWords(0, 1)").split(", ")
    assert [min(words[0][word], words[1][word]) for word in shared] == both[::-1][:6]
    assert shown.page.locator("#pairs li").count() == 3


def test_the_table_of_labels_holds_the_counts(show, html, report):
    shown = show(html)
    table = report.summary["labels"]
    assert shown.page.locator("thead th").all_text_contents() == table["names"]
    cells = shown.page.locator("tbody td").all_text_contents()
    assert [int(cell or 0) for cell in cells] == np.ravel(table["counts"]).tolist()


def test_the_pyldavis_panel_works_and_follows_the_topic(show, html):
    shown = show(html)
    assert shown.page.locator("iframe").count() == 0, "it costs nothing until it is opened"
    shown.page.locator("#words summary").click()
    panel = shown.page.frame_locator("iframe")
    panel.locator("#ldavis .dot").first.wait_for()
    assert panel.locator("#ldavis .txt").all_text_contents() == ["0", "1", "2"]
    panel.locator("#ldavis .dot").nth(2).click()
    panel.get_by_text("Most Relevant Terms for Topic 2").wait_for()
    shown.page.locator("#legend [data-node='1']").click()
    panel.get_by_text("Most Relevant Terms for Topic 1").wait_for()
    shown.page.locator("#opened .close").click()
    panel.get_by_text("Most Salient Terms").wait_for()


def test_dark_is_the_systems_choice_or_the_buttons(show, html):
    shown = show(html, color_scheme="dark")

    def paper():
        shown.drawn()
        return shown.page.evaluate(f"[...({PIXELS})().data.slice(0, 3)]")

    body = "getComputedStyle(document.body).backgroundColor"
    assert max(paper()) < 60
    dark = shown.page.evaluate(body)
    shown.page.locator("#theme").click()
    assert min(paper()) > 200
    assert shown.page.evaluate(body) != dark
    shown.page.locator("#theme").click()
    assert max(paper()) < 60
    shown.page.emulate_media(color_scheme="light")
    assert min(paper()) > 200
    shown.page.locator("#theme").click()
    shown.page.reload()
    assert max(paper()) < 60, "the choice is remembered"


def test_the_theme_can_be_changed_where_nothing_is_remembered(show, html):
    refusing = (
        "<script>Object.defineProperty(window, 'localStorage', {get() { throw 1; }})</script>"
    )
    policy = "default-src 'none'; script-src "
    html = html.replace(policy, policy + "'sha256-" + digest_of(refusing) + "' ")
    shown = show(html.replace("<title>", refusing + "<title>", 1), color_scheme="light")
    shown.page.locator("#theme").click()
    assert shown.page.evaluate("theme") == "dark"


@pytest.mark.parametrize("width", [360, 390, 820])
def test_nothing_is_wider_than_a_phone(show, html, width):
    shown = show(html)
    shown.page.set_viewport_size({"width": width, "height": 780})
    shown.drawn()
    shown.page.locator("#words summary").click()
    assert shown.page.evaluate("document.documentElement.scrollWidth") == width
    assert shown.colored() > 45 * 10
    shown.page.evaluate("choose(20)")
    box = shown.page.locator("#card").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    for i in range(0, len(CORPUS), 5):  # wherever the page was scrolled to
        shown.page.evaluate(f"choose({i}); scrollTo(0, {10 * i})")
        shown.drawn()
        box = shown.page.locator("#card").bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 780
    legend = shown.page.evaluate("[legend.scrollHeight, legend.clientHeight]")
    assert legend[0] == legend[1], "all topics are in sight"
    assert shown.page.locator("#sideways").is_visible()
    shown.page.locator("#legend [data-node='2']").click()
    shown.until("canvas.getBoundingClientRect().top >= 0")
    shown.until("canvas.getBoundingClientRect().bottom <= innerHeight")


def test_fingers_scroll_the_page_until_they_zoom_the_map(show, html, report):
    shown = show(html)
    shown.page.set_viewport_size({"width": 390, "height": 1200})
    action = "getComputedStyle(canvas).touchAction"
    assert shown.page.evaluate(action) == "pan-y"
    places = np.array([report.summary["documents"]["x"], report.summary["documents"]["y"]])
    central = int(np.abs(places - 5000).max(axis=0).argmin())
    x, y = (round(part) for part in shown.place_of(central))
    touch = shown.page.context.new_cdp_session(shown.page)
    for kind, apart in [("touchStart", 20), ("touchMove", 40), ("touchMove", 60), ("touchEnd", 0)]:
        points = [{"x": x - apart, "y": y, "id": 0}, {"x": x + apart, "y": y, "id": 1}]
        touch.send(
            "Input.dispatchTouchEvent", {"type": kind, "touchPoints": points if apart else []}
        )
    shown.until("view.zoom > 2.5")
    assert shown.place_of(central) == pytest.approx((x, y), abs=2)
    assert shown.page.evaluate(action) == "none"
    for kind, points in [("touchStart", [{"x": x, "y": y}]), ("touchEnd", [])]:
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    shown.until(f"looking.chosen === {central}")
    assert shown.page.locator("#card").is_visible()


def test_texts_of_any_script_are_text(show, html):
    shown = show(html)
    for i, text in enumerate(NASTY):
        shown.page.evaluate(f"choose({i})")
        assert shown.text("#card .text").split() == text.split()
    assert shown.page.locator("#card script, #results script, #cards script").count() == 0


CORNERS = {
    "only a model": (CORPUS, 3, {}),
    "one topic": (CORPUS, 1, {"excerpts": TEXTS}),
    "one document": ([[(0, 1), (1, 2)]], 1, {"excerpts": ["one"]}),
    "empty documents": ([*CORPUS[:20], [], []], 2, {"ids": [f"d{i}" for i in range(22)]}),
    "more topics than documents": (CORPUS[:4], 9, {"labels": ["a", None, "a", "b"]}),
    "many topics": (CORPUS, 22, {"labels": LABELS}),
}


@pytest.mark.parametrize("name", CORNERS)
def test_corner_cases_are_drawn(show, name):
    corpus, num_topics, options = CORNERS[name]
    weighting = "none" if len(corpus) == 1 else "auto"
    model = small_model(corpus, num_topics, weighting=weighting)
    shown = show(Report(model, corpus, **options).html())
    assert shown.colored() > 0
    assert shown.page.locator("#cards article").count() == num_topics
    assert shown.page.locator("#labels").is_visible() == ("labels" in options)
    assert shown.page.locator("#similarity").is_visible() == (num_topics > 1)
    shown.page.evaluate("for (const node of nodes) { selectNode(node); drawNow(); }")
    shown.page.evaluate("for (let n = 2; n < numTopics; n++) { setCut(n); drawNow(); }")
    shown.page.evaluate("selectNode(null)")
    last = len(model.get_document_info().query("confidence > 0")) - 1
    shown.page.evaluate(f"choose({last})")
    known = options["ids"][last] if "ids" in options else f"Document {last}"
    assert known in shown.text("#card .about")
    shown.page.locator("#words summary").click()
    shown.page.frame_locator("iframe").locator("#ldavis .dot").first.wait_for()


def test_why_there_is_no_panel_is_said(show, html, report):
    shown = show(html_page(report.summary, None, "no panel here"))
    shown.page.locator("#words summary").click()
    # A browser tells the page a little later that something was opened.
    shown.page.locator("#words-facts:not(:empty)").wait_for()
    assert shown.text("#words-facts") == "pyLDAvis cannot show these topics: no panel here"
    assert shown.page.locator("iframe").count() == 0


def test_twenty_thousand_documents_and_many_topics_stay_usable(show, html, report):
    """The page does the same for each document, however many there are: nothing is made for it."""
    rng = np.random.default_rng(0)
    count, num_topics = 20_000, 50
    topics = rng.integers(num_topics, size=count)
    centers = rng.integers(1000, 9000, size=(num_topics, 2))
    x, y = (centers[topics] + rng.normal(scale=300, size=(count, 2))).clip(0, 10_000).round().T
    topic = report.summary["topics"][0]
    summary = report.summary | {
        "num_documents": count,
        "num_topics": num_topics,
        "topics": [
            topic | {"place": place, "bounds": [place, place], "size": 400}
            for place in centers.tolist()
        ],
        "documents": {
            "x": x.tolist(), "y": y.tolist(), "topic": topics.tolist(),
            "num_parts": [3] * count,
            "part_topic": ((topics[:, None] + [0, 1, 2]) % num_topics).ravel().tolist(),
            "part_percent": [50, 30, 20] * count,
            "id": None, "label": None, "link": None, "time": None, "date": None,
            "subtopic": [None] * count, "text": [f"{'word ' * 45}number{i}." for i in range(count)],
        },
        "similarity": {"cosines": np.eye(num_topics).tolist(), "order": [*range(num_topics)]},
        "labels": None,
        "tree": None,
        "subtopics": [[]] * num_topics,
    }  # fmt: skip
    shown = show(html_page(summary, None, "no panel here"))
    nodes = "document.querySelectorAll('*').length"
    before = shown.page.evaluate(nodes)
    assert before < 100 * num_topics
    assert shown.colored() > 50_000
    assert shown.search("number12345.") == "1 document found"
    shown.page.locator("#search").press("Enter")
    assert shown.text("#card .text").endswith("number12345.")
    assert shown.search("word") == "20,000 documents found"
    shown.page.evaluate("choose(-1)")
    for _ in range(5):
        shown.page.locator("#zoom-in").click()
    shown.page.mouse.move(*shown.place_of(12345))
    assert "number" in shown.text("#card .text")
    shown.search("number1")
    shown.page.locator("#legend [data-node='7']").click()
    assert shown.page.evaluate(nodes) - before < 400
    shown.search("")
    shown.page.locator("#mixed").click()
    own = np.bincount((topics[:, None] + [0, 1, 2]).ravel() % num_topics)[7]
    assert shown.text("#found") == f"{own:,} mixed documents found in topic 7"
    assert shown.page.evaluate(nodes) - before < 400
    shown.page.locator("#mixed").click()
    # The grid finds what looking at all documents finds.
    assert shown.page.evaluate("""() => {
        selectNode(null);
        setView(1, 0, 0);
        for (let n = 0; n < 200; n++) {
            const [x, y] = [(n * 37) % view.width, (n * 53) % view.height];
            let nearest = -1, best = 100;
            for (let i = 0; i < count; i++) {
                const [a, b] = toScreen(documents.x[i], documents.y[i]);
                const square = (a - x) ** 2 + (b - y) ** 2;
                if (square < best) [nearest, best] = [i, square];
            }
            const found = documentAt(x, y, 10);
            const apart = (i) => {
                const [a, b] = toScreen(documents.x[i], documents.y[i]);
                return (a - x) ** 2 + (b - y) ** 2;
            };
            if (found < 0 !== nearest < 0) return false;
            if (found >= 0 && apart(found) !== best) return false;
        }
        return true;
    }""")
