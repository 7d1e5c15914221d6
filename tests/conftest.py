"""What all tests share: where real corpora lie, and how hypothesis draws."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# Compiling a kernel takes seconds at its first call, so no example has a deadline.
settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None, max_examples=500, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture(scope="session")
def corpora_folder() -> Path:
    """The folder of real corpora, laid out as CONTRIBUTING.md says."""
    named = os.environ.get("DNMF_CORPORA")
    if not named:
        pytest.skip("DNMF_CORPORA does not name a folder of corpora (see CONTRIBUTING.md)")
    folder = Path(named)
    if not folder.is_dir():
        pytest.fail(f"DNMF_CORPORA must name a folder, got {named!r}; correct it or unset it")
    return folder
