"""How often looks raise false alarms on valid samples, and how often they find faults.

The samples are 400 drawn ones, 60 files, 100 rankings of real models, and 20 of each of
12 kinds of faults. `pytest -m slow -s tests/report/test_looks_drawn.py` prints the
counts.
"""

import sys
import warnings
from collections import Counter
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets
from sklearn.ensemble import ExtraTreesClassifier, IsolationForest
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, LocalOutlierFactor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from shell import run
from sklearn_ap import get_scorer, report

pytestmark = pytest.mark.slow

WORDS = {
    "copies": "copies of the same",
    "equal": "All scores are equal",
    "upside down": "scores than the other rows, by more than chance",
    "frequent": "of the rows are positive, so",
    "runs": "has as many rows and positives as any other",
    "training": "that it was fitted on does not show",
    "confidence": "may be the confidence of a predicted label, not",
    "outliers": "gives outliers low scores",
}
N_SAMPLES = 400
N_RANKINGS = 100
N_FAULTY = 20
LEAST_FOUND = 18


def show(text):
    """Print a line, which pytest shows with its option -s."""
    sys.stdout.write(f"\n{text}")


def seen_in(function, *args, **options):
    """The names of the looks that have a note in an answer or a warning."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        answer = function(*args, **options)
    text = " ".join([str(answer), *(str(each.message) for each in caught)])
    text = " ".join(text.split())
    return {name for name, words in WORDS.items() if words in text}


# --- honest samples -------------------------------------------------------------------


def ranked(rng, y_true, skill):
    noise = rng.standard_t(rng.choice([3, 100]), size=y_true.size)
    return noise + skill * y_true


def labels_of(rng, n_rows, share):
    y_true = (rng.random(n_rows) < share).astype(int)
    y_true[rng.integers(n_rows)] = 1
    return y_true


class Kind(NamedTuple):
    n: int = 200
    share: float = 0.3
    skill: float = 1


def plain(rng, kind):
    y_true = labels_of(rng, kind.n, kind.share)
    return y_true, ranked(rng, y_true, kind.skill), {}


def without_skill(rng, kind):
    y_true = labels_of(rng, kind.n, min(kind.share, 0.1))
    return y_true, rng.normal(size=kind.n), {}


def rounded(rng, kind):
    y_true, scores, _ = plain(rng, kind)
    return y_true, np.round(1 / (1 + np.exp(-scores)), rng.integers(1, 3)), {}


def counts(rng, kind):
    y_true = labels_of(rng, kind.n, kind.share)
    return y_true, rng.poisson(1 + kind.skill * y_true), {}


def similarities(rng, kind):
    y_true, scores, _ = plain(rng, kind)
    return y_true, 0.6 + 0.3 * np.tanh(scores / 3), {}


def weighted(rng, kind):
    y_true, scores, _ = plain(rng, kind)
    return y_true, scores, {"sample_weight": rng.lognormal(size=kind.n)}


def at_prevalence(rng, kind):
    y_true, scores, _ = plain(rng, kind)
    return y_true, scores, {"prevalence": kind.share / 3}


def boxes(rng, kind):
    y_true = labels_of(rng, kind.n, 0.95)
    return y_true, ranked(rng, y_true, kind.skill), {"n_positives": 2 * kind.n}


def queries(rng, kind):
    y_true, scores, _ = plain(rng, kind)
    query = rng.integers(0, kind.n // 15, kind.n)
    return y_true, scores + query % 7, {"query_id": query}


def queries_of_one_size(rng, kind):
    """Queries with equal numbers of rows and of relevant rows, in the order of another
    ranking.
    """
    n_items, n_queries = 50, kind.n // 50 + 2
    y_true = np.array([rng.permutation(n_items) < 8 for _ in range(n_queries)])
    scores = ranked(rng, y_true.ravel(), kind.skill)
    return y_true.ravel(), scores, {"query_id": np.repeat(range(n_queries), n_items)}


def relevant_first(rng, kind):
    """Rows in the order of another ranking: the relevant ones first, then the others,
    those with the highest scores first.
    """
    n_items, n_queries = 30, kind.n // 30 + 3
    y_true = np.tile(np.arange(n_items) < rng.integers(1, 4), n_queries)
    hardness = np.tile(np.arange(n_items) / n_items, n_queries)
    scores = ranked(rng, y_true, kind.skill) - hardness
    return y_true, scores, {"query_id": np.repeat(range(n_queries), n_items)}


def one_catalogue(rng, kind):
    """Users who rate the same items, scored by a model of popularity."""
    n_items, n_users = 40, kind.n // 40 + 3
    popularity = np.tile(rng.normal(size=n_items), n_users)
    y_true = labels_of(rng, n_items * n_users, 0.2)
    y_true |= rng.random(y_true.size) < 0.2 / (1 + np.exp(-2 * popularity))
    return y_true, popularity, {"query_id": np.repeat(range(n_users), n_items)}


def hours(rng, kind):
    """The same hours of each day are positive. Each day has new rows."""
    day = rng.permutation(24) < 7
    y_true = np.tile(day, kind.n // 24 + 2).astype(int)
    return y_true, ranked(rng, y_true, kind.skill), {}


def matched_pairs(rng, kind):
    """Pairs of a case and a control from the same place, whose scores share the effect
    of the place.
    """
    y_true = np.tile([1, 0], kind.n)
    return (
        y_true,
        ranked(rng, y_true, kind.skill) + np.repeat(rng.normal(size=kind.n), 2),
        {},
    )


def sorted_by_score(rng, kind):
    y_true, scores, _ = plain(rng, kind)
    order = np.argsort(-scores)
    return y_true[order], scores[order], {}


def sorted_by_label(rng, kind):
    y_true, scores, _ = plain(rng, kind)
    order = np.argsort(-y_true, kind="stable")
    return y_true[order], scores[order], {}


def in_time(rng, kind):
    """Scores drift over the months, and positives come in series."""
    y_true = np.repeat(labels_of(rng, kind.n, kind.share), rng.integers(1, 5, kind.n))[
        : kind.n
    ]
    y_true[0] = 1
    return y_true, ranked(rng, y_true, kind.skill) + np.linspace(0, 2, kind.n), {}


def of_patients(rng, kind):
    patient = rng.integers(0, kind.n // 8, kind.n)
    levels = rng.normal(size=kind.n // 8)
    y_true = labels_of(rng, kind.n // 8, kind.share)[patient]
    y_true[0] = 1
    scores = ranked(rng, y_true, kind.skill) + levels[patient]
    return y_true, scores, {"unit_id": patient}


def classes(rng, kind):
    y_true = np.append(np.arange(4), rng.integers(0, 4, kind.n))
    scores = rng.normal(size=(kind.n + 4, 4)) + kind.skill * np.eye(4)[y_true]
    return y_true, scores, {}


def two_models(rng, kind):
    y_true, scores, _ = plain(rng, kind)
    return y_true, scores, {"compare": scores + rng.normal(size=kind.n)}


HONEST = (
    plain,
    without_skill,
    rounded,
    counts,
    similarities,
    weighted,
    at_prevalence,
    boxes,
    queries,
    queries_of_one_size,
    relevant_first,
    one_catalogue,
    hours,
    matched_pairs,
    sorted_by_score,
    sorted_by_label,
    in_time,
    of_patients,
    classes,
    two_models,
)


def accused(rng, draw):
    sizes, shares, skills = [60, 150, 400, 1500], [0.02, 0.1, 0.3, 0.5], [0, 0.5, 1, 2]
    kind = Kind(int(rng.choice(sizes)), rng.choice(shares), rng.choice(skills))
    y_true, scores, options = draw(rng, kind)
    return seen_in(report, y_true, scores, **options)


@pytest.mark.parametrize("seed", [1])
def test_honest_samples_are_not_accused(seed):
    rng = np.random.default_rng(seed)
    seen = Counter()
    for number in range(N_SAMPLES):
        draw = HONEST[number % len(HONEST)]
        seen.update((name, draw.__name__) for name in accused(rng, draw))
    show(f"{N_SAMPLES} honest samples: {dict(seen)}")
    by_look = Counter(name for name, _ in seen.elements() if name != "frequent")
    assert max(by_look.values(), default=0) <= N_SAMPLES / 400


def rankings_of_models():
    """Yield the labels and scores of one class after the other."""
    samples = {
        name: getattr(datasets, f"load_{name}")(return_X_y=True)
        for name in ("iris", "wine", "breast_cancer", "digits")
    }
    samples["blobs"] = datasets.make_blobs(
        400, centers=4, cluster_std=3, random_state=1
    )
    samples["rare"] = datasets.make_classification(
        1000, weights=[0.96], flip_y=0.02, random_state=1
    )
    models = {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
        "trees": ExtraTreesClassifier(30, random_state=0),
        "bayes": GaussianNB(),
        "neighbours": KNeighborsClassifier(7),
        "tree": DecisionTreeClassifier(max_depth=4, random_state=0),
        "hinge": make_pipeline(StandardScaler(), SGDClassifier(random_state=0)),
    }
    for X, y in samples.values():
        for name, model in models.items():
            method = "decision_function" if name == "hinge" else "predict_proba"
            scores = cross_val_predict(model, X, y, cv=3, method=method)
            if scores.ndim == 1:
                yield y == 1, scores
                continue
            for place in range(min(scores.shape[1], 4)):
                yield y == place, scores[:, place]


def test_rankings_of_real_models_are_not_accused():
    seen = Counter()
    n_rankings = 0
    for y_true, scores in rankings_of_models():
        seen.update(seen_in(report, y_true, scores))
        n_rankings += 1
    show(f"{n_rankings} rankings of models: {dict(seen)}")
    assert n_rankings >= N_RANKINGS
    seen.pop("frequent", None)
    assert not seen


HONEST_FILES = {
    "split of validation and test": lambda rng, n: {
        "split": rng.choice(["val", "test"], n)
    },
    "folds": lambda rng, n: {"fold": rng.integers(0, 5, n)},
    "probability beside its prediction": lambda rng, n: {
        "score": rng.random(n),
        "prediction": rng.integers(0, 2, n),
    },
    "similarities and a second annotator": lambda rng, n: {
        "score": rng.uniform(0.3, 0.9, n),
        "label2": rng.integers(0, 2, n),
    },
    "predictions of another model, and dates": lambda rng, n: {
        "output_date": pd.date_range("2026-01-01", periods=n),
        "guess": rng.choice(["a", "b", "c"], n),
    },
    "groups": lambda rng, n: {"set": rng.choice(["fitness", "trainers", "a"], n)},
}


def shell(folder, frame, *options):
    path = folder / "rows.csv"
    frame.to_csv(path, index=False)
    finished = run(path, *options)
    assert finished.code == 0, finished.err
    return finished.out + finished.err


@pytest.mark.parametrize("seed", [2])
def test_honest_files_are_not_accused(seed, tmp_path):
    rng = np.random.default_rng(seed)
    seen = Counter()
    for name, others_of in HONEST_FILES.items():
        for _ in range(10):
            y_true, scores, _ = plain(rng, Kind())
            columns = {"label": y_true, "score": scores, **others_of(rng, 200)}
            found = seen_in(shell, tmp_path, pd.DataFrame(columns))
            seen.update((name, look) for look in found)
    show(f"{10 * len(HONEST_FILES)} honest files: {dict(seen)}")
    assert not seen


# --- faulty samples -------------------------------------------------------------------


def of_copies(rng):
    """Labels and scores of a model that was trained several times, with one line per
    run.
    """
    n_rows, n_runs = int(rng.choice([80, 300])), int(rng.choice([2, 4, 8]))
    y_true = labels_of(rng, n_rows, rng.choice([0.1, 0.4]))
    noise = rng.choice([0.2, 0.7]) * rng.normal(size=(n_runs, n_rows))
    return np.tile(y_true, (n_runs, 1)), ranked(rng, y_true, 1) + noise


def copies_by_query(rng, _):
    y_true, scores = of_copies(rng)
    run_of_row = np.repeat(range(len(scores)), scores.shape[1])
    return seen_in(report, y_true.ravel(), scores.ravel(), query_id=run_of_row)


def copies_in_blocks(rng, _):
    y_true, scores = of_copies(rng)
    return seen_in(report, y_true.ravel(), scores.ravel())


def copies_row_by_row(rng, _):
    y_true, scores = of_copies(rng)
    return seen_in(report, y_true.T.ravel(), scores.T.ravel())


def runs_of_shuffled_rows(rng, _):
    y_true, scores = of_copies(rng)
    y_true, scores = (np.vstack([each, each[:1]]) for each in (y_true, scores))
    order = np.argsort(rng.random(scores.shape), axis=1)
    rows = (np.take_along_axis(each, order, axis=1) for each in (y_true, scores))
    name = rng.choice(["seed", "run", "model", "repeat", "trial"])
    query = pd.Series(np.repeat(range(len(scores)), scores.shape[1]), name=name)
    return seen_in(report, *map(np.ravel, rows), query_id=query)


def negated(rng, _):
    n_rows = int(rng.choice([100, 1000]))
    y_true = np.arange(n_rows) < rng.choice([10, 20, 60])
    return seen_in(report, y_true, -ranked(rng, y_true, 1.5))


def negated_in_queries(rng, _):
    query = np.repeat(range(30), 20)
    y_true = labels_of(rng, query.size, 0.1)
    return seen_in(
        report, y_true, query - 2 * y_true + rng.normal(size=query.size), query_id=query
    )


def one_class_negated(rng, _):
    y_true, scores, _ = classes(rng, Kind(300, skill=1.5))
    scores[:, rng.integers(4)] *= -1
    return seen_in(report, y_true, scores)


def inliers_are_positive(rng, _):
    y_true = np.where(rng.random(1000) < rng.choice([0.01, 0.05]), -1, 1)
    return seen_in(report, y_true, rng.normal(size=1000) - y_true)


def constant(rng, _):
    return seen_in(report, labels_of(rng, 100, 0.3), np.full(100, rng.random()))


def scorer_of_outliers(rng, _):
    y_true = rng.random(300) < rng.choice([0.02, 0.1])
    y_true[:3] = True
    X = rng.normal(size=(300, 3)) * np.where(y_true, 4, 1)[:, np.newaxis]
    model = [IsolationForest(n_estimators=20), LocalOutlierFactor(novelty=True)][
        rng.integers(2)
    ]
    scorer = get_scorer("average_precision")
    return seen_in(scorer, model.fit(X), X, y_true.astype(int))


def training_rows(rng, folder):
    y_true, scores, _ = plain(rng, Kind())
    words = [("train", "test"), ("Training", "Holdout"), ("fit", "check")]
    column = rng.choice(["split", "subset", "partition", "dataset"])
    values = rng.choice(words[rng.integers(3)], 200)
    frame = pd.DataFrame({"label": y_true, "score": scores, column: values})
    return seen_in(shell, folder, frame)


def confidences(rng, folder):
    names = np.array(["cat", "dog", "fox", "owl"][: rng.integers(2, 5)])
    truth = rng.integers(0, names.size, 300)
    logits = rng.normal(size=(300, names.size)) + 1.5 * np.eye(names.size)[truth]
    shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    column = rng.choice(["label", "prediction", "predicted_class", "model_output"])
    frame = pd.DataFrame(
        {
            "gold": names[truth],
            column: names[shares.argmax(axis=1)],
            "score": shares.max(axis=1).round(4),
        }
    )
    return seen_in(shell, folder, frame, "--y-true", "gold", "--pos-label", "dog")


FAULTY = {
    copies_by_query: "copies",
    copies_in_blocks: "copies",
    copies_row_by_row: "copies",
    runs_of_shuffled_rows: "runs",
    negated: "upside down",
    negated_in_queries: "upside down",
    one_class_negated: "upside down",
    inliers_are_positive: "frequent",
    constant: "equal",
    scorer_of_outliers: "outliers",
    training_rows: "training",
    confidences: "confidence",
}


@pytest.mark.parametrize("seed", [3])
@pytest.mark.parametrize(
    ("draw", "look"), FAULTY.items(), ids=[draw.__name__ for draw in FAULTY]
)
def test_faulty_samples_are_found(draw, look, seed, tmp_path):
    rng = np.random.default_rng(seed)
    n_found = sum(look in draw(rng, tmp_path) for _ in range(N_FAULTY))
    show(f"{draw.__name__}: {n_found} of {N_FAULTY}")
    assert n_found >= LEAST_FOUND
