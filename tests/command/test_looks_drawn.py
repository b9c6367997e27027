"""How often looks raise false alarms on valid samples, and how often they find faults.

The samples are 400 drawn ones, 60 files, 100 rankings of real models, and 20 of each of
12 kinds of faults. `pytest -m slow -s tests/command/test_looks_drawn.py` prints the
counts.
"""

import sys
import warnings
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, softmax
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
    "runs": "have the same numbers of rows and of positives",
    "training": "that it was fitted on does not show",
    "confidence": "may be the confidence of a predicted label, not",
    "ids": "If they are copies of a row",
    "placeholder": "unlike all others",
    "logits": "high in the same rows, as logits are",
    "dropped": "a larger share than of the others",
    "outliers": "gives outliers low scores",
}
N_ROUNDS = 20
N_FAULTS = 12
LEAST_FOUND = 18
N_RANKINGS = 100


def seen_in(folder, first, *others):
    """The names of the looks that have a note in the answer or a warning about a
    sample: labels, scores and options; a file with options; or an estimator with its
    data.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if isinstance(first, pd.DataFrame):
            first.to_csv(folder / "rows.csv", index=False)
            finished = run(folder / "rows.csv", *others)
            assert finished.code == 0, finished.err
            answer = finished.out + finished.err
        elif hasattr(first, "fit"):
            answer = get_scorer("average_precision")(first, *others)
        else:
            answer = report(first, others[0], **dict(*others[1:]))
    text = " ".join([str(answer), *(str(each.message) for each in caught)])
    text = " ".join(text.split())
    return {name for name, words in WORDS.items() if words in text}


def counts_of(samples_of, seed, folder):
    """Print and return the number of notes by kind of sample and look."""
    rng = np.random.default_rng(seed)
    counts = Counter(
        (kind, look)
        for _ in range(N_ROUNDS)
        for kind, sample in samples_of(rng).items()
        for look in seen_in(folder, *sample)
    )
    # pytest shows this line with its option -s.
    sys.stdout.write(f"\n{samples_of.__name__}: {dict(counts)}")
    return counts


def labels_of(rng, n_rows, share):
    y = (rng.random(n_rows) < share).astype(int)
    y[rng.integers(n_rows)] = 1
    return y


def ranked(rng, y, skill):
    return rng.standard_t(rng.choice([3, 100]), size=y.size) + skill * y


def of_classes(rng, n_rows, skill):
    y = np.append(np.arange(4), rng.integers(0, 4, n_rows))
    return y, rng.normal(size=(n_rows + 4, 4)) + skill * np.eye(4)[y]


def honest_samples(rng):
    """One sample of each kind, whose rows are as they should be."""
    n, share = int(rng.choice([60, 150, 400, 1500])), rng.choice([0.02, 0.1, 0.3, 0.5])
    skill = rng.choice([0, 0.5, 1, 2])

    def scores_of(labels):
        return ranked(rng, labels, skill)

    y, rare = labels_of(rng, n, share), labels_of(rng, n, min(share, 0.1))
    scores, noise = scores_of(y), rng.normal(size=n)
    boxes = labels_of(rng, n, 0.95)
    by_score, by_label = np.argsort(-scores), np.argsort(-y, kind="stable")
    query, patient = rng.integers(0, n // 15, n), rng.integers(0, n // 8, n)
    # Queries of the same number of rows, and of relevant rows.
    equal = np.repeat(range(n // 50 + 2), 50)
    of_equal = np.concatenate([rng.permutation(50) < 8 for _ in range(n // 50 + 2)])
    # Rows in the order of another ranking: the relevant ones first, then the others,
    # those with the highest scores first.
    place, list_of = np.resize(range(30), 30 * (n // 30 + 3)), n // 30 + 3
    first = place < rng.integers(1, 4)
    # Users who rate the same items, scored by a model of popularity.
    users = np.repeat(range(n // 40 + 3), 40)
    popularity = np.resize(rng.normal(size=40), users.size)
    liked = labels_of(rng, users.size, 0.2)
    liked |= rng.random(users.size) < 0.2 * expit(2 * popularity)
    # The same hours of each day are positive. Each day has new rows.
    hours = np.tile(rng.permutation(24) < 7, n // 24 + 2)
    # Pairs of a case and a control from the same place, whose scores share the effect
    # of the place.
    pairs, places = np.tile([1, 0], n), np.repeat(noise, 2)
    # Scores drift over the months, and positives come in series.
    series = np.repeat(y, rng.integers(1, 5, n))[:n]
    ill = labels_of(rng, n // 8, share)[patient]
    series[0] = ill[0] = 1
    return {
        "plain": (y, scores),
        "without skill": (rare, noise),
        "rounded": (y, np.round(expit(scores), rng.integers(1, 3))),
        "counts": (y, rng.poisson(1 + skill * y)),
        "similarities": (y, 0.6 + 0.3 * np.tanh(scores / 3)),
        "weighted": (y, scores, {"sample_weight": rng.lognormal(size=n)}),
        "at a prevalence": (y, scores, {"prevalence": share / 3}),
        "boxes": (boxes, scores_of(boxes), {"n_positives": 2 * n}),
        "queries": (y, scores + query % 7, {"query_id": query}),
        "equal sizes": (of_equal, scores_of(of_equal), {"query_id": equal}),
        "relevant first": (
            first,
            scores_of(first) - place / 30,
            {"query_id": np.repeat(range(list_of), 30)},
        ),
        "one catalogue": (liked, popularity, {"query_id": users}),
        "hours": (hours, scores_of(hours)),
        "matched pairs": (pairs, scores_of(pairs) + places),
        "sorted by score": (y[by_score], scores[by_score]),
        "sorted by label": (y[by_label], scores[by_label]),
        "in time": (series, scores_of(series) + np.linspace(0, 2, n)),
        "patients": (
            ill,
            scores_of(ill) + noise[patient],
            {"unit_id": patient},
        ),
        "classes": of_classes(rng, n, skill),
        "two models": (y, scores, {"compare": scores + noise}),
    }


@pytest.mark.parametrize("seed", [1])
def test_honest_samples_are_not_accused(seed):
    by_look = Counter()
    for (_, look), count in counts_of(honest_samples, seed, None).items():
        by_look[look] += count * (look != "frequent")
    assert max(by_look.values(), default=0) <= 1


def rankings_of_models():
    """Yield the labels and scores of one class after the other."""
    samples = [
        datasets.load_iris(return_X_y=True),
        datasets.load_wine(return_X_y=True),
        datasets.load_breast_cancer(return_X_y=True),
        datasets.load_digits(return_X_y=True),
        datasets.make_blobs(400, centers=4, cluster_std=3, random_state=1),
        datasets.make_classification(1000, weights=[0.96], flip_y=0.02, random_state=1),
    ]
    models = [
        make_pipeline(StandardScaler(), LogisticRegression()),
        ExtraTreesClassifier(30, random_state=0),
        GaussianNB(),
        KNeighborsClassifier(7),
        DecisionTreeClassifier(max_depth=4, random_state=0),
        make_pipeline(StandardScaler(), SGDClassifier(random_state=0)),
    ]
    for X, y in samples:
        for model in models:
            method = "predict_proba"
            if not hasattr(model, method):
                method = "decision_function"
            scores = cross_val_predict(model, X, y, cv=3, method=method)
            # Of two classes, the only column of decision values is that of the second.
            columns = scores.reshape(len(y), -1).T
            for label, column in zip(
                np.unique(y)[-len(columns) :], columns[:4], strict=False
            ):
                yield y == label, column


def test_rankings_of_real_models_are_not_accused():
    seen = [seen_in(None, *ranking) for ranking in rankings_of_models()]
    sys.stdout.write(f"\n{len(seen)} rankings of models")
    assert len(seen) >= N_RANKINGS
    assert set().union(*seen) <= {"frequent"}


def frame_of(rng, **others):
    y = labels_of(rng, 200, 0.3)
    return pd.DataFrame({"label": y, "score": ranked(rng, y, 1)} | others)


def honest_files(rng):
    n = 200
    files = {
        "split of validation and test": {"split": rng.choice(["val", "test"], n)},
        "folds": {"fold": rng.integers(0, 5, n)},
        "probability next to its prediction": {
            "score": rng.random(n),
            "prediction": rng.integers(0, 2, n),
        },
        "similarities and a second annotator": {
            "score": rng.uniform(0.3, 0.9, n),
            "label2": rng.integers(0, 2, n),
        },
        "predictions of another model, and dates": {
            "output_date": pd.date_range("2026-01-01", periods=n),
            "guess": rng.choice(["a", "b", "c"], n),
        },
        "groups": {"set": rng.choice(["fitness", "trainers", "a"], n)},
    }
    return {name: [frame_of(rng, **columns)] for name, columns in files.items()}


@pytest.mark.parametrize("seed", [2])
def test_honest_files_are_not_accused(seed, tmp_path):
    assert not counts_of(honest_files, seed, tmp_path)


def faulty_samples(rng):
    """One sample of each kind of fault, with the look that finds it in its name."""
    # Labels and scores of a model that was trained several times, a line per run.
    n_rows, n_runs = int(rng.choice([80, 300])), int(rng.choice([3, 5, 8]))
    y = np.tile(labels_of(rng, n_rows, rng.choice([0.1, 0.4])), (n_runs, 1))
    noise = rng.choice([0.2, 0.7]) * rng.normal(size=(n_runs, n_rows))
    scores = ranked(rng, y[0], 1) + noise
    run_of_row = np.repeat(range(n_runs), n_rows)
    order = np.argsort(rng.random(scores.shape), axis=1)
    shuffled = [np.take_along_axis(rows, order, axis=1).ravel() for rows in (y, scores)]
    name = rng.choice(["seed", "run", "model", "repeat", "trial"])
    # Rankings that are upside down.
    few = np.arange(rng.choice([100, 1000])) < rng.choice([10, 20, 60])
    query, relevant = np.repeat(range(30), 20), labels_of(rng, 600, 0.1)
    classes, of_class = of_classes(rng, 300, 1.5)
    of_class[:, rng.integers(4)] *= -1
    inlier = np.where(rng.random(1000) < rng.choice([0.01, 0.05]), -1, 1)
    outlier = labels_of(rng, 300, rng.choice([0.02, 0.1]))
    outlier[:3] = 1
    X = rng.normal(size=(300, 3)) * np.where(outlier, 4, 1)[:, np.newaxis]
    models = IsolationForest(n_estimators=20), LocalOutlierFactor(novelty=True)
    # Files.
    column = rng.choice(["split", "subset", "partition", "dataset"])
    parts = [("train", "test"), ("Training", "Holdout"), ("fit", "check")]
    animals = np.array(["cat", "dog", "fox", "owl"][: rng.integers(2, 5)])
    truth = rng.integers(0, animals.size, 300)
    logits = rng.normal(size=(300, animals.size))
    shares = softmax(logits + 1.5 * np.eye(animals.size)[truth], axis=1)
    predicted = rng.choice(["label", "prediction", "predicted_class", "model_output"])
    confident = {
        "gold": animals[truth],
        predicted: animals[shares.argmax(axis=1)],
        "score": shares.max(axis=1).round(4),
    }
    return {
        "copies: by query": (y.ravel(), scores.ravel(), {"query_id": run_of_row}),
        "copies: in blocks": (y.ravel(), scores.ravel()),
        "copies: row by row": (y.T.ravel(), scores.T.ravel()),
        "runs: of shuffled rows": (
            *shuffled,
            {"query_id": pd.Series(run_of_row, name=name)},
        ),
        "upside down: all rows": (few, -ranked(rng, few, 2)),
        "upside down: in queries": (
            relevant,
            query - 2 * relevant + rng.normal(size=600),
            {"query_id": query},
        ),
        "upside down: one class": (classes, of_class),
        "frequent: inliers": (inlier, rng.normal(size=1000) - inlier),
        "equal: constant": (labels_of(rng, 100, 0.3), np.full(100, rng.random())),
        "outliers: scorer": (models[rng.integers(2)].fit(X), X, outlier),
        "training: rows": [
            frame_of(rng, **{column: rng.choice(parts[rng.integers(3)], 200)})
        ],
        "confidence: of a label": (
            pd.DataFrame(confident),
            *["--y-true", "gold", "--pos-label", "dog"],
        ),
    }


@pytest.mark.parametrize("seed", [3])
def test_faulty_samples_are_found(seed, tmp_path):
    counts = counts_of(faulty_samples, seed, tmp_path)
    found = {kind: n for (kind, look), n in counts.items() if kind.startswith(look)}
    assert len(found) == N_FAULTS
    assert min(found.values()) >= LEAST_FOUND
