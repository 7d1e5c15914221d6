"""The numerical core: TF-IDF, the multilayer bootstrap network and the DNMF factorizations.

It knows numpy, scipy, scikit-learn, numba and joblib, and neither gensim nor text.
"""
