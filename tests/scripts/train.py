"""A script as users of gensim write it: find a number of topics, look at them, keep the model.

The tests run it as it is, and with DnmfModel in the place of LdaModel.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyLDAvis
import pyLDAvis.gensim_models
from gensim.corpora import Dictionary
from gensim.models import LdaModel
from gensim.models.coherencemodel import CoherenceModel
from gensim.parsing.preprocessing import STOPWORDS
from gensim.test.utils import datapath
from gensim.utils import simple_preprocess


def format_topics(model, corpus, texts):
    """The dominant topic of each document."""
    rows = []
    for number, (row, text) in enumerate(zip(model[corpus], texts)):  # noqa: B905
        topics = row[0] if model.per_word_topics else row
        topic, share = sorted(topics, key=lambda pair: pair[1], reverse=True)[0]
        keywords = ", ".join(word for word, _ in model.show_topic(topic))
        rows.append([number, int(topic), round(share, 4), keywords, " ".join(text)])
    return pd.DataFrame(rows, columns=["document", "topic", "share", "keywords", "text"])


def main(folder):
    with open(datapath("lee_background.cor"), encoding="utf-8") as file:
        texts = [[word for word in simple_preprocess(x) if word not in STOPWORDS] for x in file]
    dictionary = Dictionary(texts)
    dictionary.filter_extremes(no_below=3, no_above=0.5)
    corpus = [dictionary.doc2bow(text) for text in texts]
    dictionary.save(str(folder / "dictionary"))

    models, coherences = [], []
    for num_topics in range(5, 9, 3):
        model = LdaModel(
            corpus=corpus,
            id2word=dictionary,
            num_topics=num_topics,
            random_state=100,
            update_every=1,
            chunksize=100,
            passes=3,
            alpha="auto",
            eta="auto",
            decay=0.7,
            offset=2.0,
            eval_every=None,
            iterations=30,
            gamma_threshold=0.002,
            minimum_probability=0.0,
            minimum_phi_value=0.02,
            per_word_topics=True,
            dtype=np.float64,
        )
        coherence = CoherenceModel(model=model, texts=texts, dictionary=dictionary, coherence="c_v")
        models.append(model)
        coherences.append(coherence.get_coherence())
    model = models[int(np.argmax(coherences))]
    print("coherence:", coherences)
    print("log perplexity:", model.log_perplexity(corpus))
    for topic, words in model.print_topics(num_topics=-1, num_words=5):
        print(topic, words)
    for words, score in model.top_topics(corpus=corpus, topn=5):
        print(score, [word for _, word in words])

    table = format_topics(model, corpus, texts)
    table.to_csv(folder / "documents.csv", index=False)
    print(table.groupby("topic")["share"].agg(["count", "mean"]))

    # The default map, pcoa, cannot be written as JSON with numpy 2.5: its coordinates are complex.
    prepared = pyLDAvis.gensim_models.prepare(model, corpus, dictionary, mds="mmds")
    pyLDAvis.save_html(prepared, str(folder / "topics.html"))

    model.save(str(folder / "model"))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
