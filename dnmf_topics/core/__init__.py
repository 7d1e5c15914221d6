"""The numerical core: TF-IDF, the multilayer bootstrap network and the DNMF factorizations.

It knows numpy, scipy, scikit-learn (with its threadpoolctl), numba and joblib, and neither gensim
nor text.
"""

from __future__ import annotations

from ..common.progress import Progress, ProgressCallback
from .assignment import topic_posteriors as topic_posteriors
from .choice import ViewScore
from .deep import DeepClustering
from .deep import UnitDocuments as UnitDocuments
from .deep import find_unit_documents as find_unit_documents
from .deep import refine_clusters as refine_clusters
from .factorization import VARIANTS, Option, Variant
from .factorization import Columns as Columns
from .factorization import OneHot as OneHot
from .factorization import check_variant as check_variant
from .factorization.nnls import nnls_rows as nnls_rows
from .fit import TopicFit, fit_topics
from .fit import fit_blocks as fit_blocks
from .folding import fold_in as fold_in
from .joint import Vectors as Vectors
from .joint import relative_kappa as relative_kappa
from .joint import sum_vectors as sum_vectors
from .joint import unit_vectors as unit_vectors
from .joint import vector_scores as vector_scores
from .mbn import Layer, Mbn, balanced_layer_size, imbalanced_layer_size
from .membership import one_hot as one_hot
from .merging import link_clusters as link_clusters
from .mixing import Mixing as Mixing
from .mixing import choose_mixing as choose_mixing
from .mixing import learn_parts as learn_parts
from .novelty import find_new_clusters as find_new_clusters
from .number import NumberCurve as NumberCurve
from .number import candidate_numbers as candidate_numbers
from .number import choose_number as choose_number
from .proportions import WordModel as WordModel
from .proportions import divide_words as divide_words
from .proportions import topic_proportions as topic_proportions
from .proportions import word_model as word_model
from .refine import assignment_weights as assignment_weights
from .seeding import Seeds as Seeds
from .seeding import largest_first as largest_first
from .spectral import cluster_rows as cluster_rows
from .tfidf import Tfidf
from .tfidf import count_documents as count_documents
from .tfidf import idf_of as idf_of
from .tfidf import unit_rows as unit_rows
from .tfidf import weigh_blocks as weigh_blocks

# What is imported "as" itself is for the other parts of the package, the rest for its users.
__all__ = [
    "VARIANTS",
    "DeepClustering",
    "Layer",
    "Mbn",
    "Option",
    "Progress",
    "ProgressCallback",
    "Tfidf",
    "TopicFit",
    "Variant",
    "ViewScore",
    "balanced_layer_size",
    "fit_topics",
    "imbalanced_layer_size",
]
