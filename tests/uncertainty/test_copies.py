"""Samples that contain the same rows several times give a warning. Samples whose labels
repeat for another reason give none.
"""

import warnings

import numpy as np
import pytest
from scipy.special import softmax
from scipy.stats import rankdata

from sklearn_ap import UncertaintyWarning, compare_scores, estimate_score

N, COPIES = 100, 5
RNG = np.random.default_rng(0)
LABELS = (RNG.random(N) < 0.3).astype(int)
# Scores of one model that was trained with five seeds; and scores of five rankings of
# different rows, which have the same labels by design.
MODEL = RNG.normal(size=N) + LABELS
SEEDS = MODEL + 0.5 * RNG.normal(size=(COPIES, N))
OTHERS = RNG.normal(size=(COPIES, N)) + LABELS
RUN = np.repeat(range(COPIES), N)
SHUFFLED = RNG.permutation(N * COPIES)


def texts_of(y_true, y_score, function=estimate_score, **options):
    """Return the texts of the warnings about copies."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function("average_precision", y_true, y_score, **options)
    return [
        str(each.message)
        for each in caught
        if getattr(each.message, "code", "") == "copies"
    ]


def stable_runs(values):
    """Return rows in an order that mixes the runs, and keeps the order within each run."""
    order = np.argsort(RUN[SHUFFLED], kind="stable")
    mixed = np.empty_like(values)
    mixed[order] = values
    return mixed


LAYOUTS = {
    "blocks": (np.tile(LABELS, COPIES), SEEDS.ravel(), {}),
    "row by row": (np.repeat(LABELS, COPIES), SEEDS.T.ravel(), {}),
    "queries": (np.tile(LABELS, COPIES), SEEDS.ravel(), {"query_id": RUN}),
    "queries that are mixed": (
        stable_runs(np.tile(LABELS, COPIES)),
        stable_runs(SEEDS.ravel()),
        {"query_id": RUN[SHUFFLED]},
    ),
    "queries that are shuffled": (
        np.tile(LABELS, COPIES)[SHUFFLED],
        (MODEL + 0.2 * RNG.normal(size=(COPIES, N))).ravel()[SHUFFLED],
        {"query_id": RUN[SHUFFLED]},
    ),
    "unsigned integers": (
        np.tile(LABELS, COPIES),
        (100 * (SEEDS - SEEDS.min())).astype(np.uint16).ravel(),
        {},
    ),
    "equal rows": (np.tile(LABELS, COPIES), np.tile(MODEL, COPIES), {}),
}


@pytest.mark.parametrize(("labels", "scores", "options"), LAYOUTS.values(), ids=LAYOUTS)
def test_copies_are_found_wherever_they_follow_each_other(labels, scores, options):
    [text] = texts_of(labels, scores, **options)
    assert f"looks like {COPIES} copies of the same {N} rows" in text
    assert text.endswith("pass unit_id, an id that the copies of a row share.")


def test_scales_of_models_may_differ():
    scores = SEEDS * [[1], [1], [100], [1], [1]] + [[0], [1e3], [0], [0], [0]]
    assert texts_of(np.tile(LABELS, COPIES), scores.ravel())


def test_exact_copies_of_rows_that_are_sorted_by_score():
    order = np.argsort(-MODEL)
    assert texts_of(np.tile(LABELS[order], 2), np.tile(MODEL[order], 2))


AGES = np.sort(RNG.normal(size=2 * N))
HOURS = np.tile(range(24), 30)
NORMALIZED = {
    "ranks": rankdata(OTHERS, axis=1),
    "z-scores": (OTHERS - OTHERS.mean(axis=1, keepdims=True))
    / OTHERS.std(axis=1, keepdims=True),
    "shares": softmax(OTHERS, axis=1),
    "the largest numbers": OTHERS * 1e307,
}
NO_COPIES = {
    "pairs that are sorted by age": (
        np.tile([1, 0], 2 * N),
        np.repeat(AGES, 2) + 0.5 * RNG.normal(size=4 * N),
        {},
    ),
    "one case and four controls of each age": (
        np.tile([1, 0, 0, 0, 0], 2 * N),
        np.repeat(AGES, 5) + 0.5 * RNG.normal(size=10 * N),
        {},
    ),
    "rows by the hour": (
        HOURS % 9 < 2,
        3 * np.cos(HOURS / 24 * 2 * np.pi) + RNG.normal(size=HOURS.size),
        {},
    ),
    "labels by design, other orders": (
        np.tile(LABELS, COPIES)[SHUFFLED],
        OTHERS.ravel()[SHUFFLED],
        {"query_id": RUN[SHUFFLED]},
    ),
}
NO_COPIES |= {
    f"{name}, other orders": (
        np.tile(LABELS, COPIES)[SHUFFLED],
        scores.ravel()[SHUFFLED],
        {"query_id": RUN[SHUFFLED]},
    )
    for name, scores in NORMALIZED.items()
}
NO_COPIES |= {
    "labels by design": (np.tile(LABELS, COPIES), OTHERS.ravel(), {}),
    "queries of one design": (
        np.tile(LABELS, COPIES),
        OTHERS.ravel(),
        {"query_id": RUN},
    ),
    "pairs by design": (np.repeat(LABELS, COPIES), OTHERS.T.ravel(), {}),
    "scores of seeds, other labels": (
        RNG.permutation(np.tile(LABELS, COPIES)),
        SEEDS.ravel(),
        {},
    ),
    "the relevant item first, others by difficulty": (
        np.tile(np.arange(N) == 0, COPIES),
        (OTHERS - np.arange(N) / 9).ravel(),
        {"query_id": RUN},
    ),
    "sorted by score": (np.tile(LABELS, COPIES), -np.arange(N * COPIES), {}),
    "one row fewer in the last query": (
        np.tile(LABELS, COPIES)[:-1],
        SEEDS.ravel()[:-1],
        {"query_id": RUN[:-1]},
    ),
    "equal scores": (np.tile(LABELS, COPIES), np.zeros(N * COPIES), {}),
    "columns": (np.column_stack([LABELS, LABELS]), SEEDS[:2].T, {}),
}


@pytest.mark.parametrize(
    ("labels", "scores", "options"), NO_COPIES.values(), ids=NO_COPIES
)
def test_other_samples_whose_labels_repeat(labels, scores, options):
    assert not texts_of(labels, scores, **options)


def test_units_identify_copies_of_rows():
    labels, row = np.tile(LABELS, COPIES), np.tile(np.arange(N), COPIES)
    assert not texts_of(labels, SEEDS.ravel(), unit_id=row)
    assert not texts_of(labels, SEEDS.ravel(), unit_id=row, query_id=RUN)
    # With one unit per row, the copies of a row have different units.
    assert texts_of(labels, SEEDS.ravel(), unit_id=np.arange(labels.size))


@pytest.mark.parametrize("second_has_copies", [True, False])
@pytest.mark.parametrize("is_reversed", [True, False])
def test_a_comparison_warns_once_of_copies_of_one_model_or_of_both(
    second_has_copies, is_reversed
):
    def compare(name, y_true, y_score):
        other = RNG.permutation(y_score)
        if second_has_copies:
            other = y_score + RNG.normal(size=y_score.size)
        models = [y_score, other]
        if is_reversed:
            models.reverse()
        compare_scores(name, y_true, *models)

    [text] = texts_of(np.tile(LABELS, COPIES), SEEDS.ravel(), compare)
    assert text.startswith("The sample looks like 5 copies")


def test_units_make_the_error_of_copies_that_of_their_rows():
    labels = np.tile(LABELS, COPIES)
    exact = np.tile(MODEL, COPIES)
    with pytest.warns(UncertaintyWarning, match="copies"):
        narrow = estimate_score("average_precision", labels, exact)
    units = np.tile(np.arange(N), COPIES)
    wide = estimate_score("average_precision", labels, exact, unit_id=units)
    once = estimate_score("average_precision", LABELS, MODEL)
    assert wide.standard_error == pytest.approx(once.standard_error, rel=0.05)
    assert narrow.standard_error < 0.5 * once.standard_error
