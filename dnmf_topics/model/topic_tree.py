"""How topics hang together: a tree, as a value that prints, plots and converts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..common.arrays import Dense
from ..common.checks import check_int
from ..common.pictures import new_axes

if TYPE_CHECKING:
    import pandas as pd

# Names of merges are drawn to the right of them, from this share of the last one's height on: lower
# ones have no room before the topics' names.
NAMED_FROM = 0.25
LINE_HEIGHT, PICTURE_WIDTH = 0.28, 10.0  # inches


@dataclass(frozen=True, eq=False)
class TopicTree:
    """A tree over K topics, from `DnmfModel.hierarchy`.

    The nodes 0 to K - 1 are the topics; merge i makes node K + i of two others, and the last one,
    2K - 2, is the root.

    Attributes
    ----------
    merges : (K - 1 x 2) array of int
        The two nodes of every merge, the smaller number first.
    heights : (K - 1) array
        What the merges cost, non-decreasing: how much less the documents of both agree than those
        of each.
    sizes : (2K - 1) array of int
        Number of documents of every node.
    names : tuple of str
        A name for every node: of topics their own, of the others what their parts have in common.
    words : tuple of tuples of str
        The words of every node, the heaviest first, as `get_topics` weighs them.

    Examples
    --------
    >>> from gensim.test.utils import common_corpus, common_dictionary
    >>> from dnmf_topics import DnmfModel
    >>> tree = DnmfModel(common_corpus, 3, common_dictionary, random_state=0).hierarchy()
    >>> tree.num_topics, tree.sizes.tolist()
    (3, [4, 3, 2, 5, 9])
    >>> tree.cut(2)
    [[0], [1, 2]]
    """

    merges: NDArray[np.int64]
    heights: Dense
    sizes: NDArray[np.int64]
    names: tuple[str, ...]
    words: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        for array in (self.merges, self.heights, self.sizes):
            array.flags.writeable = False

    @property
    def num_topics(self) -> int:
        """Number of topics, the leaves."""
        return len(self.merges) + 1

    def cut(self, n: int) -> list[list[int]]:
        """The topics in n groups, as the tree has them where n nodes are left.

        Parameters
        ----------
        n : int
            Number of groups, from 1 to the number of topics.

        Returns
        -------
        list of lists of int
            The groups, each in ascending order, by their smallest topic.

        Examples
        --------
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> from dnmf_topics import DnmfModel
        >>> tree = DnmfModel(common_corpus, 3, common_dictionary, random_state=0).hierarchy()
        >>> tree.cut(3), tree.cut(1)
        ([[0], [1], [2]], [[0, 1, 2]])
        """
        n = check_int(n, "n", 1, self.num_topics)
        groups = {topic: [topic] for topic in range(self.num_topics)}
        for step, (a, b) in enumerate(self.merges[: self.num_topics - n].tolist()):
            groups[self.num_topics + step] = sorted(groups.pop(a) + groups.pop(b))
        return sorted(groups.values())

    def linkage(self) -> Dense:
        """The tree as scipy's linkage matrix, for `scipy.cluster.hierarchy`.

        Returns
        -------
        (K - 1 x 4) array
            The two nodes of each merge, its height, and how many topics it has.

        Examples
        --------
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> from scipy.cluster.hierarchy import is_valid_linkage
        >>> from dnmf_topics import DnmfModel
        >>> tree = DnmfModel(common_corpus, 3, common_dictionary, random_state=0).hierarchy()
        >>> bool(is_valid_linkage(tree.linkage()))
        True
        """
        num_leaves = np.ones(2 * self.num_topics - 1)
        for step, pair in enumerate(self.merges):
            num_leaves[self.num_topics + step] = num_leaves[pair].sum()
        return np.column_stack([self.merges, self.heights, num_leaves[self.num_topics :]])

    def to_frame(self) -> pd.DataFrame:
        """A row for each node, the topics first.

        Returns
        -------
        pandas.DataFrame
            `node`, its `parent` (missing for the root), the `height` of its merge (0 for topics),
            `size` (number of documents), their `share` of all, `name`, and `words` (a list).

        Examples
        --------
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> from dnmf_topics import DnmfModel
        >>> tree = DnmfModel(common_corpus, 3, common_dictionary, random_state=0).hierarchy()
        >>> tree.to_frame()[["node", "parent", "size"]].values.tolist()
        [[0, 4, 4], [1, 3, 3], [2, 3, 2], [3, 4, 5], [4, <NA>, 9]]
        """
        import pandas as pd

        num_topics = self.num_topics
        parents: list[int | None] = [None] * (2 * num_topics - 1)
        for step, (a, b) in enumerate(self.merges.tolist()):
            parents[a] = parents[b] = num_topics + step
        return pd.DataFrame(
            {
                "node": np.arange(len(parents)),
                "parent": pd.array(parents, dtype="Int64"),
                "height": np.concatenate([np.zeros(num_topics), self.heights]),
                "size": self.sizes,
                "share": self.sizes / max(float(self.sizes[-1]), 1.0),
                "name": list(self.names),
                "words": [list(words) for words in self.words],
            }
        )

    def plot(self, ax: Any = None) -> Any:
        """Draw the tree with the names of its nodes (matplotlib must be installed).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default on a figure of its own.

        Returns
        -------
        matplotlib Axes
            With the picture: ``tree.plot().figure.savefig("tree.png")``.

        Examples
        --------
        >>> import matplotlib
        >>> matplotlib.use("agg")
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> from dnmf_topics import DnmfModel
        >>> tree = DnmfModel(common_corpus, 3, common_dictionary, random_state=0).hierarchy()
        >>> [label.get_text() for label in tree.plot().get_yticklabels()][-1]
        '1: human, interface, eps (3)'
        """
        if ax is None:
            # As high as so many lines need.
            ax = new_axes(PICTURE_WIDTH, max(2.0, LINE_HEIGHT * self.num_topics + 0.8))
        return _draw(self, ax)

    def __str__(self) -> str:
        """The tree drawn with lines, the root first."""
        return "\n".join(self._lines(2 * self.num_topics - 2, "", ""))

    def _lines(self, node: int, first: str, rest: str) -> Iterator[str]:
        """Lines of a node and all below it; `first` stands before the first one."""
        # A stack and no recursion: a tree may be as deep as it has topics.
        waiting = [(node, first, rest)]
        while waiting:
            node, first, rest = waiting.pop()
            yield first + self._label(node)
            if node >= self.num_topics:
                upper, lower = self._children(node)
                waiting.append((lower, f"{rest}└─ ", f"{rest}   "))
                waiting.append((upper, f"{rest}├─ ", f"{rest}│  "))

    def _children(self, node: int) -> tuple[int, int]:
        """The nodes that were merged into one, the larger first."""
        a, b = self.merges[node - self.num_topics].tolist()
        return (a, b) if self.sizes[a] >= self.sizes[b] else (b, a)

    def _label(self, node: int) -> str:
        """Topics have their number before their name."""
        number = f"{node}: " if node < self.num_topics else ""
        return f"{number}{self.names[node]} ({self.sizes[node]})"


def _draw(tree: TopicTree, ax: Any) -> Any:
    """A dendrogram whose root is on the left, and the topics' names on the right."""
    num_topics = tree.num_topics
    places = _leaf_places(tree)
    middles = np.zeros(2 * num_topics - 1)
    middles[places] = np.arange(num_topics)
    heights = np.concatenate([np.zeros(num_topics), tree.heights])
    for step, pair in enumerate(tree.merges):
        node = num_topics + step
        middles[node] = middles[pair].mean()
        for child in pair:
            corner = [heights[node], heights[node], heights[child]]
            ax.plot(corner, [middles[node], middles[child], middles[child]], color="#7a8ba0", lw=1)
    is_named = np.arange(2 * num_topics - 1) >= num_topics
    for node in np.flatnonzero(is_named & (heights >= NAMED_FROM * heights[-1])).tolist():
        ax.annotate(
            tree.names[node], (heights[node], middles[node]), xytext=(4, 0), va="center",
            textcoords="offset points", fontsize=7, color="#334455", zorder=3,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
        )  # fmt: skip
    ax.set_yticks(np.arange(num_topics), [tree._label(topic) for topic in places])
    ax.yaxis.tick_right()
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(-0.6, num_topics - 0.4)
    ax.set_xlim(max(float(heights[-1]), 1e-9) * 1.03, 0)
    ax.set_xlabel("what it costs to merge")
    for side in ("left", "top", "right"):
        ax.spines[side].set_visible(False)
    return ax


def _leaf_places(tree: TopicTree) -> list[int]:
    """The topics from bottom to top, so that no lines cross; larger branches on top."""
    order, waiting = [], [2 * tree.num_topics - 2]
    while waiting:
        node = waiting.pop()
        if node < tree.num_topics:
            order.append(node)
        else:
            waiting.extend(tree._children(node))
    return order
