"""The commands that look at the topics as a whole, and change them without training."""

from __future__ import annotations

import logging
import os
from argparse import Namespace
from pathlib import Path
from typing import Any

from ..common.arrays import Labels
from ..common.writing import only_writer
from ..model import DnmfModel
from .drawing import picture_path, write_picture
from .results import CHOSEN, Results, place_results
from .run_folder import check_free, check_run, read_model, read_run
from .screen import Screen, topic_table

logger = logging.getLogger(__name__)


def tree(args: Namespace, screen: Screen) -> None:
    """Show how the topics hang together."""
    picture = picture_path(args.plot)
    found = read_model(Path(args.folder)).hierarchy()
    if picture is not None:
        write_picture(picture, found)
        screen.say(f"written: {picture}")
    table = found.to_frame().astype({"parent": object})
    table["parent"] = table["parent"].where(table["parent"].notna(), None)
    screen.show(str(found), table.to_dict("records"))


def edit(args: Namespace, screen: Screen) -> None:
    """Merge or name topics of a folder of results, and write all of it anew."""
    folder = Path(args.folder)
    if not (args.merge or args.name or args.reduce is not None):
        raise ValueError("There is nothing to change; give --merge, --reduce or --name.")
    check_run(folder)
    in_place = args.out is None
    out = Path(os.path.realpath(folder if in_place else args.out))
    check_free(out, replace=in_place)
    with only_writer(out) as workshop:
        check_free(out, replace=in_place)  # as another run may just have ended
        model, corpus, run = read_run(folder)
        edited, numbers = _edited(model, args)
        subtopics = {
            numbers[topic]: inside
            for topic, inside in run["subtopics"].items()
            if numbers.count(numbers[topic]) == 1
        }
        facts = {name: fact for name, fact in run["facts"].items() if name != CHOSEN}
        if num_gone := len(run["subtopics"]) - len(subtopics):
            logger.warning("sub-topics of merged topics are gone: of %i topics", num_gone)
        edits = [
            *run["edits"],
            {"merge": args.merge, "reduce": args.reduce, "name": dict(args.name)},
        ]
        results = Results(
            edited, corpus, run["title"], facts | {"edited": _told(edits)},
            run["options"] | {"debug": args.debug}, subtopics, edits,
        )  # fmt: skip
        # As `fit` was told; a page that is missing may have been about to be made.
        with_page = not run["options"].get("no_report")
        found = place_results(out, workshop, results, screen, with_page=with_page)
    screen.show(topic_table(found["topics"]), found)
    screen.say(f"written: {found.get('report', found['out'])}")


def _edited(model: DnmfModel, args: Namespace) -> tuple[DnmfModel, list[int]]:
    """The model as it is to be, and the new numbers of its topics."""
    merged = [topic for group in args.merge for topic in group]
    sizes = model.get_topic_info().sort_values("topic")["size"].to_numpy()
    _check_topics("--merge", merged, model.num_topics)
    _check_topics("--name", [topic for topic, _ in args.name], model.num_topics)
    groups = [*args.merge, *([topic] for topic in range(model.num_topics) if topic not in merged)]
    numbers = _numbers(groups)
    model = model.merge_topics(groups)
    if args.reduce is not None:
        if args.reduce > model.num_topics:
            raise ValueError(
                f"--reduce must be at most {model.num_topics}, the number of topics there are, got "
                f"{args.reduce}."
            )
        groups = model.hierarchy().cut(args.reduce)
        model, again = model.merge_topics(groups), _numbers(groups)
        numbers = [again[number] for number in numbers]
    names: dict[int, str] = {}
    for topic, name in args.name:
        _say_narrow(name, topic, sizes, numbers)
        if names.setdefault(numbers[topic], name) != name:
            raise ValueError(
                f"--name must give a topic one name, but {topic} has another one, or is merged "
                "with a topic that has."
            )
    model.topic_names = names
    return model, numbers


def _say_narrow(name: str, topic: int, sizes: Labels, numbers: list[int]) -> None:
    """Warn of a name that was given to a small part of what it names now."""
    whole = sum(
        size for size, number in zip(sizes, numbers, strict=True) if number == numbers[topic]
    )
    if sizes[topic] < whole / 2:
        logger.warning(
            "%r names %i documents now; topic %i has %i of them", name, whole, topic, sizes[topic]
        )


def _check_topics(option: str, topics: list[int], num_topics: int) -> None:
    for place, topic in enumerate(topics):
        if topic >= num_topics:
            raise ValueError(f"{option} must be of topics below {num_topics}, got {topic}.")
        if option == "--merge" and topic in topics[:place]:
            raise ValueError(f"--merge must have each topic at most once, got {topic} twice.")


def _numbers(groups: list[list[int]]) -> list[int]:
    """The number of each topic when these groups, which are all, are one topic each."""
    ordered = sorted(groups, key=min)
    number_of = {topic: number for number, group in enumerate(ordered) for topic in group}
    return [number_of[topic] for topic in sorted(number_of)]


def _told(edits: list[dict[str, Any]]) -> str:
    """What was done, for the page; each edit with its numbers is in run.json."""
    ways = {"merge": "merged", "reduce": "reduced", "name": "named"}
    done = [told for way, told in ways.items() if any(edit.get(way) for edit in edits)]
    return f"topics {', '.join(done)} by hand"
