"""Deep NMF topic modeling for everyone who uses gensim."""

__version__ = "0.1.0.dev0"
