"""Functions of arrays gather Dask collections: the same numbers, one warning per call, one computation."""

import warnings
from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from metrics import CALLED, CURVES
from sklearn_ap import (
    AveragePrecisionDisplay,
    HitCurveDisplay,
    QueryDisplay,
    ScoreEstimateDisplay,
    average_precision_score,
    chance_level,
    compare_scores,
    estimate_score,
    influence_values,
    make_scorer,
    operating_point,
    score_by_query,
)
from sklearn_ap.compatibility import compare_conventions, identify, score_as
from sklearn_ap.distributed import RankingState

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
delayed = pytest.importorskip("dask.delayed").delayed

RNG = np.random.default_rng(3)
Y, S, W = RNG.integers(0, 2, 60), RNG.integers(0, 40, 60) / 64, RNG.integers(1, 5, 60) / 4
Q = RNG.integers(0, 3, 60)
AP = average_precision_score
KINDS = ["array", "series"]


def collection(values, kind, log=None):
    """A collection of Dask, which adds a line to `log` when it is computed."""
    part = da.from_delayed(delayed(_value, pure=True)(values, log), values.shape, values.dtype)
    return part if kind == "array" else dd.from_dask_array(part)


def _value(values, log):
    if log is not None:  # a file, since Dask computes with copies of objects
        with log.open("a") as file:
            file.write("computed\n")
    return values


# What is called with labels and scores, and all that it reads beside them.
CALLS = {
    **{one.__name__: partial(one, query_id=Q) for one in CALLED},
    **{one.__name__: one for one in CURVES},
    "operating_point": partial(operating_point, k=10),
    "score_by_query": lambda y, s: score_by_query(AP, y, s, query_id=Q),
    "score_by_query of models": lambda y, s: score_by_query(AP, y, {"a": s, "b": S}, query_id=Q),
    "estimate_score": lambda y, s: str(estimate_score(AP, y, s)),
    "estimate_score by bootstrap": lambda y, s: str(
        estimate_score(AP, y, s, method="percentile", n_resamples=99, random_state=0)
    ),
    "influence_values": lambda y, s: influence_values(AP, y, s),
    "chance_level": lambda y, s: chance_level(y, s).mean,
    "RankingState": lambda y, s: RankingState().update(y, s).score(),
    "compare_conventions": lambda y, s: str(compare_conventions(y, s)),
    "identify": lambda y, s: str(identify(0.5, y, s)),
    "score_as": lambda y, s: score_as("scikit-learn", y, s),
    "AveragePrecisionDisplay": lambda y, s: (
        AveragePrecisionDisplay.from_predictions(
            y, s, plot_band=True, n_resamples=400, random_state=0
        ).average_precision
    ),
    "HitCurveDisplay": lambda y, s: HitCurveDisplay.from_predictions(y, s).hits,
    "QueryDisplay": lambda y, s: QueryDisplay.from_predictions(y, s, query_id=Q).scores,
    "ScoreEstimateDisplay": lambda y, s: str(
        ScoreEstimateDisplay.from_predictions(y, {"a": s, "b": S[::-1]}, reference="b").estimates
    ),
}


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", CALLS)
def test_dask_collections_are_gathered_once_with_one_warning(name, kind, tmp_path):
    expected, logs = CALLS[name](Y, S), (tmp_path / "labels", tmp_path / "scores")
    given = [collection(values, kind, log) for values, log in zip((Y, S), logs, strict=True)]
    with pytest.warns(UserWarning, match="gathered into memory") as caught:
        value = CALLS[name](*given)
    assert [str(one.message) for one in caught] == [
        "y_true and y_score are Dask collections, which are gathered into memory; sklearn_ap.distributed "
        "scores them part by part."
    ]
    assert caught[0].filename == __file__
    assert [log.read_text() for log in logs] == ["computed\n"] * 2
    np.testing.assert_equal(value, expected)


ROWS = {"y_true": Y, "y_score": S, "sample_weight": W, "query_id": Q}
BOTH = {**ROWS, "y_score_a": S, "y_score_b": S[::-1], "score_func": AP, "unit_id": np.arange(60)}


@pytest.mark.parametrize(
    ("function", "taken", "name"),
    [
        *((AP, [*ROWS], name) for name in ROWS),
        *((CURVES[0], [*ROWS][:3], name) for name in [*ROWS][:3]),
        *((compare_scores, ["score_func", "y_true", "y_score_a", "y_score_b"], f"y_score_{x}") for x in "ab"),
        (compare_scores, ["score_func", "y_true", "y_score_a", "y_score_b", "unit_id"], "unit_id"),
    ],
)
def test_the_warning_names_the_argument(function, taken, name):
    given = {one: BOTH[one] for one in taken}
    expected = str(function(**given))
    given[name] = collection(given[name], "series")
    text = f"^{name} is a Dask collection, which is gathered into memory; .* scores it part by part[.]$"
    with pytest.warns(UserWarning, match=text) as caught:
        value = function(**given)
    assert len(caught) == 1
    assert str(value) == expected


def test_all_columns_of_a_dask_frame_are_scores():
    labels, scores = np.eye(3, dtype=int)[Q], RNG.integers(0, 9, (60, 3)) / 8
    with pytest.warns(UserWarning, match="y_true and y_score are Dask collections"):
        value = AP(da.from_array(labels, chunks=20), dd.from_array(scores, chunksize=20))
    assert value == AP(labels, scores)


@pytest.mark.parametrize("kind", KINDS)
def test_labels_of_a_scorer(kind, tmp_path):
    model, features = GaussianNB().fit(S.reshape(-1, 1), Y), S.reshape(-1, 1)
    score, labels = make_scorer(AP), collection(Y, kind, tmp_path / "labels")
    expected = score(model, features, Y)
    with pytest.warns(UserWarning, match="^y is a Dask collection") as caught:
        assert score(model, features, labels) == expected
    assert len(caught) == 1
    assert (tmp_path / "labels").read_text() == "computed\n"
    with pytest.warns(UserWarning, match="^y is a Dask collection") as caught:
        AveragePrecisionDisplay.from_estimator(model, features, labels)
    assert len(caught) == 1


def test_arrays_of_other_libraries_are_not_warned_about_once_dask_is_imported():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert AP(Y, S) == AP(Y.tolist(), S.tolist()) == AP(Y, S, sample_weight=np.ones(60))
        AP(Y, S, query_id=Q)
