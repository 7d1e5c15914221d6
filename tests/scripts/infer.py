"""The script that comes after `train.py`: load the model elsewhere, and ask it about new texts."""

import json
import sys
from pathlib import Path

from gensim.corpora import Dictionary
from gensim.models import LdaModel
from gensim.test.utils import datapath
from gensim.utils import simple_preprocess


def main(folder):
    dictionary = Dictionary.load(str(folder / "dictionary"))
    model = LdaModel.load(str(folder / "model"))
    with open(datapath("lee.cor"), encoding="latin-1") as file:
        unseen = [dictionary.doc2bow(simple_preprocess(line)) for line in file]

    found = {"num_topics": model.num_topics, "word": model.id2word[7], "topics": []}
    for bow in unseen:
        topics = model.get_document_topics(bow, minimum_probability=0)
        found["topics"].append([[int(topic), float(share)] for topic, share in topics])
    topics, word_topics, word_shares = model[unseen[0]]
    found["words"] = [len(unseen[0]), len(word_topics), len(word_shares)]
    gamma, _ = model.inference(unseen)
    found["dominant"] = gamma.argmax(axis=1).tolist()

    before = model.get_topics()
    model.update(unseen)
    found["change"] = float(abs(model.get_topics() - before).max())
    print(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
