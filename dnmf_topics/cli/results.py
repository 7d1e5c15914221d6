"""Results of a run on their way to their folder, and the page after them."""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..common.excerpts import MOST_ON_PAGE
from ..common.writing import keep_permissions, put_in_place
from ..model import DnmfModel
from ..text import TextCorpus
from .errors import sentence
from .inside import Inside
from .run_folder import REPORT, take_over, topics_of, write_report, write_run
from .screen import Screen

logger = logging.getLogger(__name__)

CHOSEN = "number of topics"  # the fact that tells how it was chosen
PAGE = "page"  # the stage that makes it
NUM_WORDS = 10  # of a topic in tables, where a run does not say it


@dataclass(frozen=True, eq=False)
class Results:
    """All that a run has to say."""

    model: DnmfModel
    corpus: TextCorpus
    title: str
    facts: Mapping[str, Any]
    options: Mapping[str, Any]
    subtopics: Mapping[int, Inside]
    edits: Sequence[Mapping[str, Any]] = ()

    @property
    def num_words(self) -> int:
        """Words of a topic in tables."""
        number = self.options.get("words")
        return number if isinstance(number, int) and number > 0 else NUM_WORDS


def place_results(
    out: Path, workshop: Path, results: Results, screen: Screen, *, with_page: bool
) -> dict[str, Any]:
    """Write the results into `out`; until they are complete they lie in `workshop`."""
    folder = workshop / "new"
    folder.mkdir()
    with screen.stage("model and tables"):
        write_run(
            folder, results.model, results.corpus, results.facts, title=results.title,
            options=results.options, num_words=results.num_words, subtopics=results.subtopics,
            edits=results.edits,
        )  # fmt: skip
    put_in_place(folder, out)
    take_over(folder, out)
    found: dict[str, Any] = {
        "out": str(out),
        "documents": len(results.corpus),
        "terms": len(results.corpus.dictionary),
    }
    if with_page and _fits_on_page(results.corpus):
        try:
            if folder.exists():  # the old one, whose room the page may need
                with suppress(FileNotFoundError):
                    os.replace(folder / REPORT, workshop / "old page")
                shutil.rmtree(folder)
            with screen.stage(PAGE):
                write_report(
                    workshop / REPORT, results.model, results.corpus, results.facts,
                    title=results.title, options=results.options, subtopics=results.subtopics,
                )  # fmt: skip
            keep_permissions(workshop / "old page", workshop / REPORT)
            os.replace(workshop / REPORT, out / REPORT)
            found["report"] = str(out / REPORT)
        except Exception as error:  # the model is there, and `report` can try again
            debug = bool(results.options.get("debug"))
            logger.warning("the page could not be made: %s", sentence(error), exc_info=debug)
    return found | {"topics": topics_of(results.model, results.num_words)}


def _fits_on_page(corpus: TextCorpus) -> bool:
    """Whether the page, which shows every document, can be made; else it is said."""
    if len(corpus) <= MOST_ON_PAGE:
        return True
    logger.warning(
        "no page is written: it shows up to %i documents, and there are %i (--no-report leaves it "
        "out without a warning)",
        MOST_ON_PAGE, len(corpus),
    )  # fmt: skip
    return False
