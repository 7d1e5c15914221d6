"""Everything that can be wrong with what the command line is given: one sentence each, no traces.

`CASES` is the whole list. A command runs in a folder that holds `FILES`; it must end with code 1,
print nothing but its sentence, and leave the folder as it was. `USAGE` are those that are wrong
whatever the files are; they end with code 2, after one line too.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import pickle
import re
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from gensim.test.utils import datapath

from dnmf_topics import DnmfModel, storage
from dnmf_topics.cli import commands, main, results
from dnmf_topics.common.writing import only_writer
from dnmf_topics.text import Tokenization, build_corpus

LINES = Path(datapath("lee_background.cor")).read_text("utf-8").splitlines()[:40]
QUICK = ["--num-clusterings", "5", "-k", "2", "--jobs", "1"]
FIT = ["--out", "t", *QUICK]
SEEDS = ["--seed-words"]
VECTORS = ["--embeddings"]
CHINESE = "今天天气很好我们去公园散步\n北京是中国的首都有很多名胜古迹\n昨天下了一场大雨街上都是水\n"


def vector_file(array):
    """An array as `numpy.save` writes it."""
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


FILES = {
    "news.csv": "body,section\n" + "".join(f'"{line}",a\n' for line in LINES),
    "lines.txt": "\n".join(LINES),
    "empty.txt": "",
    "empty.csv": "",
    "names.csv": "text,label\n",
    "blank.txt": "\n\n\n",
    "digits.txt": "1 2 3\n4 5\n",
    "same.txt": "rain wind\nrain wind\nrain wind\n",
    "short.txt": "rain wind\nwine bread\nrain wine\n",
    "chinese.txt": CHINESE,
    "latin.txt": "a line\ncafé au lait\n".encode("latin-1"),
    "utf16.txt": "\n".join(LINES).encode("utf-16"),
    "utf16.csv": "text\nrain\n".encode("utf-16-le"),
    "utf32.jsonl": '{"text": "rain"}\n'.encode("utf-32"),
    "cut.txt.gz": gzip.compress("\n".join(LINES).encode(), mtime=0)[:-20],
    "plain.txt.gz": b"not compressed at all",
    "page.pdf": b"%PDF-1.7",
    "noending": "rain\n",
    "quotes.csv": 'text\n"rain\nwind\n',
    "names.quotes.csv": '"text\nrain\n',
    "ragged.csv": "text,label\nrain,a\nwind\n",
    "twice.csv": "text,text\nrain,wind\n",
    "broken.jsonl": '{"text": "rain"}\n{"text": \n',
    "deep.jsonl": '{"text": ' + "[" * 100_000 + "\n",
    "number.jsonl": '{"text": 7}\n',
    "list.jsonl": '["rain"]\n',
    "nokey.jsonl": '{"body": "rain"}\n',
    "keys.jsonl": "\n".join(json.dumps({"text": "rain", f"k{n}": 1}) for n in range(300)),
    "dated.jsonl": "\n".join(
        json.dumps({"text": line, "date": date, "none": None, "tags": ["a", "b"]})
        for line, date in zip(LINES, ["1987-10-19", "", "soon", *[1987] * 37], strict=True)
    ),
    "idlist.jsonl": '{"text": "rain", "id": [1]}\n',
    "long.jsonl": '{"text": "rain", "id": ' + "1" * 10_000 + "}\n",
    "words.latin": "café\n".encode("latin-1"),
    "seeds.txt": "war: afghanistan, taliban\n\nno colon here\n",
    "seeds.twice": "war: taliban\nwar: afghanistan\n",
    "seeds.empty": "# nothing yet\n",
    "seeds.nobody": "elves: galadriel elrond\n",
    "seeds.many": "a: war\nb: fire\nc: water\n",
    "seeds.json": '{"war": ["taliban"],\n "fire" ["fire"]}',
    "seeds.deep": '{"war": ' + "[" * 100_000,
    "seeds.word": '{"war": "taliban"}',
    "seeds.again": '{"war": ["taliban"], "war": ["fire"]}',
    "seeds.number": '{"war": [1.5]}',
    "seeds.name": '{" ": ["taliban"]}',
    "few.npy": vector_file(np.ones((39, 2))),
    "flat.npy": vector_file(np.ones(40)),
    "nan.npy": vector_file(np.where(np.arange(40) == 5, np.nan, 1.0)[:, None]),
    "objects.npy": vector_file(np.array([{"a": 1}] * 40, object)),
    "words.npy": vector_file(np.array([["a"]] * 40)),
    "zeros.npy": vector_file(np.zeros((40, 2))),
    "one.npy": vector_file(np.ones((40, 1))),
    "cut.npy": vector_file(np.ones((40, 2)))[:-8],
    "pickle.dnmf": pickle.dumps({"a": 1}),
    "syntax.toml": "methods = [",
    "unknown.toml": "methods = ['magic']\ncorpus.lee = {built_in = 'lee', num_topics = 5}\n",
    "nothing.toml": "",
    "away.toml": "corpus.mine = {file = 'away.dnmf', num_topics = 5}\n",
    "latin.toml": "methods = ['é']".encode("latin-1"),
}

CASES = [
    # Input that is not there, or no text
    (["fit", "missing.csv", *FIT], "There is no file or folder 'missing.csv'."),
    (["fit", "", *FIT], "There is no file or folder"),
    (["fit", "a\0b.csv", *FIT], "There is no file or folder"),
    (["fit", "page.pdf", *FIT], "page.pdf: the name must end in .txt, .csv, .tsv, .jsonl"),
    (["fit", "noending", *FIT], "noending: the name must end in .txt"),
    (["fit", "empty.txt", *FIT], "empty.txt: there are no documents in it."),
    (["fit", "empty.csv", *FIT], "empty.csv: there are no documents in it."),
    (["fit", "names.csv", *FIT], "names.csv: there are no documents in it."),
    (["fit", "folder", *FIT], "folder: there are no documents in it."),
    (["fit", "cut.txt.gz", *FIT], "cut.txt.gz: the gzip file is cut off or damaged"),
    (["fit", "plain.txt.gz", *FIT], "plain.txt.gz: the gzip file is cut off or damaged"),
    (["fit", "latin.txt", *FIT], "latin.txt, line 2: the byte 0xe9 is not utf-8; name the"),
    (["fit", "utf16.txt", *FIT], "utf-16"),
    (["fit", "utf16.csv", *FIT], "utf-16"),
    (["fit", "utf32.jsonl", *FIT], "utf-32"),
    (["fit", "lines.txt", *FIT, "--encoding", "hex"], "encoding must be one that Python knows"),
    (["fit", "lines.txt", *FIT, "--encoding", "utf-32"], "its text is not utf-32"),
    (["fit", "endless.csv", *FIT], "endless.csv is a device, which may never end; name a file"),
    # Records that are none
    (["fit", "news.csv", *FIT], "news.csv has no column 'text', it has 'body', 'section'"),
    (["fit", "news.csv", "--text", "body", "--label", "no", *FIT], "has no column 'no'"),
    (["fit", "news.csv", "--text", "body", "--id", "no", *FIT], "has no column 'no'"),
    (["fit", "lines.txt", "--label", "no", *FIT], "further columns name columns, and such a file"),
    (["fit", "lines.txt", "--date", "no", *FIT], "further columns name columns, and such a file"),
    (["fit", "texts", "--link", "url", *FIT], "neither ids nor further columns"),
    (["fit", "news.csv", "--text", "body", "--date", "day", *FIT], "no column 'day', it has"),
    (["fit", "news.csv", "--text", "body", "--column", "sectoin", *FIT], "did you mean 'section'?"),
    (["fit", "keys.jsonl", *FIT, "--all-columns"], "at most 200 further columns, but 'k200'"),
    (["fit", "dated.jsonl", "--date", "dat", *FIT], "no line has the key 'dat', they have 'text'"),
    (["fit", "dated.jsonl", "--column", "tags", *FIT], "line 1: 'tags' must be a string or a num"),
    (["fit", "texts", "--label", "no", *FIT], "is a folder of texts, where label can only be"),
    (["fit", "quotes.csv", *FIT], "quotes.csv, line 2: the quotes of this row do not match"),
    (["fit", "names.quotes.csv", *FIT], "line 1: the quotes of the first row do not match"),
    (["fit", "ragged.csv", *FIT], "ragged.csv, line 3: number of fields: 1 in this row, 2 in the"),
    (["fit", "twice.csv", *FIT], "twice.csv has the column 'text' twice"),
    (["fit", "broken.jsonl", *FIT], "broken.jsonl, line 2: this line is not JSON"),
    (["fit", "deep.jsonl", *FIT], "deep.jsonl, line 1: this line is not JSON"),
    (["fit", "number.jsonl", *FIT], "line 1: the text must be a string, got 7"),
    (["fit", "list.jsonl", *FIT], "line 1: a line must be a JSON object, got ['rain']"),
    (["fit", "nokey.jsonl", *FIT], "line 1: no key 'text'; it has 'body'"),
    (["fit", "idlist.jsonl", "--id", "id", *FIT], "the id must be a string or a number, got [1]"),
    (["fit", "long.jsonl", "--id", "id", *FIT], "long.jsonl, line 1: this line is not JSON"),
    (["fit", "nokey.jsonl", "--text", "body", "--id", "no", *FIT], "no line has the key 'no'"),
    # Dates that are none
    (["fit", "dated.jsonl", "--date", "date", *FIT], "--date date: the document '3' has 'soon'"),
    (["fit", "dated.jsonl", "--date", "none", *FIT], "--date none: no document has a date; name"),
    # Words
    (["fit", "blank.txt", *FIT], "The 3 documents have no words; they are empty, or"),
    (["fit", "digits.txt", *FIT], "The 2 documents have no words; they are empty, or"),
    (["fit", "short.txt", *FIT, "--no-below", "50"], "change these limits"),
    (["fit", "chinese.txt", *FIT], "(--tokenizer jieba) after `pip install jieba`."),
    (["fit", "same.txt", *FIT, "--no-above", "1"], "--weighting none"),
    (["fit", "lines.txt", *FIT, "--stop-words", "x"], "stop_words must be 'auto', a language"),
    (["fit", "lines.txt", *FIT, "--stop-words", "tamil"], "there is no list for Tamil; give"),
    (["fit", "lines.txt", *FIT, "--stop-words", "spacy:klingon"], "klingon"),
    (["fit", "lines.txt", *FIT, "--stop-words", "words.latin"], "words.latin must be text in UTF"),
    (["fit", "lines.txt", *FIT, "--model", "x"], "model names a spaCy pipeline; add tokenizer"),
    (["fit", "lines.txt", *FIT, "--tokenizer", "spacy", "--model", "no"], "'no' is not there"),
    (["fit", "lines.txt", *FIT, "--tokenizer", "spacy", "--model", "empty.csv"], "is not there"),
    (["fit", "lines.txt", *FIT, "--language", "germn"], "(did you mean 'german'?); the"),
    (["fit", "lines.txt", *FIT, "--tokenizer", "spacy", "--language", "x-y"], "'x-y'; the codes"),
    (["fit", "lines.txt", *FIT, "--tokenizer", "spacy", "--language", "zulu"], "spaCy knows codes"),
    (["fit", "lines.txt", *FIT, "--tokenizer", "jieba", "--language", "de"], "is for Chinese"),
    (["fit", "lines.txt", *FIT, "--base-form", "snowball"], "base_form can be nothing with token"),
    (["fit", "lines.txt", *FIT, "--parts-of-speech", "NOUN"], "need a spaCy pipeline"),
    # Settings of the model
    (["fit", "lines.txt", "--out", "t", "-k", "500"], "--num-topics must be at most 40, the"),
    (["fit", "lines.txt", *FIT, "--jobs", "0"], "n_jobs must not be 0"),
    (["fit", "lines.txt", *FIT, "--last-layer-size", "5000"], "last_layer_size must be at most"),
    (["fit", "lines.txt", *FIT, "--overlap", "1"], "overlap"),
    (["fit", "lines.txt", *FIT, "--variant", "cdnmf", "--lambda1", "much"], "lambda1"),
    (["fit", "lines.txt", *FIT, "--variant", "sdnmf", "--overlap", "nan"], "overlap"),
    (["fit", "lines.txt", *FIT, *SEEDS, "missing"], "missing"),
    (["fit", "lines.txt", *FIT, *SEEDS, "folder"], "folder"),
    (["fit", "lines.txt", *FIT, *SEEDS, "seeds.txt"], "seeds.txt, line 3: a line must be a"),
    (["fit", "lines.txt", *FIT, *SEEDS, "seeds.twice"], "line 2: 'war' was named before"),
    (["fit", "lines.txt", *FIT, *SEEDS, "seeds.empty"], "must name at least one topic"),
    (["fit", "lines.txt", *FIT, *SEEDS, "seeds.nobody"], "have a word of the vocabulary"),
    (["fit", "lines.txt", *FIT, *SEEDS, "seeds.many"], "--num-topics must be at least 3, the"),
    (["fit", "lines.txt", *FIT, *SEEDS, "seeds.json"], "seeds.json, line 2: this is not JSON"),
    (["fit", "lines.txt", *FIT, *SEEDS, "seeds.deep"], "seeds.deep"),
    (["fit", "lines.txt", *FIT, *SEEDS, "seeds.word"], "must be a list of words, got 'tali"),
    (["fit", "lines.txt", *FIT, *SEEDS, "seeds.again"], "names the topic 'war' twice"),
    (["fit", "lines.txt", *FIT, *SEEDS, "seeds.number"], "must be words, or term ids of at"),
    (["fit", "lines.txt", *FIT, *SEEDS, "seeds.name"], "must have a name for each of its"),
    (["fit", "lines.txt", *FIT, *SEEDS, "words.latin"], "words.latin must be text in UTF"),
    # Vectors
    (["fit", "lines.txt", *FIT, *VECTORS, "missing.npy"], "missing.npy"),
    (["fit", "lines.txt", *FIT, *VECTORS, "folder"], "folder"),
    (["fit", "lines.txt", *FIT, *VECTORS, "endless.csv"], "must be a whole .npy file with an"),
    (["fit", "lines.txt", *FIT, *VECTORS, "empty.csv"], "must be a whole .npy file with an array"),
    (["fit", "lines.txt", *FIT, *VECTORS, "pickle.dnmf"], "must be a whole .npy file with an"),
    (["fit", "lines.txt", *FIT, *VECTORS, "objects.npy"], "must be a whole .npy file with an"),
    (["fit", "lines.txt", *FIT, *VECTORS, "cut.npy"], "cut.npy must be a whole .npy file with an"),
    (["fit", "lines.txt", *FIT, *VECTORS, "few.npy"], "for each of the 40 documents, got 39 rows"),
    (["fit", "lines.txt", *FIT, *VECTORS, "flat.npy"], "flat.npy: embeddings must be a matrix"),
    (["fit", "lines.txt", *FIT, *VECTORS, "nan.npy"], "NaN or infinity in row 5"),
    (["fit", "lines.txt", *FIT, *VECTORS, "words.npy"], "must be an array of numbers, got dtype"),
    (["fit", "lines.txt", *FIT, *VECTORS, "zeros.npy"], "must have a row that is not all zeros"),
    (["fit", "lines.txt", *FIT, *VECTORS, "one.npy", "--mixing-rounds", "3"], "mixing_rounds must"),
    (["infer", "run", "lines.txt", *VECTORS, "few.npy"], "the model was trained without any"),
    (["infer", "vectors.dnmf", "lines.txt", *VECTORS, "nan.npy"], "NaN or infinity in row 5"),
    (["infer", "vectors.dnmf", "lines.txt", *VECTORS, "one.npy"], "must have 2 columns, as what"),
    (["infer", "vectors.dnmf", "lines.txt", *VECTORS, "few.npy", "--out", "t.csv"],
     "few.npy must have a row for each document, got 39 rows for more than 39 documents"),
    (["infer", "vectors.dnmf", "short.txt", *VECTORS, "few.npy", "--out", "t.csv"],
     "few.npy must have a row for each document, got 39 rows for 3 documents"),
    (["embed", "lines.txt", "--out", "t.txt"], "--out must end in .npy, got t.txt"),
    (["embed", "lines.txt", "--out", "no/t.npy"], "There is no folder no; create it first"),
    (["embed", "missing.txt", "--out", "t.npy"], "There is no file or folder 'missing.txt'"),
    (["embed", "lines.txt", "--out", "t.npy"], "pip install sentence_transformers"),
    (["compare", "missing.txt", *QUICK], "There is no file or folder 'missing.txt'"),
    (["compare", "short.txt", *QUICK, "-k", "50", "--no-below", "1"], "num_topics"),
    (["choose", "missing.txt"], "There is no file or folder 'missing.txt'"),
    (["choose", "lines.txt", "--max-topics", "3", "--min-topics", "4"], "--max-topics must be at"),
    (["choose", "lines.txt", "--min-topics", "41"], "--min-topics must be at most 40, the number"),
    (["choose", "lines.txt", "--plot", "curve.gif"], "--plot must end in .png, .svg, .pdf, got"),
    (["choose", "lines.txt", "--plot", "no/curve.png"], "There is no folder no; create it first"),
    (["choose", "same.txt", "--no-above", "1"], "--weighting none"),
    (["fit", "same.txt", "--out", "t", "--no-above", "1"], "--weighting none"),
    # Places to write to
    (["fit", "lines.txt", *QUICK, "--out", "no/t"], "There is no folder"),
    (["fit", "lines.txt", *QUICK, "--out", "."], "holds other files too, such as"),
    (["fit", "lines.txt", *QUICK, "--out", "news.csv"], "news.csv is a file; name a folder with"),
    (["fit", "lines.txt", *QUICK, "--out", "/proc"], "holds other files too"),
    (["fit", "lines.txt", *QUICK, "--out", "n" * 300], "File name too long"),
    (["fit", "lines.txt", *QUICK, "--out", "run"], "run holds results already; name another fold"),
    (["fit", "lines.txt", *QUICK, "--out", "links", "--force"], "holds other files too, such as"),
    (["fit", "lines.txt", *QUICK, "--out", "busy"], "busy is being written by another process; w"),
    (["fit", "lines.txt", *FIT, "--spool", "no"], "There is no folder no to spool to; create it"),
    (["fit", "lines.txt", *FIT, "--spool", "news.csv"], "There is no folder news.csv to spool to"),
    (["demo", "--out", "."], "holds other files too, such as"),
    (["report", "run", "--out", "no/page.html"], "There is no folder no; create it first"),
    (["report", "run", "--out", "folder"], "folder is a folder; name a file"),
    (["report", "run", "--out", "run/model.dnmf"], "run/model.dnmf is a result of `fit`; name"),
    (["infer", "run", "lines.txt", "--out", "run/topics.csv"], "run/topics.csv is a result of"),
    (["fit", "lines.txt", *QUICK, "--out", "loop"], "loop"),
    (["fit", "lines.txt", *FIT, "--processes", "3000"], "processes must be from 1 to 256, got"),
    (["fit", "lines.txt", *FIT, "--cluster", "here"], "must be like tcp://10.0.0.1:8786, got"),
    (["infer", "run", "lines.txt", "--out", "t.xlsx"], "--out must end in .csv or .jsonl, got t.x"),
    (["infer", "run", "lines.txt", "--out", "no/t.csv"], "There is no folder no; create it first"),
    (["infer", "run", "news.csv", "--text", "body", "--out", "news.csv"], "must not be the input"),
    # Models and results that are none
    (["topics", "missing"], "missing holds no model.dnmf; name a folder that `fit` wrote"),
    (["topics", "news.csv"], "news.csv is not a whole file of dnmf_topics (another program wrote"),
    (["topics", "pickle.dnmf"], "pickle.dnmf is a pickle, which dnmf_topics does not read"),
    (["topics", "cut.dnmf"], "cut.dnmf is not a whole file of dnmf_topics (it is shorter than"),
    (["topics", "future.dnmf"], "written in format 99, this version reads 4: upgrade dnmf_topics"),
    (["topics", "run/corpus.dnmf"], "holds 'TextCorpus', not 'DnmfModel'; load it with the class"),
    (["infer", "missing", "news.csv"], "missing holds no model.dnmf"),
    (["infer", "plain.dnmf", "lines.txt"], "does not say how its text was tokenized"),
    (["infer", "ids.dnmf", "lines.txt"], "must have a gensim Dictionary as its id2word"),
    (["infer", "stranger.dnmf", "lines.txt"], "--allow"),
    (["infer", "escapes.dnmf", "lines.txt"], "has unknown settings: '"),
    (["report", "missing"], "missing holds no model.dnmf"),
    (["report", "halved"], "halved holds no corpus.dnmf; name a folder that `fit` wrote"),
    (["report", "damaged"], "run.json is damaged"),
    (["report", "undated"], "run.json is damaged (there are no dates ['day']); run `fit` again"),
    (["report", "unlinked"], "run.json is damaged (there are no links ['url']); run `fit` again"),
    (["report", "mixed"], "model.dnmf and corpus.dnmf are not of the same run; run `fit` again"),
    (["report", "busy-run"], "busy-run is being written by another process"),
    # Trees, and topics to change
    (["tree", "missing"], "missing holds no model.dnmf"),
    (["tree", "run", "--plot", "tree.gif"], "--plot must end in .png, .svg, .pdf, got tree.gif"),
    (["tree", "run", "--plot", "no/tree.png"], "There is no folder no; create it first"),
    (["edit", "run"], "There is nothing to change; give --merge, --reduce or --name"),
    (["edit", "missing", "--merge", "0,1"], "missing holds no model.dnmf"),
    (["edit", "run/model.dnmf", "--merge", "0,1"], "holds no model.dnmf; name a folder"),
    (["edit", "run", "--merge", "0,2"], "--merge must be of topics below 2, got 2"),
    (["edit", "run", "--merge", "0,1", "--merge", "1,0"], "each topic at most once, got 1 twice"),
    (["edit", "run", "--reduce", "3"], "--reduce must be at most 2, the number of topics there"),
    (["edit", "run", "--name", "2=x"], "--name must be of topics below 2, got 2"),
    (["edit", "run", "--name", "0=x", "--name", "0=y"], "--name must give a topic one name"),
    (["edit", "run", "--merge", "0,1", "--name", "0=x", "--name", "1=y"], "a topic one name"),
    (["edit", "run", "--name", "0=a\nb"], "must be one line of text"),
    (["edit", "run", "--name", "0=" + "x" * 300], "at most 200 characters, got 300"),
    (["edit", "run", "--reduce", "1", "--out", "other"], "other holds results already; name anoth"),
    (["edit", "run", "--reduce", "1", "--out", "folder/no/t"], "There is no folder"),
    (["edit", "busy-run", "--reduce", "1"], "busy-run is being written by another process"),
    (["edit", "inside", "--reduce", "1"], "subtopics.dnmf must hold the sub-topics of this run"),
    # Studies
    (["bench", "--out", "t"], "Name a CONFIG, or give --smoke in its place"),
    (["bench", "lines.txt", "--smoke", "--out", "t"], "Name a CONFIG, or give --smoke in its"),
    (["bench", "missing.toml", "--out", "t"], "missing.toml"),
    (["bench", "syntax.toml", "--out", "t"], "syntax.toml"),
    (["bench", "latin.toml", "--out", "t"], "latin.toml"),
    (["bench", "unknown.toml", "--out", "t"], "methods must be one of"),
    (["bench", "nothing.toml", "--out", "t"], "nothing.toml"),
    (["bench", "away.toml", "--out", "t"], "away.dnmf is not there"),
    (["bench", "news.csv", "--out", "t"], "news.csv"),
    (["bench", "folder", "--out", "t"], "folder is a folder or a device; name a TOML file"),
    (["bench", "/dev/zero", "--out", "t"], "/dev/zero is a folder or a device; name a TOML file"),
]  # fmt: skip


USAGE = [
    ([], "dnmf-topics: COMMAND is missing; see dnmf-topics --help"),
    (["ftt", "a.csv"], "dnmf-topics: there is no command 'ftt' (did you mean fit?); see dnmf"),
    (["--quiet", "fit", "a.csv"], "dnmf-topics: there is no option --quiet before the command;"),
    (["--versoin"], "there is no option --versoin before the command (did you mean --version?);"),
    (["fit", "a.csv"], "dnmf-topics fit: --out is missing; see dnmf-topics fit --help"),
    (["fit"], "dnmf-topics fit: INPUT and --out are missing; see dnmf-topics fit --help"),
    (["fit", "a.csv", "--ot", "t"], "there is no option --ot (did you mean --out?); see"),
    (["fit", "a.csv", "--num-topcs=3"], "no option --num-topcs (did you mean --num-topics?);"),
    (["fit", "a.csv", "--out", "t", "-K", "3"], "dnmf-topics fit: there is no option -K;"),
    (["fit", "a.csv", "b.csv", "--out", "t"], "dnmf-topics fit: 'b.csv' is one argument too many;"),
    (["fit", "--out", "t", "--", "a.csv", "-b"], "dnmf-topics fit: '-b' is one argument too many;"),
    (["fit", "a.csv", "--out", "t", "--", "--words"], "'--words' is one argument too many;"),
    (["fit", "a.csv", "--out", "--", "t"], "dnmf-topics fit: --out needs a value;"),
    (["fit", "--", "--help"], "dnmf-topics fit: --out is missing;"),
    (["--", "fit", "--"], "dnmf-topics fit: INPUT and --out are missing;"),
    (["--"], "dnmf-topics: COMMAND is missing;"),
    (["fit", "a.csv", "--out"], "dnmf-topics fit: --out needs a value;"),
    (["fit", "a.csv", "--no", "3"], "fit: --no could match --no-report, --no-below, --no-above;"),
    (["fit", "a.csv", *FIT, "--phrases=yes"], "dnmf-topics fit: --phrases takes no value;"),
    (["fit", "-k", "abc"], "dnmf-topics fit: -k must be a whole number or auto, got 'abc'; see "),
    (["fit", "--num-topics", "0"], "dnmf-topics fit: --num-topics must be at least 1, got 0;"),
    (["fit", "--num-clusterings", "70000"], "--num-clusterings must be from 1 to 65535, got 70000"),
    (["fit", "--jobs", "two"], "dnmf-topics fit: --jobs must be a whole number, got 'two';"),
    (["fit", "--no-above", "2"], "--no-above must be a number above 0 and up to 1, got '2';"),
    (["fit", "--no-above", "half"], "--no-above must be a number above 0 and up to 1, got 'half'"),
    (["fit", "--tokenizer", "spcy"], "got 'spcy' (did you mean spacy?); see dnmf-topics fit"),
    (["fit", "--variant", "nmf"], "--variant must be one of bdnmf, sdnmf, cdnmf, got 'nmf'"),
    (["fit", "--weighting", "idf"], "--weighting must be one of tfidf, none, got 'idf'"),
    (["edit", "run", "--merge", "1"], "--merge must be two topics or more, such as 1,5, got '1';"),
    (["edit", "run", "--merge", "1,x"], "--merge must be two topics or more, such as 1,5, got '1,"),
    (["edit", "run", "--name", "Space"], "--name must be a topic and its name, such as 3=Space, "),
    (["edit", "run", "--name", "9" * 5000 + "=x"], "--name must be a topic and its name"),
    (["fit", "a.csv", "--\x1b]0;title\x07"], "dnmf-topics fit: there is no option --"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "sentence"), USAGE, ids=lambda value: str(value)[:60])
def test_wrong_usage_is_one_line(arguments, sentence, capsys):
    with pytest.raises(SystemExit, match=r"^2$"):
        main(arguments)
    out, err = capsys.readouterr()
    assert out == ""
    assert sentence in err
    assert err.endswith(" --help\n")
    assert err[:-1].isprintable()
    assert len(err) < 700


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """All files, two models and some folders of results that are damaged."""
    folder = tmp_path_factory.mktemp("bad")
    for name, content in FILES.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    for name in ("folder", "links", "texts", "busy"):
        (folder / name).mkdir()
    (folder / "texts" / "a.txt").write_text("rain")
    (folder / "links" / "model.dnmf").symlink_to("/etc/hostname")
    (folder / "endless.csv").symlink_to("/dev/zero")
    (folder / "loop").symlink_to("loop")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        options = [*QUICK, "--quiet", "--no-report"]
        assert main(["fit", "lines.txt", *options, "--out", "run"]) == 0
        assert main(["fit", "short.txt", *options, "--no-below", "1", "--out", "other"]) == 0
        for name in ("halved", "damaged", "undated", "unlinked", "mixed", "busy-run"):
            shutil.copytree("run", name)
        Path("halved/corpus.dnmf").unlink()
        Path("damaged/run.json").write_text("[" * 100_000)
        run = Path("run/run.json").read_text("utf-8")
        Path("undated/run.json").write_text(run.replace('"date": null', '"date": ["day"]'), "utf-8")
        unlinked = run.replace('"link": null', '"link": ["url"]')
        Path("unlinked/run.json").write_text(unlinked, "utf-8")
        shutil.copy("other/corpus.dnmf", "mixed/corpus.dnmf")
        model = DnmfModel.load("run/model.dnmf")
        model.tokenization = Tokenization(tokenizer="spacy", model="a_strangers_package").as_json()
        model.save("stranger.dnmf")
        model.tokenization = {"\x1b]0;title\x07": True}  # which a terminal would obey
        model.save("escapes.dnmf")
        Path("cut.dnmf").write_bytes(Path("run/model.dnmf").read_bytes()[:-64])
        with pytest.MonkeyPatch.context() as later:
            later.setattr(storage, "VERSION", 99)
            model.save("future.dnmf")
        DnmfModel([[(0, 1)], [(1, 2)]], 2, {0: "a", 1: "b"}).save("plain.dnmf")
        shutil.copytree("run", "inside")
        labels = {"labels": np.zeros(3, np.int64)}  # of three documents
        storage.save("inside/subtopics.dnmf", "Subtopics", {"topics": []}, labels, {})
        corpus = build_corpus(LINES)
        DnmfModel(
            corpus.counts, 2, corpus.dictionary, num_clusterings=5, n_jobs=1,
            embeddings=np.random.default_rng(0).random((40, 2)),
        ).save("vectors.dnmf")  # fmt: skip
        counts = build_corpus(LINES, no_below=1).counts
        DnmfModel(counts, 2, num_clusterings=5, n_jobs=1).save("ids.dnmf")
    return folder


def snapshot(folder):
    return {path: path.lstat().st_mtime_ns for path in folder.rglob("*") if not path.is_dir()}


@pytest.fixture
def call(capsys):
    def call_main(*arguments):
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call_main


@pytest.mark.parametrize(("arguments", "sentence"), CASES, ids=lambda value: str(value)[:60])
def test_bad_input_gets_one_sentence_and_leaves_all_as_it_was(
    arguments, sentence, folder, call, monkeypatch
):
    monkeypatch.chdir(folder)
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)  # as if it were not there
    before = snapshot(folder)
    with only_writer(folder / "busy"), only_writer(folder / "busy-run"):
        code, out, err = call(*arguments, "--quiet")
    assert (code, out) == (1, "")
    said = [line for line in err.splitlines() if line.startswith("dnmf-topics: error: ")]
    assert said == err.splitlines()[-1:]
    assert sentence in said[0]
    assert re.search(r"[^.]\.$", said[0])
    assert "Traceback" not in err
    assert said[0].isprintable()
    assert len(said[0]) < 700
    assert snapshot(folder) == before


FAULTS = [
    RuntimeError("it\nbroke"), RecursionError("too deep"), OverflowError("too large"),
    KeyError("k"), AttributeError("no such thing"), AssertionError(),
    ZeroDivisionError("division by zero"),
    UnicodeEncodeError("ascii", "é", 0, 1, "no"), MemoryError(), OSError(28, "No space left"),
    StopIteration(), NotImplementedError("later"), IndexError("beyond"), SystemError("bad"),
]  # fmt: skip


@pytest.mark.parametrize("error", FAULTS, ids=lambda error: type(error).__name__)
def test_an_error_of_any_kind_is_one_sentence(error, call, monkeypatch):
    def fail(*_):
        raise error

    monkeypatch.setitem(commands.COMMANDS, "topics", fail)
    code, out, err = call("topics", "t")
    assert (code, out) == (1, "")
    assert re.fullmatch(r"dnmf-topics: error: .+\.\n", err)
    code, out, err = call("topics", "t", "--debug")
    assert (code, out) == (1, "")
    assert "Traceback" in err
    assert err.splitlines()[-1].startswith("dnmf-topics: error: ")


def test_a_page_that_fails_is_a_warning_and_the_model_is_there(folder, call, monkeypatch, tmp_path):
    def fail(*_, **__):
        assert (tmp_path / "t" / "model.dnmf").is_file()  # before the page is tried
        raise RuntimeError("nothing to draw")

    monkeypatch.setattr("dnmf_topics.cli.results.write_report", fail)
    code, out, err = call("fit", folder / "lines.txt", *QUICK, "--out", tmp_path / "t", "--json")
    assert code == 0
    assert "report" not in json.loads(out)
    assert "the page could not be made: RuntimeError: nothing to draw" in err
    assert "Traceback" not in err
    assert sorted(os.listdir(tmp_path / "t")) == [
        "corpus.dnmf", "documents.csv", "model.dnmf", "run.json", "topics.csv",
    ]  # fmt: skip
    monkeypatch.undo()
    assert call("report", tmp_path / "t")[0] == 0
    assert (tmp_path / "t" / "report.html").is_file()


def test_what_others_put_into_the_folder_meanwhile_is_kept(folder, call, monkeypatch, tmp_path):
    options = [folder / "lines.txt", *QUICK, "--quiet", "--out", tmp_path / "replaced"]
    assert call("fit", *options)[0] == 0
    (tmp_path / "replaced" / "report.html").chmod(0o600)
    write = results.write_run

    def write_beside(*args, **options):
        write(*args, **options)
        (tmp_path / "replaced" / "mine.csv").write_text("mine")

    monkeypatch.setattr(results, "write_run", write_beside)
    assert call("fit", *options, "--force")[0] == 0
    assert (tmp_path / "replaced" / "mine.csv").read_text() == "mine"
    assert (tmp_path / "replaced" / "report.html").stat().st_mode & 0o777 == 0o600
    assert os.listdir(tmp_path) == ["replaced"]
