"""From the summary to one HTML page that holds all it shows."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from importlib import resources
from typing import Any

# One after the other they are the page's script; the last one starts it.
SCRIPTS = (
    "tools", "tree", "theme", "colors", "columns", "looking", "shares", "map", "card", "labels",
    "moving", "search", "time", "legend", "opened", "topics", "tables", "picture", "start",
)  # fmt: skip
# The pyLDAvis page lies in a frame of its own, and hears there which topic was chosen outside.
FOLLOW = """\
addEventListener("message", (event) => {
  const topic = event.data.topic;
  if (topic === null) return document.getElementById("ldavis-topic-clear").click();
  box.value = topic - data.first_topic + 1;
  box.dispatchEvent(new Event("keyup"));
});
"""


def html_page(summary: dict[str, Any], panel: str | None, reason: str = "") -> str:
    """The whole page; `panel` is the HTML of the pyLDAvis page, or None with the reason."""
    script = "\n".join(_file(f"{name}.js") for name in SCRIPTS)
    scripts = [script]
    if panel is not None:
        panel = panel.replace("</body>", f"<script>{FOLLOW}</script>\n</body>")
        scripts += re.findall(r"<script>(.*?)</script>", panel, re.DOTALL)
    parts = {
        "policy": _policy(scripts),
        "title": html.escape(summary["title"]),
        "style": _file("page.css"),
        "data": _json(summary),
        "panel": _json({"html": panel} if panel is not None else {"reason": reason}),
        "script": script,
    }
    # In one pass: what looks like a placeholder in a document stays what it is.
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _file("page.html"))


def _file(name: str) -> str:
    return resources.files(__package__).joinpath("assets").joinpath(name).read_text("utf-8")


def _json(value: Any) -> str:
    """JSON in which nothing can end the script element that it stands in."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return re.sub("[<>&\u2028\u2029]", lambda sign: f"\\u{ord(sign[0]):04x}", text)


def _policy(scripts: list[str]) -> str:
    """Nothing from anywhere; of scripts, these alone. Frames of the page are bound by it too."""
    digests = (hashlib.sha256(script.encode()).digest() for script in scripts)
    allowed = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; "
        "base-uri 'none'; form-action 'none'"
    )
