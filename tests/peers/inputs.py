"""The inputs on which every peer is run."""

from typing import NamedTuple

import numpy as np


class Case(NamedTuple):
    """One input. Peers are not run on inputs that they do not accept."""

    y_true: list[int]
    y_score: list[float]
    sample_weight: list[float] | None = None
    query_id: list[str] | None = None
    # The number of positives with and without rows, for a single ranking.
    n_positives: int | None = None
    k: int = 3

    @property
    def documents(self):
        """Return ids of the rows, which are neither sorted nor reversed."""
        return [f"d{(7 * row + 3) % 10007:05d}" for row in range(len(self.y_true))]

    @property
    def arguments(self):
        """Return the arguments of `score_as` and `identify`."""
        return {**self._asdict(), "item_id": self.documents}

    @property
    def tied(self):
        """Return whether a query contains equal scores."""
        queries = self.query_id or [""] * len(self.y_true)
        return len(set(zip(queries, self.y_score, strict=True))) < len(self.y_true)


def _ranked(labels, **others):
    """Return a case with these labels from the highest score on, without ties."""
    n = len(labels)
    return Case(
        [int(label) for label in labels],
        [(n - row) / (n + 1) for row in range(n)],
        **others,
    )


QUERIES = list("aaaabbbbccc")
SCORES = [0.9, 0.8, 0.7, 0.6, 0.95, 0.85, 0.5, 0.4, 0.3, 0.2, 0.1]
BY_HAND = {
    "family": _ranked("1011001001"),
    "mccann": _ranked("1101010001"),
    "dingwall": _ranked("1101011000"),
    "leading negatives": _ranked("000111", k=4),
    "perfect": _ranked("1110000000"),
    "worst": _ranked("0000000111"),
    "k beyond the rows": _ranked("10110", k=20),
    "k is one": _ranked("10110", k=1),
    "five positives": _ranked("1110010001", k=5),
    "forty-one positives": _ranked("1" * 41 + "0" * 9, k=10),
    "no positives": _ranked("00000"),
    "all positives": _ranked("11111"),
    "one positive": _ranked("1", k=1),
    "one negative": _ranked("0", k=1),
    "one positive last": _ranked("00000000001", k=10),
    "constant": Case([1, 0, 0, 1, 0, 0, 0, 0, 0, 0], [0.5] * 10),
    "hard labels": Case(
        [1, 0, 1, 1, 0, 0, 1, 0], [1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0]
    ),
    "tie at the top": Case([0, 1, 1, 0, 1], [0.9, 0.9, 0.9, 0.4, 0.2]),
    "tie at the cut": Case([1, 0, 1, 1, 0, 0], [0.9, 0.5, 0.5, 0.5, 0.5, 0.1]),
    "tie at the bottom": Case([1, 0, 1, 0, 1], [0.9, 0.8, 0.3, 0.3, 0.3]),
    "ten negatives, two tied": Case(
        [0] * 10 + [1, 1], [0.9 - row / 20 for row in range(10)] + [0.1] * 2
    ),
    "scores of zero": Case([1, 0, 1, 0, 1], [0.9, 0.4, 0.0, 0.0, 0.0], k=4),
    "scores at thresholds": Case([1, 0, 1, 0, 1, 0], [1.0, 0.75, 0.5, 0.5, 0.25, 0.0]),
    "negative scores": Case([1, 0, 1, 0, 1], [2.5, 1.0, 0.25, -0.5, -3.0]),
    "logits": Case([1, 1, 0, 1, 0, 0], [40.0, 30.0, 20.0, 3.0, -1.0, -20.0]),
    "float32 close": Case(
        [1, 0, 1, 0, 1, 1], [0.5, 0.5 + 1e-9, 0.5 - 1e-9, 0.25, 0.25 + 1e-10, 0.75]
    ),
    "large scores": Case([0, 1, 0, 1, 1], [1e9 + 3, 1e9 + 2, 1e9 + 1, 1e9, -1e9], k=2),
}
WITH_MORE_TO_SAY = {
    "missed positives": _ranked("111", n_positives=10),
    "half missed": _ranked("1101001", n_positives=8, k=5),
    "all missed": _ranked("0000", n_positives=4),
    "weights": _ranked(
        "1011001001",
        sample_weight=[1.0, 2.0, 0.5, 3.0, 1.5, 1.0, 2.5, 0.25, 4.0, 1.0],
    ),
    "weights, tied": Case(
        [1, 0, 1, 1, 0], [0.9, 0.5, 0.5, 0.2, 0.2], [2.0, 1.0, 3.0, 0.5, 4.0]
    ),
    "weights of zero": _ranked("10101", sample_weight=[1.0, 0.0, 2.0, 3.0, 0.0]),
    "a query without positives": Case(
        [1, 0, 1, 0, 0, 1, 1, 1, 0, 0, 0], SCORES, query_id=QUERIES, k=2
    ),
    "queries, tied": Case(
        [1, 0, 1, 0, 0, 1, 1, 1, 0, 1, 0],
        [0.9, *[0.5] * 5, 0.1, 0.1, 0.3, 0.3, 0.3],
        query_id=QUERIES,
        k=2,
    ),
    "queries of one row": Case(
        [1, 0, 1, 0, 0, 0, 1, 0, 0, 1],
        [0.9, 0.8, 0.7, 0.2, 0.9, 0.3, 0.4, 0.6, 0.5, 0.1],
        query_id=list("aaabcddddd"),
        k=2,
    ),
    "queries of one row alone": Case(
        [1, 0, 1], [0.9, 0.8, 0.7], query_id=list("abc"), k=2
    ),
}


