"""Methods side by side on whole corpora: a study from a TOML file, its tables and plots."""

from .corpora import Corpus as Corpus
from .corpora import Problem as Problem
from .corpora import draw_rows as draw_rows
from .corpora import keep_largest as keep_largest
from .corpora import select as select
from .held_out import measure_completion as measure_completion
from .measure import PeakMemory as PeakMemory
from .measure import score_fit as score_fit
from .measure import time_call as time_call
from .methods import METHODS, ConfigError, Method
from .pages import write_results
from .runner import Outcome, run

# What is imported "as" itself is for `compare` and the benchmark scripts, the rest for users.
__all__ = ["METHODS", "ConfigError", "Method", "Outcome", "run", "write_results"]
