"""Killed or failing at a file operation, nothing that was finished is lost (see faults.py)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

# A task has at least so many operations on files. If there are fewer, they are not all seen.
OPERATIONS = {
    "save": 40, "save new": 40, "load": 20, "fit": 100, "fit --force": 110, "edit": 110,
    "bench": 100, "spool": 100,
}  # fmt: skip
STRIDE = 8


@pytest.mark.skipif(sys.platform != "linux", reason="forks, and kills what it forked")
@pytest.mark.parametrize("kind", ["error", "kill"])
@pytest.mark.parametrize("task", OPERATIONS)
def test_a_fault_at_a_file_operation_loses_nothing(tmp_path, task, kind):
    script = Path(__file__).with_name("faults.py")
    ended = subprocess.run(
        [sys.executable, script, task, kind, tmp_path / "work", str(STRIDE)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout[ended.stdout.index("{") :])
    assert found["wrong"] == []
    assert found["operations"] >= OPERATIONS[task]
