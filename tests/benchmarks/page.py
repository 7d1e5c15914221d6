"""The page of all of 20 Newsgroups in Chromium: how soon it opens, how long a frame takes.

    DNMF_CORPORA=... python tests/benchmarks/page.py [--topics 20 50]

The page has all that a page can have: dates (made up: the posts have none), labels, columns, links,
sub-topics. It is opened from a file in a new browser, as a person does. A frame is all that the
page's script and the browser's layout do for it, in milliseconds of the page's thread (CPU) and of
the clock (median); a screen of 60 Hz leaves 16.7 ms, one of 30 Hz 33.3 ms.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from pathlib import Path

import numpy as np
from loading import newsgroups
from playwright.sync_api import sync_playwright
from printing import report

from dnmf_topics import DnmfModel
from dnmf_topics.bench import time_call
from dnmf_topics.report import Report
from dnmf_topics.text import build_corpus

SCREENS = {
    "desktop, 1440 x 900": {"viewport": {"width": 1440, "height": 900}},
    "phone, 390 x 844 x 3": {
        "viewport": {"width": 390, "height": 844}, "device_scale_factor": 3, "has_touch": True,
    },
}  # fmt: skip
# What a person does, as a function of the step; each is followed by drawing what has changed.
ACTIONS = {
    "the whole map": "() => drawMap()",
    "zooming": "(n) => zoomAt(1.07, view.width / 2, view.height / 2)",
    "moving the map": "(n) => setView(view.zoom, view.left + (n % 2 ? 9 : -9), view.top)",
    "pointing at documents": "(n) => { setView(1, 0, 0); hover((n * 997) % count); }",
    "cutting the tree": "(n) => setCut(2 + n % (numTopics - 1))",
    "choosing a time": "(n) => setRange(n % 5, numBins - n % 3)",
    "opening topics": "(n) => selectNode(n % numTopics)",
    "coloring by a column": "(n) => { looking.column = columns[n % columns.length]; refresh(); }",
    "typing a search": """(n) => {
      const words = ["encryption", "government", "motorcycle", "television"];
      byId("search").value = words[Math.floor(n / 10) % 4].slice(0, n % 10 + 1);
      search();
    }""",
}
TIMED = """(steps) => {
  setCut(numTopics); selectNode(null); setRange(0, numBins); setView(1, 0, 0);
  looking.column = null; byId("search").value = ""; search();
  const act = (0, ACTION), times = [];
  for (let n = 0; n < steps; n++) {
    const start = performance.now();
    act(n);
    cancelAnimationFrame(frame);
    drawNow();
    document.body.offsetHeight; // the browser's layout
    times.push(performance.now() - start);
  }
  return times;
}"""
OPENED = """() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() =>
  done(performance.now()))))"""
STEPS = 40


def make_page(num_topics, path):
    posts = newsgroups()
    corpus = build_corpus(posts.data)
    model = DnmfModel(corpus.counts, num_topics, corpus.dictionary, random_state=0)
    inside = {}
    for topic in range(min(num_topics, 5)):
        rows = np.flatnonzero(model.cluster_labels == topic)
        inside[topic] = DnmfModel(
            corpus.counts.matrix[rows].T.tocsc(), 4, corpus.dictionary,
            num_clusterings=20, random_state=0,
        )  # fmt: skip
    rng = np.random.default_rng(0)
    days = rng.integers(0, 900, len(posts.data))
    page = Report(
        model, corpus.counts, excerpts=corpus.excerpts,
        labels=[posts.target_names[label] for label in posts.target],
        dates=[str(np.datetime64("1992-01-01") + np.timedelta64(int(day), "D")) for day in days],
        links=[f"https://example.org/{i}" for i in range(len(days))],
        columns={"characters": [len(text) for text in posts.data]},
        subtopics=inside, title="20 Newsgroups",
    )  # fmt: skip
    seconds, _ = time_call(page.save, path)
    report(f"{num_topics} topics: the page is made", f"{seconds:.1f} s")
    report("size", f"{path.stat().st_size / 1e6:.1f} MB")


def measure(path, driver):
    for screen, settings in SCREENS.items():
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_context(offline=True, reduced_motion="reduce", **settings).new_page()
        page.goto(path.as_uri())
        opened = page.evaluate(OPENED)
        report(f"{screen}: opens, with its first picture", f"{opened / 1000:.2f} s", "bar <= 2 s")
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        for name, action in ACTIONS.items():
            before = busy_seconds(session)
            times = page.evaluate(TIMED.replace("ACTION", action), STEPS)
            busy = 1000 * (busy_seconds(session) - before) / STEPS
            report(
                f"{screen}: {name}, ms a frame", f"{busy:.1f}, clock {np.median(times):.1f}",
                "bar <= 30",
            )  # fmt: skip
        browser.close()


def busy_seconds(session):
    """CPU seconds of the page's thread until now."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--topics", type=int, nargs="+", default=[20, 50])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        for num_topics in arguments.topics:
            path = Path(folder, f"{num_topics}.html")
            make_page(num_topics, path)
            measure(path, driver)


if __name__ == "__main__":
    main()
