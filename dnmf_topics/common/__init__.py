"""The ground floor: what every part may import, and what imports nothing of them.

Each module is a door of its own, so that the core does not load gensim for a check.
"""