def _near(steps):
    """Return scores on both sides of the thresholds of a package."""
    levels = np.float32(np.arange(steps - 4, steps) / steps).astype(float)
    scores = np.column_stack([levels + 1e-9, levels - 1e-9]).ravel().tolist()
    return Case([1, 0, 0, 1, 1, 0, 0, 1], scores, k=4)


# Scores that float32 makes equal, or moves across a threshold of a package.
APART_IN_FLOAT64_ALONE = {
    "float64, better first": Case([1, 0, 1, 0], [0.5 + 1e-9, 0.5, 0.2, 0.1], k=1),
    "float64, better last": Case([1, 0, 1, 0], [0.5, 0.5 + 1e-9, 0.2, 0.1], k=1),
    "float64, one positive first": Case([1, 0, 0], [0.5 + 1e-9, 0.5, 0.1], k=1),
    "float64, one positive last": Case([0, 1, 0], [0.5, 0.5 + 1e-9, 0.1], k=1),
    "float64, 2e-8 apart": Case([1, 0, 0, 1], [0.5 + 2e-8, 0.5, 0.2, 0.2 - 2e-9], k=1),
    "float64, tiny": Case([1, 0, 1, 0, 1], [1e-60, 2e-60, 1e-50, 1e-70, 0.0], k=2),
    "float64, above 1": Case([1, 0, 1, 0], [1 + 1e-9, 1.0, 0.5, 0.25], k=1),
    "float64, logits": Case(
        [0, 1, 0, 1, 0, 1], [20.0, 30.0, 36.0, 38.0, 40.0, -5.0], k=3
    ),
    **{f"float64, near {steps}ths": _near(steps) for steps in (49, 99, 199)},
}


def _drawn():
    draw, cases = np.random.RandomState(0), {}  # its stream is frozen

    def labels(n, share):
        return (draw.uniform(size=n) < share).astype(int)

    def add(name, y_true, y_score, **others):
        cases[name] = Case(y_true.tolist(), y_score.tolist(), **others)

    for n, share, k in ((20, 0.5, 5), (50, 0.2, 10), (200, 0.1, 20), (3000, 0.05, 100)):
        y_true = labels(n, share)
        y_score = draw.permutation(n) / n * 0.5 + y_true * 0.31337 + 0.1
        add(f"{n} rows", y_true, y_score, k=k)
    y_true = labels(100, 0.3)
    rounded = np.round(draw.uniform(size=100) * 0.6 + y_true * 0.3, 1)
    add("100 rows, one decimal", y_true, rounded, k=10)
    weight = np.round(draw.lognormal(size=100), 3).tolist()
    y_score = draw.permutation(100) / 100
    add("100 rows, weights", y_true, y_score, sample_weight=weight, k=10)
    query = [f"q{draw.randint(12):02d}" for _ in range(120)]
    y_true = labels(120, 0.3)
    y_score = (draw.permutation(120) + 1) / 121
    add("120 rows, queries", y_true, y_score, query_id=query, k=4)
    y_true = labels(1000, 0.3)
    y_score = draw.uniform(size=1000) * 0.7 + y_true * 0.3
    add("1000 rows, float64", y_true, y_score, k=50)
    return cases


INPUTS: dict[str, Case] = BY_HAND | WITH_MORE_TO_SAY | APART_IN_FLOAT64_ALONE | _drawn()
