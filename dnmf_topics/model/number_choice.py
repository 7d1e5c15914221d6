"""How many topics a corpus has: the choice with its whole curve, as a value to look at."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from gensim.utils import get_random_state
from scipy import sparse

from ..common.blocks import Blocks, DerivedBlocks
from ..common.checks import check_int, check_jobs, shortened
from ..common.documents import AnyCorpus
from ..common.pictures import new_axes
from ..common.spool import MAX_IN_MEMORY
from ..core import Mbn, NumberCurve, UnitDocuments, choose_number, unit_rows, weigh_blocks
from .learning import NO_WEIGHT, find_weighting
from .reporting import reporting
from .settings import Resources, check_weighting
from .vocabulary import vocabulary_size
from .workshop import Workshop

if TYPE_CHECKING:
    import pandas as pd

logger = logging.getLogger(__name__)

BAR = "\u2588"  # a full block
BAR_LENGTH = 40
TICKS = (1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 500, 1000)


@dataclass(frozen=True, eq=False)
class NumTopicsChoice(NumberCurve):
    """How many topics to take, and how well every number did; `choose_num_topics` makes it.

    Attributes
    ----------
    number : int
        The number of topics to take.
    low, high : int
        How sure it is: the numbers around it that do about as well. In measurements on labeled
        corpora the number of their classes was in this range in two of three cases.
    alternatives : tuple of int
        Other numbers worth a look, at which the curve has a maximum too; the best first.
    candidates : tuple of int
        The numbers that were tried, in ascending order.
    scores : tuple of float
        What they are compared by: the information over a power of the entropy.
    information : tuple of float
        What one half of the words tells about the topics that the other half finds, in nats.
    num_docs : int
        How many documents they were tried on at a time.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csc_array
    >>> rates = np.kron(np.eye(3), np.full((20, 10), 2))  # 60 documents of three kinds
    >>> counts = np.random.default_rng(0).poisson(rates)
    >>> choice = choose_num_topics(csc_array(counts.T), random_state=0)
    >>> choice.number, choice.low, choice.high
    (3, 3, 3)
    """

    def __str__(self) -> str:
        """The number, how sure it is, and the curve as bars."""
        lines = [self.sentence(), ""]
        best = max(self.scores)
        for number, score in zip(self.candidates, self.scores, strict=True):
            bar = BAR * round(BAR_LENGTH * score / best) if best > 0 else ""
            lines.append(f"{number:6d} {self._mark(number)} {score:6.3f} {bar}".rstrip())
        return "\n".join(lines)

    def sentence(self) -> str:
        """What was found, in words.

        Returns
        -------
        str

        Examples
        --------
        >>> import numpy as np
        >>> from scipy.sparse import csc_array
        >>> rates = np.kron(np.eye(3), np.full((20, 10), 2))  # 60 documents of three kinds
        >>> counts = np.random.default_rng(0).poisson(rates)
        >>> print(choose_num_topics(csc_array(counts.T), random_state=0).sentence())
        3 topics; no other number does about as well
        """
        topics = f"{self.number} topic{'s' if self.number > 1 else ''}"
        if len(self.candidates) == 1:
            return f"{topics}, the only number that was tried"
        if self.low == self.high:
            found = f"{topics}; no other number does about as well"
        else:
            found = f"{topics}; {self.low} to {self.high} do about as well"
        if self.alternatives:
            found += f"; also worth a look: {', '.join(map(str, self.alternatives))}"
        return found

    def _mark(self, number: int) -> str:
        if number == self.number:
            return "*"
        return "+" if number in self.alternatives else "|" if self._is_near(number) else " "

    def to_frame(self) -> pd.DataFrame:
        """The curve as a table.

        Returns
        -------
        pandas.DataFrame
            A row for each candidate: num_topics, score, information, near (whether it does about
            as well as the number taken), taken, alternative.

        Examples
        --------
        >>> import numpy as np
        >>> from scipy.sparse import csc_array
        >>> rates = np.kron(np.eye(3), np.full((20, 10), 2))  # 60 documents of three kinds
        >>> counts = np.random.default_rng(0).poisson(rates)
        >>> frame = choose_num_topics(csc_array(counts.T), random_state=0).to_frame()
        >>> frame.loc[frame["taken"], "num_topics"].tolist()
        [3]
        """
        import pandas as pd

        return pd.DataFrame(
            {
                "num_topics": self.candidates,
                "score": self.scores,
                "information": self.information,
                "near": [self._is_near(number) for number in self.candidates],
                "taken": [number == self.number for number in self.candidates],
                "alternative": [number in self.alternatives for number in self.candidates],
            }
        )

    def plot(self, ax: Any = None) -> Any:
        """Draw the curve with the number taken, its range and the alternatives.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        matplotlib Axes

        Examples
        --------
        >>> import numpy as np
        >>> from scipy.sparse import csc_array
        >>> rates = np.kron(np.eye(3), np.full((20, 10), 2))  # 60 documents of three kinds
        >>> counts = np.random.default_rng(0).poisson(rates)
        >>> axes = choose_num_topics(csc_array(counts.T), random_state=0).plot()
        >>> axes.get_xlabel()
        'number of topics'
        """
        if ax is None:
            ax = new_axes(6, 3.5)
        ax.set_xscale("log")
        ax.plot(self.candidates, self.scores, color="#4477aa", marker=".")
        ax.axvspan(self.low, self.high, color="#4477aa", alpha=0.15, lw=0, label="about as well")
        score_of = dict(zip(self.candidates, self.scores, strict=True))
        ax.plot(
            self.number, score_of[self.number], "o", color="#cc3311", label=f"{self.number} topics"
        )
        if self.alternatives:
            ax.plot(
                self.alternatives, [score_of[each] for each in self.alternatives], "o",
                color="#cc3311", fillstyle="none", label="worth a look",
            )  # fmt: skip
        first, last = self.candidates[0], self.candidates[-1]
        shown = [each for each in TICKS if first <= each <= last]
        ax.set_xticks(shown, [str(each) for each in shown])
        ax.minorticks_off()
        ax.set_xlabel("number of topics")
        ax.set_ylabel("score")
        ax.legend(frameon=False)
        return ax


def choose_num_topics(
    corpus: AnyCorpus,
    id2word: Any = None,
    *,
    min_topics: int = 2,
    max_topics: int | None = None,
    candidates: Iterable[int] | None = None,
    random_state: Any = None,
    weighting: str = "auto",
    num_clusterings: int = 200,
    delta: float = 0.5,
    first_layer_size: int | None = None,
    last_layer_size: int | Literal["auto"] = "auto",
    n_jobs: int | None = -1,
    show_progress: bool = False,
    distributed: bool = False,
    ns_conf: dict[str, Any] | None = None,
    spool: Any = None,
    max_in_memory: int = MAX_IN_MEMORY,
) -> NumTopicsChoice:
    """Choose how many topics a corpus has, without labels and without training a model.

    The vocabulary is halved, and up to 3,000 of the documents are clustered twice with each number,
    by the words of the one half and by those of the other. The more the two clusterings share, for
    what they say, the better the number. The best ones are tried again with other halves and other
    documents. That takes about twice as long as training a model.
    ``DnmfModel(corpus, num_topics="auto", random_state=0)`` takes the number that this function
    gives with the same `random_state` and the same settings.

    Parameters
    ----------
    corpus : iterable of documents, or sparse matrix
        As in `DnmfModel`.
    id2word : dict or gensim Dictionary, optional
        The vocabulary; without it, the terms are those of the corpus.
    min_topics : int, default=2
        The smallest number to try.
    max_topics : int, optional
        The largest. By default 18, and more as long as the largest one tried might be the best: up
        to an eighth of the documents, and to 100.
    candidates : iterable of int, optional
        The numbers to try, in the place of a series from `min_topics` to `max_topics` whose numbers
        grow by a fifth.
    random_state : int or RandomState, optional
        The same int gives the same choice. A RandomState is left as it is.
    weighting, num_clusterings, delta, first_layer_size, last_layer_size, n_jobs, show_progress,
    distributed, ns_conf, spool, max_in_memory : as in `DnmfModel`
        How the documents are weighted and grouped, and where that happens.

    Returns
    -------
    NumTopicsChoice

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csc_array
    >>> rates = np.kron(np.eye(3), np.full((20, 10), 2))  # 60 documents of three kinds
    >>> counts = np.random.default_rng(0).poisson(rates)
    >>> choice = choose_num_topics(csc_array(counts.T), random_state=0)
    >>> choice.number, choice.candidates
    (3, (2, 3, 4, 5, 6, 7))
    """
    check_weighting(weighting)
    check_jobs(n_jobs)
    network = Mbn(
        num_clusterings=num_clusterings, delta=delta, first_layer_size=first_layer_size,
        last_layer_size=last_layer_size,
    )  # fmt: skip
    min_topics = check_int(min_topics, "min_topics", 1)
    if max_topics is not None:
        max_topics = check_int(max_topics, "max_topics", min_topics)
    if candidates is not None and not isinstance(candidates, Iterable):
        raise TypeError(f"candidates must be a list of numbers, got {shortened(candidates)}.")
    resources = Resources(distributed, ns_conf, spool, max_in_memory)
    random_state = get_random_state(random_state)
    with Workshop(resources, n_jobs) as workshop:
        counts = workshop.read(corpus, None if id2word is None else vocabulary_size(id2word))
        if candidates is None and min_topics > max(2, counts.shape[0]):
            raise ValueError(
                f"min_topics must be at most {counts.shape[0]}, the number of documents, got "
                f"{min_topics}."
            )
        return choose_for(
            counts, network, weighting, random_state, workshop, candidates=candidates,
            limits=(min_topics, max_topics), show_progress=show_progress,
        )  # fmt: skip


def choose_for(
    counts: Blocks,
    network: Mbn,
    weighting: str,
    random_state: np.random.RandomState,
    workshop: Workshop,
    *,
    candidates: Iterable[int] | None = None,
    limits: tuple[int, int | None] = (2, None),
    show_progress: bool = False,
) -> NumTopicsChoice:
    """The choice for documents (N x V), with the seed that a model's training begins with."""
    num_docs = counts.shape[0]
    if num_docs == 0:
        raise ValueError("corpus must have documents to choose the number of topics by, got none.")
    weighs = find_weighting(counts, weighting, workshop) == "tfidf"
    documents = weigh_blocks(counts, workshop.engine) if weighs else counts
    # Made when they are asked for: of a large corpus, those that are tried.
    units = UnitDocuments(DerivedBlocks(documents, _unit_block), np.arange(num_docs), num_docs)
    lowest, highest = limits
    with reporting(show_progress) as progress:
        curve = choose_number(
            units, network, candidates, next_seed(random_state), workshop.engine, progress,
            lowest=lowest, highest=highest,
        )  # fmt: skip
    if curve.num_docs == 0:
        raise ValueError(NO_WEIGHT)
    choice = NumTopicsChoice(**vars(curve))
    logger.info("how many topics: %s", choice.sentence())
    return choice


def next_seed(random_state: np.random.RandomState) -> np.random.SeedSequence:
    """The seed that the next training draws, without drawing it."""
    state = random_state.get_state()
    seed = int(random_state.randint(2**31))
    random_state.set_state(state)
    return np.random.SeedSequence(seed)


def _unit_block(doc_term: sparse.csr_array) -> sparse.csr_array:
    return unit_rows(doc_term).astype(np.float32)
