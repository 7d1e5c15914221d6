"""Topics of 300 news items, the gensim way: from raw text to ten words per topic.

The text is the Lee background corpus, which comes with gensim: one news item per line. Put LdaModel
in the place of DnmfModel, and the script runs as it is.
"""

from pathlib import Path

from gensim.corpora import Dictionary
from gensim.parsing.preprocessing import STOPWORDS
from gensim.test.utils import datapath
from gensim.utils import simple_preprocess

from dnmf_topics import DnmfModel

NUM_TOPICS = 8


def main() -> None:
    documents = Path(datapath("lee_background.cor")).read_text(encoding="utf-8").splitlines()
    texts = [
        [word for word in simple_preprocess(text, min_len=3) if word not in STOPWORDS]
        for text in documents
    ]
    dictionary = Dictionary(texts)
    dictionary.filter_extremes(no_below=2, no_above=0.5)
    corpus = [dictionary.doc2bow(text) for text in texts]

    model = DnmfModel(corpus, num_topics=NUM_TOPICS, id2word=dictionary, random_state=0)

    sizes = model.get_topic_info().set_index("topic")["size"]
    for topic, words in model.show_topics(num_topics=NUM_TOPICS, num_words=10, formatted=False):
        print(f"topic {topic} ({sizes[topic]} documents): {' '.join(word for word, _ in words)}")

    news = dictionary.doc2bow(
        simple_preprocess("The team won the test after a century by its captain")
    )
    topic, share = max(model[news], key=lambda pair: pair[1])
    print(f"a new item about cricket: topic {topic} with a share of {share:.2f}")


if __name__ == "__main__":
    main()
