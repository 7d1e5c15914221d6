"""The commands that look at the topics as a whole, and change them without training."""

from __future__ import annotations

import os
from argparse import Namespace
from pathlib import Path
from typing import Any

from ..common.writing import check_place, new_file, only_writer
from ..model import DnmfModel
from .results import Results, place_results
from .run_folder import REPORT, check_beside, check_free, check_run, read_model, read_run
from .screen import Screen, topic_table

PICTURES = (".png", ".svg", ".pdf")


def tree(args: Namespace, screen: Screen) -> None:
    """Show how the topics hang together."""
    target = None if args.plot is None else Path(args.plot)
    if target is not None:
        if target.suffix.lower() not in PICTURES:
            raise ValueError(f"--plot must end in {', '.join(PICTURES)}, got {target.name}.")
        check_beside(target, Path(args.folder))
        check_place(target)
    found = read_model(Path(args.folder)).hierarchy()
    if target is not None:
        figure = _figure(found)
        with new_file(target) as file:
            figure.savefig(file, format=target.suffix[1:].lower(), dpi=150)
        screen.say(f"written: {target}")
    table = found.to_frame().astype({"parent": object})
    table["parent"] = table["parent"].where(table["parent"].notna(), None)
    screen.show(str(found), table.to_dict("records"))


def _figure(tree: Any) -> Any:
    """A picture of a tree, on a machine that may have no screen."""
    try:
        import matplotlib
    except ImportError:
        raise ValueError(
            "--plot needs matplotlib; install it with `pip install matplotlib`."
        ) from None
    matplotlib.use("agg")
    return tree.plot().figure


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
        results = Results(
            edited, corpus, run["title"], run["facts"] | {"edited": _told(args)},
            run["options"] | {"debug": args.debug}, subtopics,
        )  # fmt: skip
        had_page = (folder / REPORT).exists()
        found = place_results(out, workshop, results, screen, with_page=had_page)
    screen.show(topic_table(found["topics"]), found)
    screen.say(f"written: {found.get('report', found['out'])}")


def _edited(model: DnmfModel, args: Namespace) -> tuple[DnmfModel, list[int]]:
    """The model as it is to be, and the new numbers of its topics."""
    names = _names(args.name, model.num_topics)
    numbers = list(range(model.num_topics))
    if args.merge:
        merged = [topic for group in args.merge for topic in group]
        rest = [[topic] for topic in numbers if topic not in merged]
        model = model.merge_topics(args.merge)
        numbers = _numbers([*args.merge, *rest])
    if args.reduce is not None:
        groups = model.hierarchy().cut(args.reduce) if args.reduce <= model.num_topics else None
        if groups is None:
            raise ValueError(
                f"--reduce must be at most {model.num_topics}, the number of topics there are, got "
                f"{args.reduce}."
            )
        model = model.merge_topics(groups)
        numbers = [_numbers(groups)[number] for number in numbers]
    given: dict[int, str] = {}
    for topic, name in names.items():
        if given.setdefault(numbers[topic], name) != name:
            raise ValueError(f"--name must give a topic one name, {topic} is merged with another.")
    model.topic_names = given
    return model, numbers


def _names(given: list[tuple[int, str]], num_topics: int) -> dict[int, str]:
    for topic, _ in given:
        if topic >= num_topics:
            raise ValueError(f"--name must be of a topic below {num_topics}, got {topic}.")
    return dict(given)


def _numbers(groups: list[list[int]]) -> list[int]:
    """The number of each topic when these groups, which are all, are one topic each."""
    ordered = sorted(groups, key=min)
    number_of = {topic: number for number, group in enumerate(ordered) for topic in group}
    return [number_of[topic] for topic in sorted(number_of)]


def _told(args: Namespace) -> str:
    """What was done, for the page."""
    done = [f"merged {', '.join(map(str, group))}" for group in args.merge]
    if args.reduce is not None:
        done.append(f"reduced to {args.reduce}")
    done += [f"named {topic} {name!r}" for topic, name in args.name]
    return "; ".join(done)
