# %% [markdown]
# # Large corpora
#
# To run it, in a checkout of the repository: `pip install '.[tutorials]'`.
#
# gensim's users stream: a corpus is read document by document, and need not fit into memory. Here
# it stays that way. This tutorial streams a corpus, keeps tokenized text in a folder, lets a dask
# cluster do the work, and reckons what ten or a hundred million documents would take. The examples
# are small enough to run in a minute; nothing in them changes with the size.

# %%
import contextlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from example_texts import labeled

from dnmf_topics import DnmfModel
from dnmf_topics.text import TextCorpus, build_corpus

temporary = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
folder = Path(temporary.name)
name, texts, labels = labeled()
print(f"{name}: {len(texts)} texts")

# %% [markdown]
# ## A stream
#
# Any iterable of documents will do. This one reads its documents from a file, one line at a time.

# %%
corpus = build_corpus(texts)


class Stream:
    """Bags of words, a line of JSON each."""

    def __init__(self, path):
        self.path = path

    def __iter__(self):
        with open(self.path, encoding="utf-8") as lines:
            for line in lines:
                yield [tuple(pair) for pair in json.loads(line)]


path = folder / "bows.jsonl"
path.write_text("\n".join(json.dumps(bow) for bow in corpus.counts), encoding="utf-8")
options = {"num_topics": 8, "id2word": corpus.dictionary, "random_state": 0}
in_memory = DnmfModel(corpus.counts, **options)
streamed = DnmfModel(Stream(path), **options, max_in_memory=0)

# %% [markdown]
# A model reads its corpus once. Up to `max_in_memory` (document, term) pairs, 10 million if you say
# nothing, it is held in memory, about 20 bytes for a pair. Beyond that it is written to files in a
# temporary folder (`TMPDIR`, or the argument `spool`), and every step of the training goes over
# these files block by block. Here the limit is 0, so that even this small corpus goes that way.
#
# Is it the same model? To the last bit: there is one implementation, and sums are formed in the
# same order wherever the documents are.

# %%
same_labels = np.array_equal(streamed.cluster_labels, in_memory.cluster_labels)
same_topics = np.array_equal(streamed.get_topics(), in_memory.get_topics())
print("the same topics of documents:", same_labels)
print("the same words, bit for bit:", same_topics)

# %% [markdown]
# The folder is removed when the training ends. Should the process be killed, the next training
# removes what it left.
#
# What a model keeps of its documents is bounded: their topics, the share of the topic and how
# typical of it they are, three numbers for each. Up to 65,536 documents it also keeps the shares of
# all topics (`doc_topics`) and how the network sees the documents (`doc_embedding`). Beyond that,
# `get_document_info(corpus, full=True)` computes shares whenever you ask, part by part.
#
# ## Text, tokenized once
#
# Tokenizing takes longer than reading counts, so nobody wants to do it in every pass. With a
# folder, `build_corpus` reads its source once and leaves counts, ids, labels and the beginnings of
# the texts on the disk; memory holds the words, and some documents at a time. The source may be a
# file, a folder of `.jsonl`, `.csv` or `.parquet` files, or any iterable.

# %%
source = folder / "texts"
source.mkdir()
for number in range(4):
    rows = [
        {"text": text, "label": label}
        for text, label in zip(texts[number::4], labels[number::4], strict=True)
    ]
    lines = "\n".join(json.dumps(row) for row in rows)
    (source / f"{number}.jsonl").write_text(lines, encoding="utf-8")

on_disk = build_corpus(source, folder=folder / "corpus")
print(on_disk)
for part in sorted((folder / "corpus").iterdir()):
    print(f"{part.name:24} {part.stat().st_size:>9,} bytes")

# %% [markdown]
# The folder is complete or absent, and it stays until you remove it. Another program opens it with
# `TextCorpus.load`, at once, as nothing is read before it is needed. A model takes its counts from
# there without copying them.

# %%
again = TextCorpus.load(folder / "corpus")
model = DnmfModel(again.counts, 8, again.dictionary, random_state=0)
for topic, words in model.show_topics(3, 6, formatted=False):
    print(topic, " ".join(word for word, _ in words))

