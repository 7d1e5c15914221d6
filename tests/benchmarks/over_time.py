"""Topics over time: the stories of Reuters-21578, of 26 February to 20 October 1987.

    DNMF_CORPORA=... python tests/benchmarks/over_time.py [--topics 20]

The archive has the stories of March and early April, of some days in June, and of 19 and 20
October, the days of the crash. For each topic: how many of its stories each week has, as a share of
the week's stories (a dot for a week without any), and the words that its stories of a week have
more often than all its stories. What must be seen: the words of the crash in its week, in a topic
of markets; the season of quarterly results, in April and October; what else the news were then.

Then how MIN_DEVIANCE of dnmf_topics/model/changes.py was set: how many words are told at several
limits, and how many if the stories of each topic exchange their dates at random.
"""

from __future__ import annotations

import argparse
import math
import time

import numpy as np
from loading import folder, preparation
from printing import report

from dnmf_topics import DnmfModel
from dnmf_topics.model import changes
from dnmf_topics.text import Document, build_corpus

CRASH_WEEK = "1987-10-19"
BARS = " ▁▂▃▄▅▆▇█"


def stories():
    """All that have a body, with their day."""
    read = preparation("reuters").read_archive(folder() / "reuters21578/reuters21578.tar.gz")
    for story in read:
        if story.body and story.date:
            yield Document(story.text, story.id, columns={"date": story.date.split()[0]})


def line_of(shares, largest):
    """A bar for each week."""
    steps = np.ceil(shares / largest * (len(BARS) - 1))
    return "".join("·" if np.isnan(step) else BARS[int(step)] for step in steps)


def main(num_topics):
    corpus = build_corpus(stories())
    start = time.perf_counter()
    model = DnmfModel(corpus.counts, num_topics, corpus.dictionary, random_state=0)
    fitted = time.perf_counter()
    table = model.topics_over_time(corpus.columns["date"], corpus.counts, topn=8)
    told = time.perf_counter()
    report("stories, words", f"{len(corpus)}, {len(corpus.dictionary)}")
    report("training", f"{fitted - start:.1f} s")
    report("topics_over_time", f"{told - fitted:.2f} s")
    for topic, rows in table.groupby("topic"):
        print(f"\n{topic:2} {rows['name'].iloc[0]}: {rows['size'].sum()} stories")
        shares = rows["share"].to_numpy()
        print(f"   |{line_of(shares, np.nanmax(shares))}| up to {np.nanmax(shares):.1%}")
        for row in rows.itertuples():
            if row.words:
                print(f"   {row.start:%d %b} {row.size:4} {row.share:6.1%}  {' '.join(row.words)}")
    print()
    crash = table[table["start"] == CRASH_WEEK].set_index("topic")
    words = {"crash", "collapse", "panic", "plunge", "wall"}
    found = [topic for topic, row in crash.iterrows() if words & set(row["words"])]
    usual = table[table["start"] < CRASH_WEEK].groupby("topic")["share"].mean()
    rise = crash["share"] / usual
    report("topics with words of the crash in its week", str(found))
    report("the topic that rose the most then", f"{rise.idxmax()}, {rise.max():.1f} times")

    print()
    for probability in (100, 300, 1000, 10_000):
        changes.MIN_DEVIANCE = 2 * math.log(probability)
        told = num_words(model, corpus, corpus.columns["date"])
        by_chance = num_words(model, corpus, exchanged(corpus.columns["date"], model))
        report(f"words at 2 log({probability}), with exchanged dates", f"{told}, {by_chance}")


def num_words(model, corpus, dates):
    return sum(map(len, model.topics_over_time(dates, corpus.counts)["words"]))


def exchanged(dates, model):
    """The dates in another order, the same for each topic."""
    dates, rng = np.array(dates, dtype=object), np.random.default_rng(0)
    for topic in range(model.num_topics):
        members = np.flatnonzero(model.cluster_labels == topic)
        dates[members] = dates[rng.permutation(members)]
    return dates


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--topics", type=int, default=20)
    main(parser.parse_args().topics)
