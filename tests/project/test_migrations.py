"""Scripts for scikit-learn, and copied functions, give the same numbers after the line of
the first page: only the import changes.
"""

from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import sklearn.metrics
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.model_selection import GridSearchCV, cross_val_score

import sklearn_ap
from scoring import IGNORED, VERSION, XL, YL, X, Y
from sklearn_ap import average_precision_at_k_score, read_lists
from sklearn_ap.compatibility import score_as

pytestmark = pytest.mark.filterwarnings(
    *IGNORED, "ignore:`[*][*]kwargs` is deprecated:FutureWarning"
)
RNG = np.random.default_rng(0)
MODEL = LogisticRegression().fit(X[::2], Y[::2])
LABEL, SCORE = Y[1::2], MODEL.predict_proba(X[1::2])[:, 1]
# The names that the line on the first page imports.
MOVED = {
    "PrecisionRecallDisplay": sklearn_ap.AveragePrecisionDisplay,
    "average_precision_score": sklearn_ap.average_precision_score,
    "get_scorer": sklearn_ap.get_scorer,
    "make_scorer": sklearn_ap.make_scorer,
    "precision_recall_curve": sklearn_ap.precision_recall_curve,
}
BEFORE, AFTER = (
    SimpleNamespace(**vars(sklearn.metrics) | names) for names in ({}, MOVED)
)


def table_of_thresholds(metrics):
    precision, recall, threshold = metrics.precision_recall_curve(LABEL, SCORE)
    table = pd.DataFrame({"precision": precision[:-1], "recall": recall[:-1]})
    table["f1"] = 2 / (1 / table.precision + 1 / table.recall)
    best = table.assign(threshold=threshold).nlargest(5, "f1")
    return best.to_numpy()


def area_by_trapezoids(metrics):
    precision, recall, _ = metrics.precision_recall_curve(LABEL, SCORE)
    return metrics.auc(recall, precision)


def picture(display):
    ax = display.ax_
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    line = display.line_
    return ax.get_xlim(), ax.get_ylim(), legend, line.get_alpha(), line.get_xydata()


def picture_of_a_curve(metrics):
    precision, recall, _ = metrics.precision_recall_curve(LABEL, SCORE)
    score = metrics.average_precision_score(LABEL, SCORE)
    # scikit-learn has changed this name in 1.8.
    name = {"estimator_name" if VERSION < (1, 8) else "name": "logistic"}
    return picture(
        metrics.PrecisionRecallDisplay(
            precision=precision, recall=recall, average_precision=score, **name
        ).plot()
    )


def picture_with_a_style(metrics):
    return picture(
        metrics.PrecisionRecallDisplay.from_predictions(
            LABEL, SCORE, name="logistic", alpha=0.6, label="mine"
        )
    )


def scorer_of_labels(metrics):
    return [
        cross_val_score(LogisticRegression(), X, Y, scoring=metrics.make_scorer(score))
        for score in (metrics.accuracy_score, metrics.f1_score)
    ]


def scorer_of_responses(metrics):
    methods = "predict_proba", ("decision_function", "predict_proba")
    scores = metrics.average_precision_score, metrics.roc_auc_score
    return [
        cross_val_score(
            LogisticRegression(),
            X,
            Y,
            scoring=metrics.make_scorer(score, response_method=method),
        )
        for score in scores
        for method in methods
    ]


def search_with_five_scorers(metrics):
    scoring = {
        "ap": metrics.get_scorer("average_precision"),
        "accuracy": metrics.make_scorer(metrics.accuracy_score),
        "precision": metrics.make_scorer(metrics.precision_score, zero_division=0.0),
        "recall": metrics.make_scorer(metrics.recall_score),
        "f1": metrics.make_scorer(metrics.f1_score),
    }
    search = GridSearchCV(
        LogisticRegression(), {"C": [1e-3, 10]}, scoring=scoring, refit="f1", cv=3
    ).fit(X, Y)
    table = [search.cv_results_[f"mean_test_{name}"] for name in scoring]
    return [*table, search.best_params_["C"]]


