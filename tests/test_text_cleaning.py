"""What is left out of texts before they are cut into words: headers, quotes, signatures, LaTeX."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from real_texts import arxiv_texts, newsgroups_texts

from dnmf_topics.text import Tokenization, build_corpus
from dnmf_topics.text.cleaning import strip_headers, strip_quotes, strip_signature
from dnmf_topics.text.latex import strip_latex

# Posts and e-mails

POST = """From: a@b.edu (A. B.)
Subject: Re: Rivers of Asia
Organization: Some
  Where
Lines: 9

In article <1@x> c@d writes:
>quoted line
JD> quoted too
My answer: see below > here.
| piped
"""


def test_headers_and_quotes():
    assert strip_headers(POST).startswith("Rivers of Asia\nIn article <1@x>")
    assert strip_quotes(strip_headers(POST)).split("\n") == [
        "Rivers of Asia", "", "", "", "My answer: see below > here.", "", "",
    ]  # fmt: skip
    steps = Tokenization(strip_headers=True, strip_quotes=True, stop_words=None, min_length=1)
    assert list(steps.tokens([POST])) == [
        ["rivers", "of", "asia", "my", "answer", "see", "below", "here"]
    ]
    for text in [
        "No header\n\nhere: at all",
        "",
        "Note: one line",
        "Dear all:\nhello\n\nx",
        "A: b\n\nc",
    ]:
        assert strip_headers(text) == text


def test_headers_of_real_posts(corpora_folder):
    texts = newsgroups_texts(corpora_folder)[:2000]
    bodies = [strip_headers(text) for text in texts]
    assert sum("Organization:" in text for text in texts) > 1500
    assert sum("Organization:" in body for body in bodies) < 20
    for text, body in zip(texts, bodies, strict=True):
        assert body.strip().endswith(text.partition("\n\n")[2].strip())
    assert sum(map(len, map(strip_quotes, bodies))) < 0.9 * sum(map(len, bodies))


def test_windows_line_ends_in_a_post():
    assert "Some" not in strip_headers(POST.replace("\n", "\r\n"))
    assert strip_signature("Rain.\r\n-- \r\nA. B.\r\n") == "Rain.\r"


SIGNATURE = "A. B. | a@b.edu\nSome Where | 'Rivers are roads'"
BOX = f"+------------+\n| {SIGNATURE}\n+------------+"


@pytest.mark.parametrize(
    ("body", "signature"),
    [
        ("Rain and wine.", f"-- \n{SIGNATURE}\n"),
        ("Rain\n\nand wine.\n", f"--\n\n{SIGNATURE}\n\nEnd\n\n"),  # the space is often lost
        ("Rain -- and wine\n-- a list\n---", f"-- \n{BOX}"),
        ("First\n--\nSecond", f"--\n{SIGNATURE}"),  # the last line of hyphens begins it
        ("Rain and wine.", BOX),
        ("Rain\n=====\nand wine.\n\n", f"_______\n{SIGNATURE}"),
        ("", f"-- \n{SIGNATURE}"),
        ("Rain and wine. a@b.edu", ""),
        ("Rain\n-- \n" + "and wine\n" * 13, ""),  # too long
        ("Rain\n=======\nand wine.", ""),  # no address
        ("=======\n\nWho sells wine?\n\nA. B.\na@b.edu", ""),  # a heading
    ],
)
def test_signatures(body, signature):
    assert strip_signature(f"{body}\n{signature}").rstrip() == body.rstrip()


@given(st.lists(st.sampled_from(["--", "-- ", "=====", "a@b.edu", "rain", "", "\r"])))
def test_a_text_without_its_signature_begins_as_it_did(lines):
    text = "\n".join(lines)
    rest = strip_signature(text)
    assert text.startswith(rest)
    assert len(text.rstrip()[len(rest) :].split("\n")) <= 12 + 2  # the lines and what leads to them


def test_signatures_of_real_posts(corpora_folder):
    texts = [strip_headers(text) for text in newsgroups_texts(corpora_folder)[:4000]]
    rests = list(map(strip_signature, texts))
    assert 0.3 < sum(map(str.__ne__, texts, rests)) / len(texts) < 0.5
    assert 0.9 < sum(map(len, rests)) / sum(map(len, texts)) < 0.97
    # A signature that made a topic of its own once; others quote it
    assert sum("Skepticism is the chastity" in text for text in texts) > 5
    assert sum("Skepticism is the chastity" in strip_quotes(text) for text in rests) == 0


# LaTeX


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        (r"A $p$-adic proof that $x^2 \neq \frac{1}{2}$.", "A -adic proof that ."),
        (r"An 8$\times$8 board, A$\beta$42, $ C $ and $A,B $", "An 8 8 board, A 42, and"),
        (r"We show \[ a < b \] and \( c \), $$d \\ e$$ too", "We show and , too"),
        (r"\begin{align*} a &= b \end{align*} holds", "holds"),
        (r"\begin{abstract}Rain\end{abstract}", "Rain"),
        (r"\emph{planar} \textbf{\emph{curves}} {\it ab initio}", "planar curves ab initio"),
        (r"by Knuth~\cite[p.~3]{knuth84,TeX} and \citep{a} (\ref{eq:1})", "by Knuth and ( )"),
        (r"\href{https://x.org}{the page}\footnote{of ours}", "the page of ours"),
        (r"Schr\"odinger, Poincar\'{e}, Erd\H{o}s", "Schrödinger, Poincaré, Erdős"),
        (r"\v{C}ech, {\"O}l, M\o{}ller, na\"{\i}ve", "Čech, Öl, Møller, naïve"),
        (r"Stra\ss e, \AA ngstr\"om, \v{x}", "Straße, Ångström, x̌"),
        (r"a \alpha b \\ c 5\% of \$5 re\-act x_{ij} a_b", "a b c 5 of 5 react x a_b"),
        ("raised $5 million, $6 million more", "raised $5 million, $6 million more"),
        ("from $5 or $10 to $ 3 million for $x^2$.", "from $5 or $10 to $ 3 million for ."),
        ("Fe^11+$ forming iron and $x$ too", "Fe^11+$ forming iron and too"),
        ("no LaTeX ~ {at all}", "no LaTeX ~ {at all}"),
        ("", ""),
    ],
)  # fmt: skip
def test_latex(text, rest):
    assert " ".join(strip_latex(text).split()) == rest


LATEX_PIECES = [
    "$", "$$", "\\", "{", "}", "[", "]", "\\(", "\\)", "\\[", "\\]", "rain", " wine ", " ", "5",
    "~", "\n\n", "\\emph{", "\\cite{a}", "\\begin{align}", "\\end{align}", '\\"', "o", "\\H", "_{",
    "^", "\\-", "*",
]  # fmt: skip


@given(st.lists(st.sampled_from(LATEX_PIECES)).map("".join) | st.text())
def test_latex_is_stripped_once_for_all(text):
    rest = strip_latex(text)
    assert "\\" not in rest
    if "$" not in rest:  # else prices and formulas may change their places
        assert strip_latex(rest) == rest


def test_latex_of_real_abstracts(corpora_folder):
    texts = arxiv_texts(corpora_folder)[:3000]
    rests = list(map(strip_latex, texts))
    assert 0.9 < sum(map(len, rests)) / sum(map(len, texts)) < 0.98
    found = Counter(word for words in Tokenization().tokens(rests) for word in words)
    before = Counter(word for words in Tokenization().tokens(texts) for word in words)
    for command in ("mathcal", "frac", "emph", "cite", "infty"):
        assert before[command] > 5
        assert found[command] <= 2  # some lost the backslash
    assert before["odinger"] > 5
    assert found["odinger"] <= 1
    assert found["schrödinger"] >= before["odinger"]
    # All words but those of formulas and commands stay.
    assert sum((before - found).values()) < 0.03 * before.total()


# As settings


def test_what_is_stripped_has_no_words_and_is_not_shown():
    post = rf"{POST}The $x^2$ of Schr\"odinger{chr(10)}-- {chr(10)}{SIGNATURE}"
    every = {f"strip_{part}": True for part in ("headers", "quotes", "signatures", "latex")}
    corpus = build_corpus([post], Tokenization(**every), no_below=1, no_above=1.0)
    assert sorted(corpus.dictionary.token2id) == ["answer", "asia", "rivers", "schrödinger"]
    assert corpus.excerpts == ("Rivers of Asia My answer: see below > here. The of Schrödinger",)
    untouched = build_corpus([post], no_below=1, no_above=1.0)
    assert {"edu", "quoted", "roads", "odinger"} <= set(untouched.dictionary.token2id)
