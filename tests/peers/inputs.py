"""The matrix of inputs that every peer is run on."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np


class Case(NamedTuple):
    """One input.

    A peer that cannot be handed all of it (weights, say) leaves it out.
    """

    y_true: list[int]
    y_score: list[float]
    sample_weight: list[float] | None = None
    query_id: list[str] | None = None
    # unique within a query; made from the row where it does not matter
    item_id: list[str] | None = None
    n_positives: int | None = None  # found or not; of a single ranking
    k: int = 3

    @property
    def documents(self) -> list[str]:
        """The ids of the rows; in input order they are neither sorted nor reversed."""
        return self.item_id or [
            f"d{(7 * row + 3) % 10007:05d}" for row in range(len(self.y_true))
        ]

    @property
    def tied(self) -> bool:
        """Whether some query holds equal scores."""
        queries = self.query_id or [""] * len(self.y_true)
        return len(set(zip(queries, self.y_score, strict=True))) < len(self.y_true)


def _ranked(labels: str, **others: object) -> Case:
    """Labels from the best score down, without ties."""
    n = len(labels)
    return Case(
        [int(label) for label in labels],
        [(n - row) / (n + 1) for row in range(n)],
        **others,
    )


def _by_hand() -> Iterator[tuple[str, Case]]:
    yield "family", _ranked("1011001001")
    yield "mccann", _ranked("1101010001")
    yield "dingwall", _ranked("1101011000")
    yield "zhu a", _ranked("1101", k=2)
    yield "normalizers", _ranked("10111")
    yield "leading negative", _ranked("0101")
    yield "leading negatives", _ranked("000111", k=4)
    yield "perfect", _ranked("1110000000")
    yield "perfect six", _ranked("111000", k=6)
    yield "worst", _ranked("0000000111")
    yield "alternating", _ranked("01" * 10, k=5)
    yield "k beyond the rows", _ranked("10110", k=20)
    yield "k is one", _ranked("10110", k=1)
    yield "five positives", _ranked("1110010001", k=5)
    yield "ten positives", _ranked("11010110010011100010", k=10)
    yield "forty-one positives", _ranked("1" * 41 + "0" * 9, k=10)
    yield "no positives", _ranked("00000")
    yield "all positives", _ranked("11111")
    yield "one positive", _ranked("1", k=1)
    yield "one negative", _ranked("0", k=1)
    yield "one positive last", _ranked("00000000001", k=10)
    yield "constant", Case([1, 0, 0, 1, 0, 0, 0, 0, 0, 0], [0.5] * 10)
    yield "constant, all positive", Case([1, 1, 1], [0.5] * 3)
    yield (
        "hard labels",
        Case([1, 0, 1, 1, 0, 0, 1, 0], [1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0]),
    )
    yield "tie at the top", Case([0, 1, 1, 0, 1], [0.9, 0.9, 0.9, 0.4, 0.2])
    yield "tie at the cut", Case([1, 0, 1, 1, 0, 0], [0.9, 0.5, 0.5, 0.5, 0.5, 0.1])
    yield "tie at the bottom", Case([1, 0, 1, 0, 1], [0.9, 0.8, 0.3, 0.3, 0.3])
    two_tied = [0.9 - row / 20 for row in range(10)] + [0.1] * 2
    yield "ten negatives, two tied", Case([0] * 10 + [1, 1], two_tied)
    yield "one decimal", Case([0, 1, 1], [0.6, 0.5, 0.5], k=2)
    yield "scores of zero", Case([1, 0, 1, 0, 1], [0.9, 0.4, 0.0, 0.0, 0.0], k=4)
    yield (
        "scores at thresholds",
        Case([1, 0, 1, 0, 1, 0], [1.0, 0.75, 0.5, 0.5, 0.25, 0.0]),
    )
    yield "negative scores", Case([1, 0, 1, 0, 1], [2.5, 1.0, 0.25, -0.5, -3.0])
    yield "logits", Case([1, 1, 0, 1, 0, 0], [40.0, 30.0, 20.0, 3.0, -1.0, -20.0])
    near = [0.5, 0.5 + 1e-9, 0.5 - 1e-9, 0.25, 0.25 + 1e-10, 0.75]
    yield "float32 close", Case([1, 0, 1, 0, 1, 1], near)
    yield (
        "large scores",
        Case([0, 1, 0, 1, 1], [1e9 + 3, 1e9 + 2, 1e9 + 1, 1e9, -1e9], k=2),
    )


def _with_more_to_say() -> Iterator[tuple[str, Case]]:
    yield "missed positives", _ranked("111", n_positives=10)
    yield "half missed", _ranked("1101001", n_positives=8, k=5)
    yield "all missed", _ranked("0000", n_positives=4)
    yield (
        "weights",
        _ranked(
            "1011001001",
            sample_weight=[1.0, 2.0, 0.5, 3.0, 1.5, 1.0, 2.5, 0.25, 4.0, 1.0],
        ),
    )
    yield "weights of tenths", _ranked("1110010001", sample_weight=[0.1] * 10)
    yield (
        "weights, tied",
        Case([1, 0, 1, 1, 0], [0.9, 0.5, 0.5, 0.2, 0.2], [2.0, 1.0, 3.0, 0.5, 4.0]),
    )
    yield "weights of zero", _ranked("10101", sample_weight=[1.0, 0.0, 2.0, 3.0, 0.0])
    queries = list("aaaabbbbccc")
    scores = [0.9, 0.8, 0.7, 0.6, 0.95, 0.85, 0.5, 0.4, 0.3, 0.2, 0.1]
    yield (
        "queries",
        Case([1, 0, 1, 0, 0, 1, 1, 1, 0, 1, 0], scores, query_id=queries, k=2),
    )
    yield (
        "a query without positives",
        Case([1, 0, 1, 0, 0, 1, 1, 1, 0, 0, 0], scores, query_id=queries, k=2),
    )
    tied = [0.9, 0.5, 0.5, 0.5, 0.5, 0.5, 0.1, 0.1, 0.3, 0.3, 0.3]
    yield (
        "queries, tied",
        Case([1, 0, 1, 0, 0, 1, 1, 1, 0, 1, 0], tied, query_id=queries, k=2),
    )
    labels, scores = (
        [1, 0, 1, 0, 0, 0, 1, 0, 0, 1],
        [0.9, 0.8, 0.7, 0.2, 0.9, 0.3, 0.4, 0.6, 0.5, 0.1],
    )
    yield "queries of one row", Case(labels, scores, query_id=list("aaabcddddd"), k=2)
    yield (
        "queries of one row alone",
        Case([1, 0, 1], [0.9, 0.8, 0.7], query_id=list("abc"), k=2),
    )


def _apart_in_float64_alone() -> Iterator[tuple[str, Case]]:
    """Yield scores that float32 makes equal, or moves across what a package compares
    them with.
    """
    yield "float64, better first", Case([1, 0, 1, 0], [0.5 + 1e-9, 0.5, 0.2, 0.1], k=1)
    yield "float64, better last", Case([1, 0, 1, 0], [0.5, 0.5 + 1e-9, 0.2, 0.1], k=1)
    yield "float64, one positive first", Case([1, 0, 0], [0.5 + 1e-9, 0.5, 0.1], k=1)
    yield "float64, one positive last", Case([0, 1, 0], [0.5, 0.5 + 1e-9, 0.1], k=1)
    yield (
        "float64, 2e-8 apart",
        Case([1, 0, 0, 1], [0.5 + 2e-8, 0.5, 0.2, 0.2 - 2e-9], k=1),
    )
    yield "float64, tiny", Case([1, 0, 1, 0, 1], [1e-60, 2e-60, 1e-50, 1e-70, 0.0], k=2)
    yield "float64, above 1", Case([1, 0, 1, 0], [1 + 1e-9, 1.0, 0.5, 0.25], k=1)
    yield (
        "float64, logits",
        Case([0, 1, 0, 1, 0, 1], [20.0, 30.0, 36.0, 38.0, 40.0, -5.0], k=3),
    )
    for steps in (49, 99, 199):
        levels = np.float32(np.arange(steps - 4, steps) / steps).astype(float)
        scores = np.column_stack([levels + 1e-9, levels - 1e-9]).ravel().tolist()
        yield f"float64, near {steps}ths", Case([1, 0, 0, 1, 1, 0, 0, 1], scores, k=4)


def _drawn() -> Iterator[tuple[str, Case]]:
    draw = np.random.RandomState(0)  # its stream is frozen
    for n, share, k in ((20, 0.5, 5), (50, 0.2, 10), (200, 0.1, 20), (3000, 0.05, 100)):
        y_true = (draw.uniform(size=n) < share).astype(int)
        y_score = draw.permutation(n) / n * 0.5 + y_true * 0.31337 + 0.1
        yield f"{n} rows", Case(y_true.tolist(), y_score.tolist(), k=k)
    y_true = (draw.uniform(size=100) < 0.3).astype(int)
    rounded = np.round(draw.uniform(size=100) * 0.6 + y_true * 0.3, 1)
    yield "100 rows, one decimal", Case(y_true.tolist(), rounded.tolist(), k=10)
    weight = np.round(draw.lognormal(size=100), 3)
    y_score = draw.permutation(100) / 100
    yield (
        "100 rows, weights",
        Case(y_true.tolist(), y_score.tolist(), weight.tolist(), k=10),
    )
    query = [f"q{draw.randint(12):02d}" for _ in range(120)]
    y_true = (draw.uniform(size=120) < 0.3).astype(int)
    y_score = (draw.permutation(120) + 1) / 121
    yield (
        "120 rows, queries",
        Case(y_true.tolist(), y_score.tolist(), query_id=query, k=4),
    )
    y_true = (draw.uniform(size=1000) < 0.3).astype(int)
    y_score = draw.uniform(size=1000) * 0.7 + y_true * 0.3
    yield "1000 rows, float64", Case(y_true.tolist(), y_score.tolist(), k=50)


INPUTS: dict[str, Case] = dict(
    [*_by_hand(), *_with_more_to_say(), *_apart_in_float64_alone(), *_drawn()]
)
