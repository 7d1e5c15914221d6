# %% [markdown]
# # From LdaModel to DnmfModel
#
# To run it, in a checkout of the repository: `pip install '.[tutorials]'`.
#
# You have a script around gensim's `LdaModel`. This tutorial changes one line of such a script,
# puts the two models' topics side by side, and goes through the calls that your code makes: what
# stays the same, and what is different. It takes ten minutes to read.
#
# The texts are 300 news items of the year 2001 that come with gensim, so nothing is downloaded.

# %%
import tempfile
from collections import Counter
from pathlib import Path

import example_texts
import matplotlib.pyplot as plt
import numpy as np
from gensim.corpora import Dictionary
from gensim.models import LdaModel
from gensim.parsing.preprocessing import STOPWORDS
from gensim.utils import simple_preprocess
from scipy.optimize import linear_sum_assignment

from dnmf_topics import DnmfModel
from dnmf_topics.adapters import pyldavis

NUM_TOPICS = 12
COLORS = {"LdaModel": "tab:orange", "DnmfModel": "tab:blue"}

# %% [markdown]
# ## The script that you have
#
# Texts, words, a dictionary without very rare and very frequent words, bags of words, a model.

# %%
documents = example_texts.news()


def words_of(text):
    return [word for word in simple_preprocess(text, min_len=3) if word not in STOPWORDS]


texts = [words_of(text) for text in documents]
dictionary = Dictionary(texts)
dictionary.filter_extremes(no_below=2, no_above=0.5)
corpus = [dictionary.doc2bow(text) for text in texts]
print(f"{len(corpus)} documents, {len(dictionary)} words")
print(documents[0][:200], "...")

# %%
lda = LdaModel(corpus, num_topics=NUM_TOPICS, id2word=dictionary, passes=10, random_state=0)

# %% [markdown]
# ## The line that changes
#
# Import another class and write its name. The arguments may stay as they are: those that steer
# LdaModel's way of training, such as `passes`, are accepted and have no effect, which the log says
# once. (The very first model on a machine compiles for some seconds; later ones do not.)

# %%
dnmf = DnmfModel(corpus, num_topics=NUM_TOPICS, id2word=dictionary, passes=10, random_state=0)
models = {"LdaModel": lda, "DnmfModel": dnmf}

# %% [markdown]
# ## The topics side by side
#
# The two models number their topics differently. `diff`, which you know from LdaModel, measures how
# far any two topics are apart, here by the share of their top 20 words that they do *not* have in
# common; then each topic of the one is put beside a topic of the other so that the sum is smallest.

# %%
distance, _ = dnmf.diff(lda, distance="jaccard", num_words=20, annotation=False, normed=False)
pairs = list(zip(*linear_sum_assignment(distance), strict=True))

print(f"   {'DnmfModel':66}   LdaModel")
for own, other in pairs:
    left = " ".join(word for word, _ in dnmf.show_topic(own, 7))
    right = " ".join(word for word, _ in lda.show_topic(other, 7))
    print(f"{own:2} {left:66} {other:2} {right}")

# %% [markdown]
# Some stories are so distinct that both models find them: the Middle East, bin Laden, cricket. The
# other rows differ. There are more stories than twelve, so DnmfModel puts some together, such as
# the economy and diseases, which share *cent* and *rate*. Read a row of LdaModel aloud: words such
# as *people*, *year* or *new* come again and again, since they are frequent in news about anything.
# Which words are among the top ten of more than one topic?

# %%
top_words = {
    name: [word for topic in range(NUM_TOPICS) for word, _ in model.show_topic(topic)]
    for name, model in models.items()
}
repeated = {
    name: [(word, uses) for word, uses in Counter(words).most_common() if uses > 1]
    for name, words in top_words.items()
}
for name, words in repeated.items():
    print(f"{name}: {', '.join(f'{word} ({uses})' for word, uses in words)}")

# %% [markdown]
# DnmfModel has far fewer such words. The words of its topics are those that many of a topic's
# documents have, and other documents less often: a word that is everywhere says little. The numbers
# beside the words are weights of this kind, not probabilities, though they sum to 1 as well.
#
# Do not weight your corpus yourself: give it counts, as you do with LdaModel. To group the
# documents they are weighted by TF-IDF inside. (Weights are recognized, and then taken as they
# are.)
#
# ## Your calls, as before
#
# The methods have the same names, arguments and shapes of results. Asked for some of its topics,
# LdaModel picks by their prior, half from the lower end and half from the upper, ties broken at
# random; DnmfModel takes the largest topics.

# %%
for name, model in models.items():
    print(name)
    for topic, words in model.print_topics(num_topics=2, num_words=5):
        print(f"   {topic}: {words}")

