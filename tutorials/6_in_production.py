# %% [markdown]
# # In production
#
# To run it, in a checkout of the repository: `pip install '.[tutorials]'`.
#
# A model that works on your desk has to be stored, loaded by another program, asked by many at
# once, and kept up to date. This tutorial goes through these steps with one small model, and
# through what can go wrong on the way.

# %%
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from example_texts import news, newsgroups

from dnmf_topics import DnmfModel
from dnmf_topics.text import TextCorpus, build_corpus

temporary = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
folder = Path(temporary.name)

# %% [markdown]
# The first 250 of 300 news items are here today, the others come tomorrow.

# %%
texts = news()
today = build_corpus(texts[:250])
model = DnmfModel(today.counts, num_topics=10, id2word=today.dictionary, random_state=0)
for topic, words in model.show_topics(10, 7, formatted=False):
    print(topic, " ".join(word for word, _ in words))

# %% [markdown]
# ## Saving and loading
#
# `save` writes JSON and plain arrays, no pickle: a file from a stranger cannot run code when it is
# loaded. The corpus has a `save` of its own. It keeps the dictionary and the steps from text to
# words, so that another program can treat new text as the training text was treated. If these steps
# name a spaCy pipeline, whoever loads the file must allow it, `TextCorpus.load(path, allow=...)`.

# %%
model.save(folder / "model.dnmf")
today.save(folder / "corpus.dnmf")
loaded = DnmfModel.load(folder / "model.dnmf")
steps = TextCorpus.load(folder / "corpus.dnmf")

question = "The batsmen scored a century before lunch on the third day of the test"
[bow] = steps.bows([question])
for name, found in {"saved": model, "loaded": loaded}.items():
    topic, share = max(found[bow], key=lambda pair: pair[1])
    print(f"{name}: topic {topic} with a share of {share}")

# %% [markdown]
# A name that ends in `.gz` makes a compressed file. With `mmap="r"`, `load` maps the arrays of a
# file that is not compressed instead of reading them, so that several processes on a machine share
# one copy in memory. A service that only sees new documents can leave the training documents'
# topics out. That saves little here, since it grows with documents x topics.

# %%
model.save(folder / "model.dnmf.gz")
model.save(folder / "small.dnmf", ignore="doc_topics")
mapped = DnmfModel.load(folder / "model.dnmf", mmap="r")
print("the words of the topics are now a", type(mapped.expElogbeta).__name__)
for path in sorted(folder.iterdir()):
    print(f"{path.stat().st_size:>9,} bytes  {path.name}")

# %% [markdown]
# A file is checked as a whole before any of it is used. Here one is cut short, one has a single bit
# flipped, and one is something else.

# %%
import gzip
import io

