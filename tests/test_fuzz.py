"""Changed files are refused, or give a value that works (see fuzz_files.py)."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.skipif(sys.platform != "linux", reason="limits memory as Linux does")
def test_changed_files_are_refused_or_do_no_harm():
    script = Path(__file__).with_name("fuzz_files.py")
    ended = subprocess.run(
        [sys.executable, script, "--cases", "1000"], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    outcomes = ast.literal_eval(ended.stdout.splitlines()[-1])
    assert outcomes.keys() == {"refused", "loaded"}
    assert outcomes["loaded"] > 100  # or nothing but checksums would be tried
