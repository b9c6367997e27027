"""What a number is: its text, its names, and what it refuses."""

from inspect import signature

import pytest

from sklearn_ap._areas._davis_goadrich import DAVIS_GOADRICH
from sklearn_ap._areas._hits import HITS
from sklearn_ap._areas._interpolated import INTERPOLATED
from sklearn_ap._areas._linear import LINEAR
from sklearn_ap._areas._reciprocal_rank import RECIPROCAL_RANK
from sklearn_ap._areas._step import STEP
from sklearn_ap._definition import Definition, define
from sklearn_ap._registry import FAMILY, SCORES, K


@pytest.mark.parametrize(
    ("definition", "text", "legend"),
    [
        (Definition(STEP), "AP[step, ties=threshold]", "step AP"),
        (Definition(INTERPOLATED), "AP[interpolated, ties=threshold]", "interpolated AP"),
        (Definition(INTERPOLATED, grid=11), "AP[interpolated, 11 levels, ties=threshold]", "eleven-point AP"),
        (Definition(INTERPOLATED, grid=41), "AP[interpolated, 41 levels, ties=threshold]", "41-point AP"),
        (Definition(LINEAR), "PR AUC[linear, ties=threshold]", "linear PR AUC"),
        (Definition(DAVIS_GOADRICH), "PR AUC[davis-goadrich, ties=threshold]", "Davis-Goadrich PR AUC"),
        (
            Definition(STEP, cut=0.5, ties="expected", normalizer="min"),
            "AP[step, k=0.5, ties=expected, normalizer=min]",
            "step AP",
        ),
        (
            Definition(STEP, prevalence=0.01),
            "AP[step, prevalence=0.01, ties=threshold]",
            "step AP",
        ),
        (
            Definition(INTERPOLATED, grid=11, prevalence=0.5),
            "AP[interpolated, 11 levels, prevalence=0.5, ties=threshold]",
            "eleven-point AP",
        ),
        (
            Definition(HITS, cut="n_positives"),
            "share[hits, k=R, ties=proportional, normalizer=n_positives]",
            "hits share",
        ),
        (
            Definition(RECIPROCAL_RANK, ties="expected"),
            "RR[reciprocal rank, ties=expected]",
            "reciprocal rank RR",
        ),
        (
            Definition(RECIPROCAL_RANK, cut=3, ties="stable"),
            "RR[reciprocal rank, k=3, ties=stable]",
            "reciprocal rank RR",
        ),
    ],
    ids=str,
)
def test_a_definition_names_itself(definition, text, legend):
    assert str(definition) == text
    assert definition.legend == legend


def test_a_row_and_a_share_of_all_rows_are_two_cuts():
    """They are equal as numbers, so a cache that goes by equality alone would mix them up."""
    assert define(STEP, cut=1, ties="stable").cut is not define(STEP, cut=1.0, ties="stable").cut
    assert type(define(STEP, cut=1.0, ties="stable").cut) is float


def test_a_call_is_written_as_a_user_writes_it():
    written = [number.call for number in FAMILY]
    assert written[0] == "average_precision_score"
    assert "interpolated_average_precision_score(recall_levels=101)" in written
    assert "average_precision_at_k_score(ties='expected')" in written
    assert "pr_auc_score(interpolation='davis-goadrich')" in written


@pytest.mark.parametrize("score", [score for score in SCORES if "k" in signature(score).parameters])
def test_one_cut_is_the_default_of_all_scores_at_k(score):
    default = K if score.__name__.endswith("_at_k_score") else None
    assert signature(score).parameters["k"].default == default
