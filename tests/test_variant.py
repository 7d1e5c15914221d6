"""A variant is a row: with one more in the table, the whole product works with it."""

from __future__ import annotations

import json

import numpy as np
import pytest
from trained import CORPUS, file_of, small_model

from dnmf_topics import DnmfModel
from dnmf_topics.cli import main
from dnmf_topics.core import VARIANTS, Option, Tfidf, Variant, fit_topics
from dnmf_topics.core.factorization import Factorization
from dnmf_topics.core.factorization.bdnmf import solve_topics
from dnmf_topics.core.factorization.variant import check_number
from dnmf_topics.report import Report


def solve(D, F, iterations, sharpness):
    """bDNMF, in which documents count by a power of their weight's sum: long ones more."""
    W = F * (D.T @ np.ones((D.shape[0], 1))).ravel() ** sharpness
    C = solve_topics(D, W)
    return Factorization(C, W, (0.0,))


def weigh_documents(doc_term, topic_term, membership):
    return 0.5 * membership


@pytest.fixture
def own_variant(monkeypatch):
    option = Option(2.0, "how much longer documents count more", check_number)
    row = Variant(solve, weigh_documents=weigh_documents, options={"sharpness": option})
    monkeypatch.setitem(VARIANTS, "own", row)


@pytest.mark.usefixtures("own_variant")
def test_the_core_solves_with_a_row_of_ones_own():
    counts = np.kron(np.eye(2), np.ones((4, 3))) + np.eye(8, 6)
    doc_term = Tfidf.fit(counts).transform(counts)
    labels = np.repeat([0, 1], 4)
    even, sharp = (
        fit_topics(doc_term, 2, deep_model=labels, variant="own", sharpness=power)
        for power in (0, 3)
    )
    np.testing.assert_allclose(even.doc_topic, np.eye(2)[labels])
    assert not np.allclose(even.doc_topic, sharp.doc_topic)
    np.testing.assert_array_equal(sharp.cluster_labels, labels)
    with pytest.raises(ValueError, match="sharpness must be at least 0 and finite, got -1"):
        fit_topics(doc_term, 2, deep_model=labels, variant="own", sharpness=-1)


@pytest.mark.usefixtures("own_variant")
def test_a_model_of_ones_own_variant_trains_updates_and_is_saved(tmp_path):
    model = small_model(variant="own", sharpness=1.5)
    before = model.state.topic_weights.copy()
    model.update(CORPUS[:4])
    # Documents that come later count as `weigh_documents` says, here half.
    assert model.state.topic_weights.sum() - before.sum() == pytest.approx(0.5 * 4)
    assert model.get_settings()["sharpness"] == 1.5
    model.save(tmp_path / "model")
    again = DnmfModel.load(tmp_path / "model")
    assert again.settings == model.settings
    assert file_of(again) == file_of(model)
    assert small_model(variant="own").get_settings()["sharpness"] == 2.0
    assert not np.array_equal(
        small_model(variant="own", sharpness=0).get_topics(),
        small_model(variant="own").get_topics(),
    )


@pytest.mark.usefixtures("own_variant")
def test_the_page_and_the_command_line_know_ones_own_variant(tmp_path, capsys):
    shown = dict(Report(small_model(variant="own"), CORPUS).summary["settings"])
    assert (shown["variant"], shown["sharpness"]) == ("own", "2")
    texts = tmp_path / "texts.jsonl"
    words = ["apple pear plum", "rain snow wind"]
    rows = [{"text": f"{words[i % 2]} {words[i % 2].split()[i % 3]}"} for i in range(40)]
    texts.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    with pytest.raises(SystemExit):
        main(["fit", "--help"])
    assert "of own: how much longer documents count more (default: 2)" in " ".join(
        capsys.readouterr().out.split()
    )
    out = tmp_path / "results"
    options = ["--variant", "own", "--sharpness", "0.5", "--num-clusterings", "10", "--no-report"]
    assert main(["fit", str(texts), "-k", "2", "--out", str(out), *options]) == 0
    model = DnmfModel.load(out / "model.dnmf")
    assert model.settings.variant_options == {"sharpness": 0.5}
