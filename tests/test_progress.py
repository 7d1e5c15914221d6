"""Stages as lines: when they are told, and what of them."""

from __future__ import annotations

import pytest

from dnmf_topics.common.progress import Progress, telling_stages


@pytest.fixture
def told():
    """From pairs of a time and an event, which are told one after the other, to the lines."""

    def tell_all(*pairs):
        lines, now = [], 0.0
        with telling_stages(lines.append, lambda: now) as tell:
            for now, event in pairs:  # noqa: B007 - the clock reads it
                tell(event)
        return lines

    return tell_all


def test_a_stage_is_told_when_it_ends_with_its_time(told):
    lines = told(
        (1.0, Progress("network", 1, 2)),
        (3.0, Progress("network", 2, 2)),
        (3.5, Progress("bdnmf", 1, 1, loss=271.0)),
    )
    assert lines == ["network: 2 done in 3.0 s", "bdnmf: 1 done in 0.5 s, loss 271"]


def test_a_long_stage_tells_how_far_it_is_now_and_then(told):
    lines = told(*((2.0 * step, Progress("documents", step, None)) for step in range(1, 13)))
    assert lines == ["documents: 5 ...", "documents: 10 ...", "documents: 12 done in 24.0 s"]
    lines = told(
        (9.0, Progress("a", 1, 1)), (12.0, Progress("b", 1, 9)), (20.0, Progress("b", 2, 9))
    )
    assert lines == ["a: 1 done in 9.0 s", "b: 2 of 9 ...", "b: 2 done in 11.0 s"]


def test_nothing_is_told_of_nothing(told):
    assert told() == []