# %% [markdown]
# `model[bow]` and `get_document_topics` give a document's topics, without those below
# `minimum_probability`; on a corpus they give the topics of every document, one after another.

# %%
for name, model in models.items():
    print(name, [(topic, round(float(share), 2)) for topic, share in model[corpus[0]]])
    everything = model.get_document_topics(corpus[0], minimum_probability=0)
    print(f"   {len(everything)} topics sum to {sum(share for _, share in everything):.2f}")

all_topics = list(dnmf[corpus])
print(f"dnmf[corpus]: the topics of {len(all_topics)} documents")

# %% [markdown]
# `top_topics` sorts topics by coherence. gensim's `CoherenceModel` takes the model as it is, too;
# the next tutorial is about that.

# %%
ranked = {name: model.top_topics(corpus) for name, model in models.items()}
for name, topics in ranked.items():
    print(name)
    for words, coherence in topics[:3]:
        print(f"   {coherence:6.2f} {' '.join(word for _, word in words[:7])}")

# %% [markdown]
# ## A new document
#
# The same steps as for the training texts, then ask the model. Words that the dictionary does not
# know are dropped by `doc2bow`.

# %%
news = (
    "The bowler took four wickets before tea, and South Africa was all out by the end of the day."
)
bow = dictionary.doc2bow(words_of(news))
print("known words:", " ".join(dictionary[term] for term, _ in bow))

found = {}
for name, model in models.items():
    found[name], share = max(model[bow], key=lambda pair: pair[1])
    words = " ".join(word for word, _ in model.show_topic(found[name], 7))
    print(f"{name}: topic {found[name]} with a share of {share:.2f} ({words})")

# %% [markdown]
# ## What is different
#
# **A document has a topic.** LDA takes a document for a mixture of topics. DNMF first groups the
# documents, each in one group, and then finds the words of the groups. So every document belongs
# to a topic; none is an outlier. The shares of all topics are there all the same: they sum to 1 and
# say how much of a text is about what. (The column `confidence` of `get_document_info`, below, says
# how sure the one topic is.) In this picture more than 0.9 of each of the 300 documents is about
# one topic. These are the documents that it was trained on; of short or new texts it can be less,
# as of the one above.

# %%
shares = {}
for name, model in models.items():
    weights, _ = model.inference(corpus)
    shares[name] = weights / weights.sum(axis=1, keepdims=True)

bins = np.linspace(0, 1, 21)
largest = [shares[name].max(axis=1) for name in models]
plt.figure(figsize=(7, 4))
plt.hist(largest, bins, label=list(models), color=[COLORS[name] for name in models])
plt.title("How clear is the topic of a document?")
plt.xlabel("share of the document's largest topic")
plt.ylabel("documents")
plt.legend(frameon=False, loc="upper left")
plt.show()

# %% [markdown]
# **Topic 0 is the largest**, and `show_topics(n)` shows the n largest. LdaModel's topics have no
# order. No topic of DnmfModel is left empty.

# %%
sizes = {
    "LdaModel": np.bincount(shares["LdaModel"].argmax(axis=1), minlength=NUM_TOPICS),
    "DnmfModel": np.bincount(dnmf.cluster_labels, minlength=NUM_TOPICS),
}
figure, axes = plt.subplots(1, 2, figsize=(7, 3.5), sharey=True)
for axis, (name, size) in zip(axes, sizes.items(), strict=True):
    axis.bar(range(NUM_TOPICS), size, color=COLORS[name])
    axis.set(title=name, xlabel="topic", xticks=range(NUM_TOPICS))
axes[0].set_ylabel("documents")
figure.tight_layout()
plt.show()

# %% [markdown]
# **Asking twice gives one answer.** A seed makes LdaModel's training repeatable, but each inference
# starts from random numbers, so the same document gets slightly other shares every time. Here it
# does not, and nothing that you read from a model changes it.

# %%
same = {}
for name, model in models.items():
    same[name] = np.array_equal(model.inference(corpus)[0], model.inference(corpus)[0])
    print(f"{name}: the same shares in two calls: {same[name]}")

# %% [markdown]
# **There are no passes to tune.** LdaModel has settings that decide what you get from a small
# corpus: how often it reads the texts (`passes`, by default once), and after how many of them it
# adjusts its topics (`chunksize`, by default 2000, here once in each pass). Look at two things: how
# many different words are among the top words, and how large the largest share of a document is.


# %%
def summary(model):
    words = {word for topic in range(NUM_TOPICS) for word, _ in model.show_topic(topic)}
    weights, _ = model.inference(corpus)
    largest = weights.max(axis=1) / weights.sum(axis=1)
    return len(words), np.median(largest)