def model_that_searches(metrics):
    model = LogisticRegressionCV(
        Cs=3, cv=3, scoring=metrics.get_scorer("average_precision")
    ).fit(X, Y)
    return model.C_


def averages_of_labels(metrics):
    return [
        metrics.average_precision_score(YL, XL[:, :3], average=average)
        for average in ("micro", "macro", "weighted", None)
    ]


def bootstrap_by_hand(metrics):
    rng = np.random.default_rng(1)
    drawn = [rng.integers(0, LABEL.size, LABEL.size) for _ in range(40)]
    scores = [metrics.average_precision_score(LABEL[i], SCORE[i]) for i in drawn]
    return np.quantile(scores, [0.025, 0.975])


SCRIPTS = (
    table_of_thresholds,
    area_by_trapezoids,
    picture_of_a_curve,
    picture_with_a_style,
    scorer_of_labels,
    scorer_of_responses,
    search_with_five_scorers,
    model_that_searches,
    averages_of_labels,
    bootstrap_by_hand,
)


def parts_of(result):
    """Return the numbers and the texts of a result, in order."""
    if isinstance(result, list | tuple | np.ndarray):
        return [one for part in result for one in parts_of(part)]
    return [result]


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_gives_the_same_numbers(script):
    before, after = parts_of(script(BEFORE)), parts_of(script(AFTER))
    plt.close("all")
    for theirs, ours in zip(before, after, strict=True):
        is_number = isinstance(theirs, float)
        assert ours == (pytest.approx(theirs, abs=1e-12) if is_number else theirs)


# --- copied functions -----------------------------------------------------------------


def torchmetrics_ap():
    """The sum over torchmetrics' curve, for probabilities."""
    precision, recall, _ = sklearn.metrics.precision_recall_curve(LABEL, SCORE)
    by_hand = -np.sum(np.diff(recall) * precision[:-1])
    return by_hand, score_as("torchmetrics average_precision", LABEL, SCORE)


def in_order():
    hits = LABEL[np.argsort(-SCORE)]
    found = np.cumsum(hits)
    return found / LABEL.sum(), found / np.arange(1, hits.size + 1)


def voc_ap():
    recall, precision = in_order()
    envelope = np.maximum.accumulate(precision[::-1])[::-1]
    by_hand = np.sum(np.diff(recall, prepend=0.0) * envelope)
    return by_hand, score_as("voc_ap", LABEL, SCORE)


def voc_ap_of_2007():
    recall, precision = in_order()
    by_hand = 0.0
    for level in np.arange(0.0, 1.1, 0.1):
        reached = precision[recall >= level]
        by_hand += (reached.max() if reached.size else 0.0) / 11
    return by_hand, score_as("voc_ap, use_07_metric", LABEL, SCORE)


def mapk():
    actual = [RNG.choice(30, 5, replace=False).tolist() for _ in range(40)]
    predicted = [RNG.choice(30, 12).tolist() for _ in range(40)]
    values = []
    for wanted, ranked in zip(actual, predicted, strict=True):
        hits = value = 0.0
        for place, item in enumerate(ranked[:10]):
            if item in wanted and item not in ranked[:place]:
                hits += 1
                value += hits / (place + 1)
        values.append(value / min(len(wanted), 10))
    run = read_lists(actual, predicted)
    users = {"query_id": run.query_id, "n_positives": run.n_positives}
    return np.mean(values), average_precision_at_k_score(
        run.y_true, run.y_score, k=10, **users
    )


@pytest.mark.parametrize("copied", [torchmetrics_ap, voc_ap, voc_ap_of_2007, mapk])
def test_a_copied_function_gives_the_same_number(copied):
    by_hand, ours = copied()
    assert ours == pytest.approx(by_hand, rel=0, abs=1e-12)
