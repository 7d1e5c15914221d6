"""Methods side by side on whole corpora: a study from a TOML file, its tables and plots."""

from .methods import METHODS, ConfigError
from .pages import write_results
from .runner import Outcome, run

__all__ = ["METHODS", "ConfigError", "Outcome", "run", "write_results"]