once = LdaModel(corpus, NUM_TOPICS, dictionary, random_state=0)
chunks = LdaModel(corpus, NUM_TOPICS, dictionary, passes=10, chunksize=50, random_state=0)
settings = {
    "LdaModel, 1 pass": once,
    "LdaModel, 10 passes": lda,
    "LdaModel, 10 passes, chunks of 50": chunks,
    "DnmfModel": dnmf,
}
summaries = {name: summary(model) for name, model in settings.items()}
print(f"{'':34} different words of {10 * NUM_TOPICS}   median of the largest shares")
for name, (words, share) in summaries.items():
    print(f"{name:34} {words:22} {share:30.2f}")

# %% [markdown]
# With a single pass LdaModel's 120 top words are only 45 different ones. Smaller chunks leave fewer
# words in several topics than the default does, and the typical document has less than half of its
# share in one topic. You have to choose; the next tutorial takes small chunks.
#
# DnmfModel reads the corpus once. The number of passes changes nothing, and neither does the number
# of threads.

# %%
again = DnmfModel(corpus, NUM_TOPICS, dictionary, passes=1, random_state=0, n_jobs=1)
identical = np.array_equal(again.get_topics(), dnmf.get_topics())
print("DnmfModel with one pass and one thread is the same model:", identical)

# %% [markdown]
# Another `random_state` does give other groups where the texts leave the choice, as with LdaModel.
# The next tutorial measures how much.
#
# ## Tables that LdaModel does not have
#
# Topics and documents as pandas tables, and the texts that are most like a topic.

# %%
info = dnmf.get_topic_info(topn=6)
info["words"] = info["words"].str.join(" ")
print(info.to_string(index=False, float_format="{:.2f}".format))

# %%
print(dnmf.get_document_info().head(3).to_string(float_format="{:.2f}".format))

cricket = found["DnmfModel"]
print(f"\nThe clearest documents of topic {cricket}:")
typical = dnmf.get_representative_docs(topic=cricket, n=2)
for position in typical:
    print(f"   {documents[position][:90]} ...")

# %% [markdown]
# ## Save, load, look
#
# A line each. The file holds no pickle, so a stranger's file cannot run code. The pyLDAvis page is
# one file; open it in a browser, without a network. Its topics have the model's numbers. (Your
# `pyLDAvis.gensim_models.prepare(model, corpus, dictionary)` works as well.)

# %%
folder = Path(tempfile.mkdtemp())

dnmf.save(folder / "news.dnmf")
loaded = DnmfModel.load(folder / "news.dnmf")
print("the loaded model says the same:", loaded[bow] == dnmf[bow])

pyldavis.save_html(pyldavis.prepare(dnmf, corpus, dictionary), folder / "topics.html")
for path in sorted(folder.iterdir()):
    print("wrote", path)

# %% [markdown]
# ## On more texts
#
# If 20 Newsgroups is on your machine (`sklearn.datasets.fetch_20newsgroups()` gets it), the same
# lines find the topics of 2,000 messages from eight groups, each beside the group that most of its
# messages are from.

# %%
messages = example_texts.newsgroups()
if messages is None:
    print("20 Newsgroups is not on this machine")
else:
    message_words = [words_of(text) for text in messages.texts]
    vocabulary = Dictionary(message_words)
    vocabulary.filter_extremes(no_below=5, no_above=0.5)
    bows = [vocabulary.doc2bow(words) for words in message_words]
    of_messages = DnmfModel(bows, num_topics=8, id2word=vocabulary, random_state=0)
    for topic in range(8):
        members = np.flatnonzero(of_messages.cluster_labels == topic)
        ((group, _),) = Counter(messages.labels[i] for i in members).most_common(1)
        top = " ".join(word for word, _ in of_messages.show_topic(topic, 7))
        print(f"{topic} {group:22} {top}")

# %% [markdown]
# ## Which of the two?
#
# Stay with LdaModel where you need a generative model of words, or where you learn from an endless
# stream in one pass. Take DnmfModel where a document is mostly about one thing, as news, tickets,
# posts and abstracts are, and you want groups of documents with words that tell them apart. For
# documents that mix topics it learns from their parts; the next tutorial measures both. It works
# best where `num_topics` is near the number of groups that there are. `dnmf.doubts` says what
# speaks against the topics, such as one that swallows a large part of the documents, and what to
# try then. Here it has nothing to say.

# %%
print("doubts:", dnmf.doubts)

# %% [markdown]
# Next: [2, Evaluate against LDA](2_evaluate_against_lda.ipynb) measures both models and shows a
# case in which LDA is right. [3, From raw text](3_from_raw_text.ipynb) reads your files.
