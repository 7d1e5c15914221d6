# %% [markdown]
# # Reproduce the paper
#
# To run it, in a checkout of the repository: `pip install '.[tutorials]'`.
#
# One command fits many methods on many corpora and writes tables, as the paper has them, with the
# paper's own value beside each measured one. This tutorial runs it on a small study, then reads
# the large one that the repository has in `tests/benchmarks/study/`, and ends with a study of your
# own corpus.

# %%
from pathlib import Path
from tempfile import TemporaryDirectory

import example_texts
import matplotlib.pyplot as plt
import pandas as pd

from dnmf_topics.bench import METHODS, run, write_results
from dnmf_topics.text import build_corpus, read_documents

study = Path(example_texts.__file__).parents[1] / "tests" / "benchmarks" / "study"
print(", ".join(method.title for method in METHODS.values()))

# %% [markdown]
# ## A study is a small file
#
# It names corpora, methods and numbers of topics. A corpus is a file that `TextCorpus.save` wrote,
# with a label for every document where there are classes. If a study asks for fewer topics than
# there are classes, so many of them are drawn at random, again and again: the *subsets*. With all
# of them there is nothing to draw, and the seeds differ instead.
#
# A *cell* is one fit: one method, on one subset, with one seed.

# %%
corpus = example_texts.labeled()
rows = pd.DataFrame({"text": corpus.texts, "label": corpus.labels})
documents = build_corpus(read_documents(rows, text="text", label="label"))

STUDY = """
methods = ["lda", "sklearn-nmf", "kmeans", "sdnmf"]
num_topics = [4]
subsets = 3

[corpus.texts]
file = "texts.dnmf"
"""

# %%
work = TemporaryDirectory()
documents.save(f"{work.name}/texts.dnmf")
Path(work.name, "study.toml").write_text(STUDY, encoding="utf-8")

outcome = run(Path(work.name, "study.toml"), Path(work.name, "results"))
print(outcome)

# %% [markdown]
# At the command line this is `dnmf-topics bench study.toml --out results`. Cells run in a process
# apart: one that fails, crashes or takes too long is recorded as such, and the others go on. A run
# that was stopped goes on where it was, because what is there is not run again:

# %%
again = run(Path(work.name, "study.toml"), Path(work.name, "results"))
print(f"{again.cells} cells, {again.found} of them found")

# %% [markdown]
# Each cell is a line of JSON with its seed, seconds, memory, measures and the versions of
# everything that may matter. `write_results` makes tables and plots of the lines.

# %%
write_results(Path(work.name, "results"))
small = pd.read_csv(Path(work.name, "results", "tables", "results.csv"))
accuracy = small[small.metric == "acc"].set_index("method")[["mean", "standard_error", "runs"]]
print(f"{corpus.name}, 4 of 8 classes, ACC")
print(accuracy.round(3).to_string())

# %% [markdown]
# Look at the standard errors before the means: with three subsets they are wide, and four classes
# may be easy or hard to tell apart. All methods saw the same subsets, so differences between
# methods are steadier than the numbers themselves.
#
# ## The paper's study
#
# Its configuration is `paper.toml` there. Two commands repeat it; the corpora must be there
# first (`corpora/README.md` says where their publishers hand them out), and it takes hours:
#
# ```sh
# python corpora/prepare.py --source downloads --out corpora/prepared
# dnmf-topics bench tests/benchmarks/study/paper.toml --out my-results
# ```
#
# What came out of it is there, too. Its [README](../tests/benchmarks/study/README.md) is the page
# to read: it says why some values differ from the paper's. The same numbers, one in a row, are in
# `tables/results.csv`. They are means over ten subsets, the same for all methods; all 20
# newsgroups are one subset, with five seeds. Some subsets are easy and some are hard, so look at
# the standard errors too.

# %%
found = pd.read_csv(study / "tables" / "results.csv")
place = ["corpus", "num_topics"]
accuracies = found[found.metric == "acc"]
acc = accuracies.pivot(index=place, columns="method", values="mean")
ours = accuracies[accuracies.method == "sdnmf"].set_index(place)
baselines = acc[[name for name in acc if "dnmf" not in name]]
table = pd.DataFrame(
    {
        "DNMF": ours["mean"],
        "standard error": ours["standard_error"],
        "paper's DNMF": ours["paper"],
        "by the paper's rule": acc["sdnmf-paper-rule"],
        "best baseline": baselines.max(axis=1),
        "which": baselines.idxmax(axis=1),
    }
)
print(table.round(3).to_string())

# %% [markdown]
# "By the paper's rule" is the paper's plain algorithm with its rule for the last layer, which knows
# how large the classes are. "DNMF" is what you get by default: no label, no class size, the view
# of the documents chosen and the clusters refined from the texts alone. (The constants of that
# choice were set with twelve kinds of labeled texts, among them other subsets of these corpora.)

# %%
figure, axes = plt.subplots(1, 3, figsize=(10, 3.6), sharey=True, layout="constrained")
for ax, (name, part) in zip(axes, table.groupby(level="corpus", sort=False), strict=True):
    topics = part.index.get_level_values("num_topics").astype(str)
    ax.errorbar(topics, part["DNMF"], part["standard error"], marker="o", label="DNMF")
    ax.plot(topics, part["paper's DNMF"], "s--", color="0.4", label="the paper's DNMF")
    ax.plot(topics, part["best baseline"], "^:", color="tab:orange", label="best baseline")
    ax.set(title=name, xlabel="number of topics", ylim=(0, 1.02))
axes[0].set_ylabel("ACC")
axes[0].legend(loc="lower left")
plt.show()

# %% [markdown]
# ## How to read the tables
#
# - **ACC** matches topics and classes one to one; **NMI** forgives a class that was split in two.
#   All DNMF variants share their clusters, hence one ACC.
# - **Coherence** is the paper's: a sum of logarithms, the higher the better. It likes frequent
#   words, so methods whose topics all have the same frequent words do well. **SimCount**, the
#   number of words that topics share, tells on them: read the two together, as the ranks do.
# - A printed value with a letter behind it cannot be right: some have more shared words than lists
#   of 20 words allow, and three columns of one table are those of another table over again.
# - Ranks are averaged over numbers of topics and then over corpora; 1 is the best.

# %%
ranks = pd.read_csv(study / "tables" / "ranks.csv", index_col="list").T
ranks = ranks.rename(columns={"topics": "coherence and sim_count"})
print(ranks.sort_values("coherence and sim_count").round(2).to_string())

# %% [markdown]
# By coherence and SimCount together sDNMF is the best of the paper's methods, as it is in the
# paper. scikit-learn's NMF, which the paper does not have, is ahead by coherence and close behind
# by both together; its topics follow the classes far less. Where sDNMF is not the best,
# the study's `README.md` says so, cell by cell, and why.
#
# ## Your own corpus
#
# Save it with its labels, name it in a study as above, and add what you want to compare:
#
# ```toml
# num_topics = [10, 20]
# seeds = 3
#
# [corpus.mine]
# file = "mine.dnmf"
#
# [study.delta]
# setting = "delta"
# values = [0.3, 0.5, 0.7]
# methods = ["sdnmf"]
# num_topics = [20]
# ```
#
# Without labels everything works but ACC, NMI and purity. `dnmf-topics bench --smoke --out smoke`
# runs every method on a tiny corpus and shows that all is well on your machine.
#
# Next: [6, In production](6_in_production.ipynb).

# %%
work.cleanup()
