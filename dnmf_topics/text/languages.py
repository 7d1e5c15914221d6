"""The languages by name and code: one table for stop words, NLTK's stemmers and spaCy."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from ..common.checks import shortened

# Codes of ISO 639-1 (or 639-3 where there is none) and of 639-3, and the English name. In the first
# column are all that the lists of stop words, NLTK's stemmers and spaCy's pipelines know.
TABLE = """
af afr afrikaans      am amh amharic        ar ara arabic         az aze azerbaijani
bg bul bulgarian      bn ben bengali        bo bod tibetan        br bre breton
ca cat catalan        cs ces czech          da dan danish         de deu german
dsb dsb lower-sorbian el ell greek          en eng english        eo epo esperanto
es spa spanish        et est estonian       eu eus basque         fa fas persian
fi fin finnish        fo fao faroese        fr fra french         ga gle irish
gd gla scottish-gaelic gl glg galician      grc grc ancient-greek gu guj gujarati
ha hau hausa          he heb hebrew         hi hin hindi          hr hrv croatian
hsb hsb upper-sorbian ht hat haitian-creole hu hun hungarian      hy hye armenian
id ind indonesian     is isl icelandic      it ita italian        ja jpn japanese
kmr kmr kurmanji      kn kan kannada        ko kor korean         ku kur kurdish
ky kir kyrgyz         la lat latin          lb ltz luxembourgish  lg lug luganda
lij lij ligurian      lt lit lithuanian     lv lav latvian        mk mkd macedonian
ml mal malayalam      mr mar marathi        ms msa malay          nb nob bokmal
ne nep nepali         nl nld dutch          nn nno nynorsk        no nor norwegian
pl pol polish         pt por portuguese     ro ron romanian       ru rus russian
sa san sanskrit       si sin sinhala        sk slk slovak         sl slv slovenian
so som somali         sq sqi albanian       sr srp serbian        st sot sotho
sv swe swedish        sw swa swahili        ta tam tamil          te tel telugu
th tha thai           ti tir tigrinya       tl tgl tagalog        tn tsn tswana
tr tur turkish        tt tat tatar          uk ukr ukrainian      ur urd urdu
vi vie vietnamese     xx mul multilingual   yo yor yoruba         zh zho chinese
zu zul zulu
"""


@dataclass(frozen=True)
class Language:
    """A language: its code, and what others call it."""

    code: str
    code3: str
    name: str

    @property
    def title(self) -> str:
        """The name in a sentence."""
        return self.name.title().replace("-", " ")

    @property
    def group(self) -> str:
        """The code that stands for its written forms together: Norwegian has two."""
        return "no" if self.code in ("nb", "nn") else self.code

    @property
    def spacy(self) -> str:
        """SpaCy's code."""
        return "nb" if self.code == "no" else self.code


def _rows() -> dict[str, Language]:
    words = TABLE.split()
    triples = zip(*(iter(words),) * 3, strict=True)
    return {code: Language(code, code3, name) for code, code3, name in triples}


LANGUAGES = _rows()
"""By code."""
_BY_NAME = {
    name: language
    for language in LANGUAGES.values()
    for name in (language.name, language.code3, language.code)
}


def find_language(name: Any) -> Language | None:
    """The language of a name or a code, in any case; None if there is none."""
    if not isinstance(name, str):
        return None
    return _BY_NAME.get(name.lower().replace(" ", "-").replace("_", "-"))


def language_of(name: Any) -> Language:
    """The language of a name or a code; if there is none, similar names and all codes are said."""
    found = find_language(name)
    if found is None:
        base = str(name).lower().replace("_", "-").partition("-")[0]  # of "pt-br"
        close = [base] if base in _BY_NAME else get_close_matches(str(name).lower(), _BY_NAME, 3)
        similar = " or ".join(dict.fromkeys(repr(_BY_NAME[each].name) for each in close))
        raise ValueError(
            f"language must be the name or the ISO code of a language, got {shortened(name)}"
            f"{f' (did you mean {similar}?)' if similar else ''}; the codes are "
            f"{', '.join(LANGUAGES)}."
        )
    return found
