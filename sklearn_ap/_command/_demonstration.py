"""A demonstration on data that ships with scikit-learn: tune a model by AP@20, and explain its numbers."""

import warnings

from sklearn.datasets import load_diabetes
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from .. import average_precision_score, estimate_score, make_scorer
from .._registry import score_of
from .._typing import AnyArray, FloatArray
from ._sentences import wrapped

K = 20
NUMBERS = {
    "average precision": ("average_precision", "scikit-learn's number"),
    "interpolated": ("interpolated_average_precision", "best precision at each recall or beyond"),
    "eleven-point": ("eleven_point_average_precision", "the same at recall 0, 0.1, ..., 1"),
    "PR AUC": ("pr_auc", "straight lines between the points"),
    f"AP@{K}": (f"average_precision@{K}", f"of the first {K} patients alone"),
    f"precision@{K}": (f"precision@{K}", "positives among them"),
    f"recall@{K}": (f"recall@{K}", "of all positives, those among them"),
}


def tuned() -> tuple[GridSearchCV, AnyArray, FloatArray]:
    """Tune on three quarters of the patients; return the search, and labels and scores of the others."""
    features, progression = load_diabetes(return_X_y=True)
    x_train, x_test, y_train, y_test = train_test_split(
        features, progression > 250, test_size=0.25, stratify=progression > 250, random_state=0
    )
    model = make_pipeline(StandardScaler(), KNeighborsClassifier())
    grid = {"kneighborsclassifier__n_neighbors": [5, 11, 21, 41, 81]}
    scorer = make_scorer(f"average_precision@{K}")
    search = GridSearchCV(model, grid, scoring=scorer).fit(x_train, y_train)
    return search, y_test, search.predict_proba(x_test)[:, 1]


def run() -> None:
    """Print what was done, the numbers, and what to type next."""
    search, y_true, y_score = tuned()
    neighbours = search.best_params_["kneighborsclassifier__n_neighbors"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of few positives, which the last sentences tell
        estimate = estimate_score(f"average_precision@{K}", y_true, y_score, random_state=0)
    low, high = estimate.confidence_interval()
    ap = average_precision_score(y_true, y_score)
    text = (
        "Whose diabetes will progress beyond 250? A nearest-neighbour model ranks the patients of "
        "scikit-learn's load_diabetes. On three quarters of them, GridSearchCV tuned it by "
        f"AP@{K}, the average precision of its first {K} patients: {neighbours} neighbours have the best "
        f"mean of five folds, {search.best_score_:.2f}. The other quarter, {y_true.size} patients of whom "
        f"{y_true.sum()} are positive, scores:"
    )
    print(wrapped(text), "", f"{'':<19}{'value':>6}{'minus AP':>11}  what it is", sep="\n")
    for title, (name, words) in NUMBERS.items():
        value = float(score_of(name, {})(y_true, y_score))
        print(f"{title:<19}{value:6.4f}{value - ap:+11.4f}  {words}")
    text = (
        f"Why is AP@{K} {estimate.score:.2f} here and {search.best_score_:.2f} in the folds? The folds chose "
        f"the best of five settings, and say too much of it. And {y_true.sum()} positives say little: the "
        f"95 % interval is {low:.2f} to {high:.2f}. A random order of these patients has an AP near "
        f"{y_true.mean():.2f}, the share of positives."
    )
    print("", wrapped(text), sep="\n", end="\n\n")
    print("Next, your own scores: sklearn-ap scores.csv --y-true label --y-score score")