# %% [markdown]
# The command line does all of this by itself where the input is large:
#
#     dnmf-topics fit abstracts.jsonl --num-topics 50 --out topics --processes 4 --spool /data/tmp
#
# `--spool` names a disk with room. The page embeds every document, so that there is none of corpora
# beyond 65,536 documents that were kept on the disk.
#
# ## A cluster
#
# A cluster of [dask](https://www.dask.org) has a scheduler, and workers on any number of machines.
# They need dnmf_topics in the same version, and a folder that all of them see under one path, such
# as a network disk, to be named with `spool=`. On one machine the default will do. Here are one
# scheduler and two workers, started as one would start them on machines of their own.

# %%
scheduler_file = folder / "scheduler.json"
log = (folder / "cluster.log").open("w")
dask = [sys.executable, "-m", "dask"]
place = ["--scheduler-file", str(scheduler_file)]
private = ["--host", "127.0.0.1"]  # others cannot reach this one
processes = [subprocess.Popen([*dask, "scheduler", *private, "--port", "0", *place], stderr=log)]
for _ in range(2):
    worker = [*dask, "worker", *private, *place, "--nthreads", "1", "--no-dashboard"]
    processes.append(subprocess.Popen([*worker, "--local-directory", str(folder)], stderr=log))

# %% [markdown]
# LdaModel's own words for it, `distributed=True`, mean the current client. Instead of one,
# `ns_conf` may name the address of a scheduler: `ns_conf={"address": "tcp://10.0.0.1:8786"}`.

# %%
from dask.distributed import Client, get_task_stream

client = Client(scheduler_file=str(scheduler_file))
client.wait_for_workers(2)
with get_task_stream(client) as tasks:
    distributed = DnmfModel(again.counts, 8, again.dictionary, random_state=0, distributed=True)
print(
    "the same topics of documents:",
    np.array_equal(distributed.cluster_labels, model.cluster_labels),
)
print("the same words, bit for bit:", np.array_equal(distributed.get_topics(), model.get_topics()))

# %% [markdown]
# ## Reading the dashboard
#
# `dask scheduler` prints the address of its dashboard (with `pip install bokeh`). Its task stream
# shows who does what, and when: a row for each worker, a bar for each task, in the color of its
# stage. Here is the one of the training above, drawn from the same records.
#
# Stages have the names of the functions that work on a block: `code_rows` are the layers of the
# network, `cluster_view` the ways of grouping that are compared, and what ends in `-sum` adds up
# what blocks found. In larger corpora most of the time goes into `find_best_and_posteriors`, the
# passes of the refinement. Gaps mean that workers wait: for the driver, which embeds and clusters
# the documents that the network saw (a bounded number, 65,536 or little more, however many there
# are), or for each other at the end of a pass. A small corpus is one block of up to 32,768
# documents, and has nothing to share out: a cluster is for millions of documents.

# %%
records = [
    (task["key"][0].rsplit("-", 1)[0] if isinstance(task["key"], tuple) else str(task["key"]), task)
    for task in tasks.data
]
bars = pd.DataFrame(
    {"stage": stage, "worker": task["worker"], "start": part["start"], "stop": part["stop"]}
    for stage, task in records
    for part in task["startstops"]
    if part["action"] == "compute"
)
bars[["start", "stop"]] -= bars["start"].min()
workers = sorted(bars["worker"].unique())
longest = bars.assign(seconds=bars["stop"] - bars["start"]).groupby("stage")["seconds"].sum()
stages = longest.sort_values(ascending=False).index[:6]
figure, axes = plt.subplots(figsize=(9, 2.4))
for number, stage in enumerate(stages):
    of_stage = bars[bars["stage"] == stage]
    axes.barh(
        [workers.index(worker) for worker in of_stage["worker"]],
        of_stage["stop"] - of_stage["start"],
        left=of_stage["start"], label=stage, color=f"C{number}",
    )  # fmt: skip
axes.set(yticks=range(len(workers)), yticklabels=[f"worker {i + 1}" for i in range(len(workers))])
axes.set(xlabel="seconds", title="Who did what, and when")
axes.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
figure.tight_layout()
plt.show()

