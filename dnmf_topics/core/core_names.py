"""What `dnmf_topics.core` gives: its names for users, and those for other parts."""

from __future__ import annotations

from ..common.progress import Progress as Progress
from ..common.progress import ProgressCallback as ProgressCallback
from .assignment import topic_posteriors as topic_posteriors
from .choice import ViewScore as ViewScore
from .deep import DeepClustering as DeepClustering
from .deep import UnitDocuments as UnitDocuments
from .deep import find_unit_documents as find_unit_documents
from .deep import refine_clusters as refine_clusters
from .factorization import check_variant as check_variant
from .factorization.memberships import OneHot as OneHot
from .factorization.nnls import nnls_rows as nnls_rows
from .factorization.paper_arrays import Columns as Columns
from .fit import TopicFit as TopicFit
from .fit import fit_blocks as fit_blocks
from .fit import fit_topics as fit_topics
from .folding import fold_in as fold_in
from .mbn import Layer as Layer
from .mbn import Mbn as Mbn
from .mbn import balanced_layer_size as balanced_layer_size
from .mbn import imbalanced_layer_size as imbalanced_layer_size
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
from .tfidf import Tfidf as Tfidf
from .tfidf import count_documents as count_documents
from .tfidf import idf_of as idf_of
from .tfidf import unit_rows as unit_rows
from .tfidf import weigh_blocks as weigh_blocks
