"""Other libraries, for every topic model that speaks gensim's protocol.

`coherence` measures topics with gensim's CoherenceModel; `pyldavis` draws them with pyLDAvis. Each
is imported on its own, so that asking for a number does not load what draws.
"""

from __future__ import annotations

__all__ = ["coherence", "pyldavis"]
