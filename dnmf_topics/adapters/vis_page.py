"""The HTML page around LDAvis, the script that pyLDAvis draws with."""

from __future__ import annotations

import json
from typing import Any

HTML = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Topics</title>
<style>
{style}
/* The circle of a large topic at the edge of the map is not cut off. */
body {{ margin-left: 5em; }}
svg {{ overflow: visible; }}
</style>
</head>
<body>
<div id="ldavis"></div>
<script type="application/json" id="data">{data}</script>
<script>
{d3}
</script>
<script>
{ldavis}
</script>
<script>
{start}
</script>
</body>
</html>
"""

# LDAvis counts topics from 1 and takes 0 for none. It gets them so, and the page shows each under
# its own number: on the circles, above the bars and in the box of the selected topic.
START = """\
const data = JSON.parse(document.getElementById("data").textContent);
const shown = (topic) => Number(topic) - 1 + data.first_topic;

// LDAvis notes what is selected in the address, which browsers refuse to some local pages.
history.replaceState = history.pushState = () => {};
new LDAvis("#ldavis", data);

// LDAvis looks for its axis by this class and forgets to set it: the scale would never change.
document.querySelector("#ldavis-bar-freqs > g[x=xaxis]")?.classList.add("xaxis");

for (const label of document.querySelectorAll("#ldavis .txt")) {
  label.textContent = shown(label.textContent);
}

new MutationObserver((changes) => {
  for (const node of changes.flatMap((change) => [...change.addedNodes])) {
    if (node.classList.contains("bubble-tool")) {
      node.textContent = node.textContent.replace(/(?<=Topic )[0-9]+/, shown);
    }
  }
}).observe(document.getElementById("ldavis-bar-freqs"), {childList: true});

const box = document.getElementById("ldavis-topic");
const value = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value");
Object.defineProperty(box, "value", {
  get() {
    const text = value.get.call(box).trim();
    return text === "" ? "0" : String(Number(text) + 1 - data.first_topic);
  },
  set(topic) {
    value.set.call(box, topic > 0 ? shown(topic) : "");
  },
});
box.value = 0;
"""


def vis_page(data: dict[str, Any], style: str, d3: str, ldavis: str) -> str:
    """A whole page; `data` is what LDAvis draws, with the number of the `first_topic`."""
    try:
        text = json.dumps(data, allow_nan=False, default=lambda number: number.item())
    except ValueError:
        raise ValueError("prepared must hold finite numbers only, got NaN or infinity.") from None
    return HTML.format(
        style=style,
        # A word like "</script" or "<!--" would end or hide the data.
        data=text.replace("<", "\\u003c"),
        d3=d3,
        # Bars start at 1 in LDAvis: one for a rarer word would have a negative width.
        ldavis=ldavis.replace(".domain([1, d3.max(", ".domain([0, d3.max("),
        start=START,
    )