# %% [markdown]
# A worker that dies changes nothing: its tasks run again on another one. If the scheduler is gone,
# that is one error, and the model stays as it was.
#
# The command line connects with `--cluster tcp://10.0.0.1:8786`, or starts workers on this machine
# for as long as it runs, with `--workers 4`. With a folder of files as its input, each file is read
# and tokenized by one task, wherever that runs.

# %%
client.close()
for process in reversed(processes):
    process.terminate()
for process in processes:
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=20)
log.close()

# %% [markdown]
# ## Planning
#
# What would ten million documents take, or a hundred million? The network costs the same for all of
# them, as it sees a bounded number of documents. What grows are passes over all documents: few for
# TF-IDF, words and shares, and up to 76 in the refinement.
#
# `plan` adds it up. Its constants of time were measured on one core of the machine that the
# benchmark in `tests/benchmarks/large.py` ran on, with a million texts of 140 words, 63 of them
# different and known, 50 topics and a vocabulary of 100,000 words.

# %%
TEXT_SECONDS = 82e-6  # a document, tokenized and counted
PASS_SECONDS = 0.8e-9  # a (document, term) pair, for each topic, in one pass of the refinement
OTHER_SECONDS = 17e-6  # a document, in all other passes together
NETWORK_SECONDS = 24  # whatever the number of documents
MOST_PASSES = 76  # of the refinement
NUM_SEEN = 65_536  # documents that the network sees, about
DISK_BANDWIDTH, NETWORK_BANDWIDTH = 500e6, 100e6  # bytes a second; put in yours


def plan(num_docs, num_workers, *, pairs_per_doc=63, num_terms=100_000, num_topics=50, passes=None):
    """What a training needs, with so many workers of one core each."""
    passes = MOST_PASSES if passes is None else passes
    pairs = num_docs * pairs_per_doc
    array = 8 * num_terms * num_topics  # words x topics
    on_disk = {"counts": 5 * pairs + 8 * num_docs, "units": 8 * pairs + 8 * num_docs}
    cpu = num_docs * (TEXT_SECONDS + OTHER_SECONDS) + pairs * num_topics * passes * PASS_SECONDS
    read = passes * on_disk["units"]
    # The topics' words go to every worker, their sums come back, and so do documents' topics: an
    # array in two passes either way, or half as long numbers in each.
    moved = passes * (num_workers * array + 2 * 8 * num_docs)
    return {
        "documents": num_docs,
        "workers": num_workers,
        "hours": (NETWORK_SECONDS + cpu / num_workers) / 3600,
        "hours of reading": read / DISK_BANDWIDTH / num_workers / 3600,
        "hours of moving": moved / NETWORK_BANDWIDTH / 3600,
        "disk, GB": sum(on_disk.values()) / 1e9,
        "read, GB": read / 1e9,
        "moved, GB": moved / 1e9,
        "driver, GB": (48 * num_docs + 12 * array + 10_000 * NUM_SEEN) / 1e9,
    }


plans = pd.DataFrame(
    plan(num_docs, num_workers)
    for num_docs, num_workers in [(10**6, 2), (10**7, 2), (10**7, 16), (10**8, 16), (10**8, 128)]
)
print(plans.round(2).to_string(index=False))

# %% [markdown]
# Ten million documents are half an hour on two cores. A hundred million want a cluster and a driver
# with some gigabytes, as it holds six numbers for each document, and a fast network: with 128
# workers more time goes into moving the topics' words than into computing with them.
# What is read stays in memory (the system keeps files there that were just read) as long as the
# workers' memory together is larger than the disk column; otherwise every pass reads the disk.
#
# These are sums, not promises. Time your own documents with a hundred thousand of them first, put
# your constants in, and look whether the plan meets the run.
#
# ## Updates
#
# New documents need no new training: `model.update(more)` gives them to the topics there are, and
# `model.refine(corpus)`, where all documents are still at hand, lets all of them, old and new, look
# again for the topic that suits them. On half of 20 Newsgroups, then the other half, an update
# reaches an accuracy of .72, refinement brings it to .78, and a training with all documents at once
# has .77.
