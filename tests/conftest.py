"""What tests share: where real corpora lie, how hypothesis draws, a browser without a network."""

from __future__ import annotations

import os
import shutil
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


@pytest.fixture(scope="module")
def browser():
    """A real browser."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed: no browser to drive"
    )
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("chromium is not installed: nothing shows the pages")
    with playwright.sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture
def open_page(browser):
    """Open a file in the browser, offline; at the end nothing must have gone wrong there."""
    context = browser.new_context(offline=True, viewport={"width": 1400, "height": 900})
    context.set_default_timeout(10_000)
    troubles = []
    context.on("request", lambda request: check_request(request.url))
    context.on("weberror", lambda error: troubles.append(str(error.error)))
    context.on("console", lambda message: check_message(message))

    def check_request(url):
        if not url.startswith("file:"):
            troubles.append(url)

    def check_message(message):
        if message.type in ("error", "warning"):
            troubles.append(message.text)

    def open_file(path):
        page = context.new_page()
        page.goto(path.as_uri())
        return page

    yield open_file
    context.close()
    assert troubles == []