whole = (folder / "model.dnmf").read_bytes()
flipped = bytearray(whole)
flipped[len(whole) // 2] ^= 1
damages = {"short": whole[:1000], "flipped": bytes(flipped), "other": gzip.compress(b"hello")}
refusals = {}
for name, content in damages.items():
    try:
        DnmfModel.load(io.BytesIO(content))
    except ValueError as error:
        refusals[name] = str(error)
        print(f"{name}: {error}\n")

# %% [markdown]
# Saving over an old file replaces it at the last moment, when the new one is complete. A full disk
# or a power cut leaves the old model, not half a one. Several processes may save to one place and
# load from there at the same time: each that loads gets one whole model.
#
# ## The same result again
#
# A whole number as `random_state` fixes everything. The same fit makes the same file, byte for
# byte, so a checksum of the file tells whether a model is the one that was tested. The number of
# threads, `n_jobs`, does not change the topics. It is one of the settings that the file keeps,
# though: with another number the file is another one, while the topics are the same bit for bit.


# %%
import hashlib


def fit_again(random_state, n_jobs):
    """A model of the same news."""
    settings = {"num_topics": 10, "random_state": random_state, "n_jobs": n_jobs}
    return DnmfModel(today.counts, id2word=today.dictionary, **settings)


def checksum(found):
    """SHA-256 of the file that the model is saved to."""
    found.save(folder / "checked.dnmf")
    return hashlib.sha256((folder / "checked.dnmf").read_bytes()).hexdigest()


models = {
    "seed 0": model,
    "seed 0, again": fit_again(0, -1),
    "seed 0, loaded": loaded,
    "seed 0, one thread": fit_again(0, 1),
    "seed 0, two threads": fit_again(0, 2),
    "seed 1": fit_again(1, -1),
}
again = pd.DataFrame(
    {
        "checksum of the file": [checksum(found)[:16] for found in models.values()],
        "same topics": [
            np.array_equal(found.get_topics(), model.get_topics()) for found in models.values()
        ],
    },
    index=list(models),
)
print(again.to_string())

# %% [markdown]
# "Bit for bit" holds on one machine with one set of libraries. Another processor or another version
# of numpy may round the last digit differently.
#
# ## Many questions at once
#
# Reading a model never writes to it, so any number of threads may share one. Asked by eight
# threads, it gives the answers that it gives one after another.

# %%
from concurrent.futures import ThreadPoolExecutor

questions = steps.bows(texts)
one_by_one = [model[bow] for bow in questions]
with ThreadPoolExecutor(8) as threads:
    at_once = list(threads.map(model.__getitem__, questions))
print("the same answers:", at_once == one_by_one)

# %% [markdown]
# If the documents are all there, do not ask for them singly: `model.inference(corpus)` takes them
# together, and divided by its sums that is the table of all topic shares.
#
# A service is a few lines more. This one takes a text and returns the words of its main topic.
# Python's own server keeps this short; in production put the same lines into your web framework.


# %%
import http.client
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Answer(BaseHTTPRequestHandler):
    """POST a text, get its main topic as JSON."""

    def do_POST(self):
        """Called by the server, in a thread for each question."""
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        [bow] = steps.bows([text])
        topic, share = max(loaded[bow], key=lambda pair: pair[1])
        words = [word for word, _ in loaded.show_topic(topic, 5)]
        body = json.dumps({"topic": topic, "share": round(share, 3), "words": words}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        """Quiet."""


server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
threading.Thread(target=server.serve_forever, daemon=True).start()

connection = http.client.HTTPConnection(*server.server_address)
connection.request("POST", "/", question)
reply = json.loads(connection.getresponse().read())
print(reply)

connection.close()
server.shutdown()
server.server_close()

# %% [markdown]
# ## Documents without words
#
# Empty texts come in sooner or later, and texts with none but new words. They are no error. Such a
# document says nothing, so its topic shares are the prior `alpha`; in a table, where it needs one
# topic, it gets the largest one with a confidence of 0, and no topic counts it. An id that the
# vocabulary does not have is ignored, with a warning.

# %%
import warnings

empty, unknown = steps.bows(["", "Zzyzx qwertyuiop"])
print("words found:", empty, unknown)
print("shares:", [round(float(share), 3) for _, share in model[empty]])
in_table = model.get_document_info([empty, unknown])[["topic", "confidence"]]
print("in the table:", in_table.to_dict("list"))

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    with_foreign_id = model[[*bow, (999_999, 1)]]
print("the same as without it:", with_foreign_id == model[bow])
print("warning:", caught[0].message)

# %% [markdown]
# ## Tomorrow's documents
#
# `update` folds new documents in: each goes to one of the topics that there are, and the words of
# the topics are made anew from the sums over all documents, old and new. Nothing is forgotten, and
# nothing needs the old texts again.
#
# A model that others are reading should not change under them. So update a copy, and let the
# service take the new one when it is ready.

# %%
import copy

tomorrow = steps.bows(texts[250:])
fresh = copy.deepcopy(model)
fresh.update(tomorrow)

moved = np.abs(fresh.get_topics() - model.get_topics()).sum(axis=1) / 2
old_and_new = pd.DataFrame(
    {
        "documents before": np.bincount(model.cluster_labels, minlength=10),
        "after": np.bincount(fresh.cluster_labels, minlength=10),
        "words changed by": moved,
    }
)
print(old_and_new.round(3).to_string())
kept = fresh.cluster_labels[:250] == model.cluster_labels
print(f"old documents that are still in their topic: {kept.sum()} of {kept.size}")
print("topics by size before:", model.topic_order())
print("topics by size after: ", fresh.topic_order())

# %% [markdown]
# What changes: the weights of the words (the last column is the share that went from some words to
# others), the sizes of the topics, and the IDF weights. What does not: the number of topics, the
# vocabulary, and the topics that the old documents were put into. A fit numbers its topics by size.
# An update keeps the numbers; `topic_order()` gives the order by size.
#
# A story that is new in the world gets a topic of its own if the update is asked for one more
# (`new_topics=1`). Words that the dictionary does not have are not seen. When they matter, fit
# anew.
#
# The sums behind this are in `model.state`, and two of them can be merged. So several workers can
# read a part of the new documents each, with a copy of the same model. Together they find what one
# would.

# %%
from dnmf_topics.model import DnmfState

halves = [tomorrow[:25], tomorrow[25:]]
parts = [DnmfState(model.num_topics, model.num_terms) for _ in halves]
for half, part in zip(halves, parts, strict=True):
    model.do_estep(half, part)
merged, other_part = parts
merged.merge(other_part)

alone = DnmfState(model.num_topics, model.num_terms)
model.do_estep(tomorrow, alone)
print("the same sums:", np.allclose(merged.sstats, alone.sstats), merged.numdocs, alone.numdocs)

# %% [markdown]
# Merged into a copy of the model, they give its topics the words that `update` gives them, and so
# the next documents the same shares. How sure the one topic is that a document is put into, the
# column `confidence`, differs a little: the workers weight words by the document frequencies that
# were known before, while `update` also counts those of the new documents.

# %%
collected = copy.deepcopy(model)
collected.state.merge(merged)
collected.sync_state()  # the words of the topics, from the state

same_words = np.allclose(collected.get_topics(), fresh.get_topics())
one, other = (found.get_document_info(tomorrow, full=True) for found in (collected, fresh))
same_shares = np.allclose(one.drop(columns="confidence"), other.drop(columns="confidence"))
differing = (one["confidence"] - other["confidence"]).abs()
print(f"{collected.state.numdocs} documents; the same words: {same_words}")
print(f"the same topics and shares: {same_shares}")
print(f"the confidence differs by {differing.mean():.4f} in the mean")

# %% [markdown]
# States of two models that were fitted apart cannot be merged in a useful way: topic 3 of one is
# not topic 3 of the other.
#
# ## Progress, canceling, logging
#
# `DnmfModel(show_progress=True)` draws a bar for each stage. For a display of your own,
# `fit_topics` takes a function that it calls with an event after every step. What the function
# raises cancels the fit.

# %%
from dnmf_topics.core import Tfidf, fit_topics

doc_term = Tfidf.fit(today.counts.matrix).transform(today.counts.matrix)
events = []
fit_topics(doc_term, 10, random_state=0, progress=events.append)
for event in events:
    loss = "" if event.loss is None else f", loss {event.loss:.1f}"
    print(f"{event.stage}: {event.step} of {event.total}{loss}")


# %%
class CanceledError(Exception):
    """The user pressed a button."""


def cancel_early(event):
    """Stop as soon as the network has three layers."""
    if event.stage == "network" and event.step == 3:
        raise CanceledError(f"in stage {event.stage}, after step {event.step}")


try:
    fit_topics(doc_term, 10, random_state=0, progress=cancel_early)
except CanceledError as reason:
    canceled = str(reason)
    print("canceled", canceled)

# %% [markdown]
# An update that fails half-way, here because its source does, leaves the model as it was.


# %%
def failing_source():
    """A few documents, and then the connection breaks."""
    yield from tomorrow[:10]
    raise ConnectionError("the connection broke")


before = checksum(fresh)
try:
    fresh.update(failing_source())
except ConnectionError as error:
    print(f"{error}; the model is unchanged: {checksum(fresh) == before}")

# %% [markdown]
# The library never prints. It logs under the name `dnmf_topics`, and what is worth a look in
# production comes at the level of information: which weighting was taken, the end of every stage,
# whether documents mix topics, parameters of LdaModel that have no effect here. If the topics look
# wrong, such as one that holds nearly all documents, `model.doubts` says so and the log has it as a
# warning. There is none here.

# %%
import logging

log = io.StringIO()
handler = logging.StreamHandler(log)
logger = logging.getLogger("dnmf_topics")
logger.addHandler(handler)
logger.setLevel(logging.INFO)
DnmfModel(today.counts, 10, today.dictionary, passes=10, random_state=0)
logger.removeHandler(handler)
logger.setLevel(logging.NOTSET)
print(log.getvalue())

# %% [markdown]
# ## Time and memory
#
# What will a fit cost? Best measured on parts of your own corpus. Here the documents are generated,
# 60 words each from ten topics, and the network has 100 clusterings in a layer. The peak is that of
# the memory which numpy and Python take during the fit; your numbers will differ from these.


# %%
import time
import tracemalloc

from scipy import sparse

from dnmf_topics.core import Mbn


def generated(num_docs, rng):
    """Word counts (documents x 2,000 words) of documents of ten topics."""
    topics = rng.dirichlet(np.full(2000, 0.02), 10)
    counts = [rng.multinomial(60, topics[number % 10]) for number in range(num_docs)]
    return sparse.csr_array(np.array(counts))


def cost(counts, deep_model):
    """Seconds and megabytes of a fit, and the fit."""
    weighted = Tfidf.fit(counts).transform(counts)
    tracemalloc.start()
    start = time.perf_counter()
    found = fit_topics(weighted, 10, deep_model=deep_model, random_state=0)
    seconds = time.perf_counter() - start
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return seconds, peak / 1e6, found


rng = np.random.default_rng(0)
everything = generated(4000, rng)
cost(everything[:500], Mbn(num_clusterings=100))  # what has not run before is compiled now
rows = []
for num_docs in (500, 1000, 2000, 4000):
    seconds, megabytes, exact = cost(everything[:num_docs], Mbn(num_clusterings=100))
    rows.append((num_docs, seconds, megabytes))
costs = pd.DataFrame(rows, columns=["documents", "seconds", "MB at the peak"])
print(costs.round(1).to_string(index=False))

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(7, 3), layout="constrained")
left.plot(costs["documents"], costs["seconds"], "o-")
left.set(xlabel="documents", ylabel="seconds", title="time", ylim=0)
right.plot(costs["documents"], costs["MB at the peak"], "o-", color="tab:orange")
right.set(xlabel="documents", ylabel="MB", title="peak of the memory", ylim=0)
plt.show()

# %% [markdown]
# The memory grows in proportion to the documents, no matrix of documents x documents is ever
# formed. Most of what the network keeps is its codes: a number for each document, clustering and
# layer, of one byte where a layer has at most 256 centroids and of two where it has more. So the
# size of the network can be told before the fit.


# %%
def megabytes_of_codes(num_docs, num_topics, network):
    """What the codes of all layers take."""
    sizes = network.sizes(num_docs, num_topics)
    bytes_each = [1 if size <= 2**8 else 2 if size <= 2**16 else 4 for size in sizes]
    return num_docs * network.num_clusterings * sum(bytes_each) / 1e6


codes = sum(layer.codes.nbytes for layer in exact.deep.layers) / 1e6
planned = megabytes_of_codes(4000, 10, Mbn(num_clusterings=100))
print(f"the codes of 4,000 documents: planned {planned:.1f} MB, found {codes:.1f} MB")
plan = pd.DataFrame(
    [
        (num_docs, Mbn().num_landmarks(num_docs), megabytes_of_codes(num_docs, 50, Mbn()))
        for num_docs in (1_000, 10_000, 30_000, 65_536)
    ],
    columns=["documents", "landmarks", "MB of codes, 50 topics"],
)
print(plan.round(0).astype(int).to_string(index=False))

# %% [markdown]
# The time is another matter. Each layer compares every document with all that may become its
# centroids. If these are all documents, the work grows with their square. The sizes above are too
# small to show it, as fixed costs dominate there. So beyond 8,000 documents the centroids come from
# 8,000 *landmarks*, documents that are drawn afresh for every layer, and the work grows in
# proportion. `Mbn(landmarks=...)` asks for another number of them, `Mbn(landmarks=None)` for all
# documents. Where topics are clear, as here, 500 landmarks among 4,000 documents find them as well
# as all do. Of more than 65,536 documents the network sees its landmarks and a sample alone, so
# that it grows no further.

# %%
from dnmf_topics.evaluation import clustering_accuracy

_, _, approximate = cost(everything, Mbn(num_clusterings=100, landmarks=500))
truth = np.arange(4000) % 10
accuracies = [clustering_accuracy(truth, found.cluster_labels) for found in (exact, approximate)]
print("documents in the right topic: all {:.1%}, 500 landmarks {:.1%}".format(*accuracies))

# %% [markdown]
# As a rule of thumb from the benchmarks of this project, on two cores: 20 Newsgroups takes less
# than a minute, and so do 100,000 arXiv abstracts with 50 topics, with less than 1.5 GB of memory.
# (The measured numbers are in `tests/benchmarks/results/`, files `speed.txt` and `large.txt`.) If
# that is too much, fewer clusterings make a smaller network, in proportion. The very first fit on a
# machine compiles for some seconds more. Corpora that do not fit into memory, and clusters, are the
# subject of tutorial 7.
#
# Where LdaModel is ahead: it learns from a stream chunk after chunk, and shifts its topics with it.
# A first fit of DNMF reads all its documents before it finds a topic.
#
# ## From the command line
#
# The same without Python code. `fit` writes a folder with the model, the corpus, tables and a page
# to look at, and `infer` takes new text to a fitted model:
#
# ```sh
# dnmf-topics fit today.txt --num-topics 10 --seed 0 --no-report --out news
# dnmf-topics infer news tomorrow.txt --out tomorrow.csv
# ```
#
# `main` is this command as a function of its arguments.

# %%
from dnmf_topics.cli import main

(folder / "today.txt").write_text("\n".join(texts[:250]), encoding="utf-8")
(folder / "tomorrow.txt").write_text("\n".join(texts[250:]), encoding="utf-8")

options = ["--num-topics", "10", "--seed", "0", "--no-report", "--quiet"]
main(["fit", f"{folder}/today.txt", *options, "--out", f"{folder}/news"])

options = ["--quiet", "--out", f"{folder}/tomorrow.csv"]
main(["infer", f"{folder}/news", f"{folder}/tomorrow.txt", *options])

inferred = pd.read_csv(folder / "tomorrow.csv")
print(inferred.head(5).to_string())

# %% [markdown]
# The answers are those of the model above, as text, settings and seed are the same: the topic that
# each document is put into, how much of the document is about it (`weight`), and how sure the topic
# is, were the document about one alone (`confidence`). `--full` adds the shares of all topics.

# %%
in_python = model.get_document_info(tomorrow)["topic"].to_numpy()
print("the same topics:", (inferred["topic"] == in_python).all())

# %% [markdown]
# ## New documents of known kinds
#
# If 20 Newsgroups is on your machine: train on 1,500 messages of eight groups, save, load, ask for
# the topics of 500 others, and count how many are in the topic that most messages of their group
# had in the training.

# %%
messages = newsgroups()
if messages is None:
    print("20 Newsgroups is not on this machine")
else:
    known = build_corpus(messages.texts[:1500])
    DnmfModel(known.counts, 8, known.dictionary, random_state=0).save(folder / "groups.dnmf")
    service = DnmfModel.load(folder / "groups.dnmf")
    groups = np.array(messages.labels)
    usual = {
        group: np.bincount(service.cluster_labels[groups[:1500] == group]).argmax()
        for group in np.unique(groups)
    }
    answers = service.get_document_info(known.bows(messages.texts[1500:]))["topic"]
    right = np.mean([usual[group] for group in groups[1500:]] == answers)
    print(f"{right:.0%} of the new messages are in their group's topic")

# %%
temporary.cleanup()
