"""Labels, scores and weights of a part, in types that hold them exactly."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._entrance import score_of_ranking
from ..._ranking._rankings import Rankings
from ..._ranking._table import ByClassKernel
from ..._reading._read import Checked, read
from ..._reading._values import gathered, on_host
from ..._typing import AnyArray, FloatArray, Label, TieOrder
from .._question import Question

# The types that a state holds: smaller ones become the first that fits.
TYPES = {name: np.dtype(name) for name in ("int32", "int64", "uint64", "float32", "float64")}


def held(score: AnyArray) -> AnyArray:
    """Return checked scores in one of the types that a state holds."""
    kind, size = score.dtype.kind, score.dtype.itemsize
    if kind in "biu" and size <= 8:
        wanted = score.dtype if size == 8 else TYPES["int64" if score.dtype == np.uint32 else "int32"]
    elif kind == "f" and size <= 8:
        wanted = TYPES["float64" if size == 8 else "float32"]
    else:  # long doubles, and objects such as fractions and decimals
        whole = kind == "O" and all(isinstance(one, int) for one in score)
        return _whole(score) if whole else cast(score, TYPES["float64"])
    return np.asarray(score, dtype=wanted)


def _whole(score: AnyArray) -> AnyArray:
    for name in ("int64", "uint64"):
        try:
            return score.astype(name)
        except OverflowError:
            pass
    raise ValueError(f"y_score must fit into 64 bits; got integers from {score.min()} to {score.max()}.")


def common_type(one: np.dtype[Any], other: np.dtype[Any], lowest: Callable[[], int]) -> np.dtype[Any]:
    """Return the type for scores of both types; `lowest` gives the lowest score if both are integers."""
    if one == other:
        return one
    names = {one.name, other.name}
    if any(name.startswith("float") for name in names):
        return TYPES["float64"]  # an int32 is not exact in float32
    return TYPES["uint64" if "uint64" in names and lowest() >= 0 else "int64"]


def cast(score: AnyArray, dtype: np.dtype[Any]) -> AnyArray:
    """Return the scores in another type, and refuse one that would be rounded."""
    if score.dtype == dtype:
        return score
    with np.errstate(invalid="ignore", over="ignore"):
        others = score.astype(dtype)
        # An integer that overflows on its way back to the type of `score` does not become equal again.
        same = others == score if score.dtype.kind in "fO" else others.astype(score.dtype) == score
    if dtype.kind in "iu" and score.dtype.kind in "iu":
        same &= (others < 0) == (score < 0)  # int64 and uint64 wrap around to each other and back
    if not np.all(same):
        row = int(np.argmin(same))
        raise ValueError(
            f"y_score must be exact in one type for all rows; got {score[row]!s} of {score.dtype}, which "
            f"{dtype} would round. Convert all scores to one type."
        )
    return others


class Labels:
    """The positive label, and the label of negatives once one was seen."""

    def __init__(self, pos_label: Label, negative: Label | None = None) -> None:
        self.pos_label, self.negative = pos_label, negative

    def joined(self, other: "Labels") -> "Labels":
        """Return the labels of both, or raise if they are more than two."""
        if type(self.pos_label) is not type(other.pos_label) or self.pos_label != other.pos_label:
            raise ValueError(
                f"pos_label must be the same in states that are merged; got {self.pos_label!r} and "
                f"{other.pos_label!r}."
            )
        return self.with_negative(other.negative)

    def with_negative(self, negative: Label | None) -> "Labels":
        """Return labels with this negative one, or raise if another one was seen."""
        if negative is None or self.negative is None:
            return Labels(self.pos_label, self.negative if negative is None else negative)
        if negative != self.negative:
            raise ValueError(
                f"y_true must hold the same two labels in all updates; got {negative!r} after "
                f"{self.negative!r}, with pos_label={self.pos_label!r}."
            )
        return self


def read_pos_label(pos_label: Any) -> Label:
    """Return a positive label as Python's own object, or raise if it is of no type that labels have."""
    if not isinstance(pos_label, int | float | str | np.bool_ | np.integer) or pos_label != pos_label:
        raise ValueError(f"pos_label must be an int, a float, a bool or a str; got {pos_label!r}.")
    label: Label = pos_label.item() if isinstance(pos_label, np.generic) else pos_label
    return label


def read_part(y_true: Any, y_score: Any, sample_weight: Any, labels: Labels) -> tuple[Checked, Labels]:
    """Check the rows of an update as scores do, and return them with the labels seen so far."""
    held = gathered(y_true=y_true, y_score=y_score, sample_weight=sample_weight)
    y_true, y_score, sample_weight = held.values()
    checked = read(
        y_true,
        y_score,
        caller="RankingState.update",
        average="macro",
        pos_label=labels.pos_label,
        sample_weight=sample_weight,
        query_id=None,
    )
    if checked.positive.ndim > 1:
        raise ValueError(
            "y_true must be binary, since a state is one ranking; got "
            f"{checked.positive.shape[1]} columns or classes. Keep a state for each of them."
        )
    return checked, labels.with_negative(_negative_label(y_true, labels.pos_label))


def _negative_label(y_true: Any, pos_label: Label) -> Label | None:
    given = np.asarray(y_true.toarray() if hasattr(y_true, "toarray") else on_host("y_true", y_true)).ravel()
    others = given != pos_label
    row = int(np.argmax(others))
    if not others[row]:
        return None
    label: Label = given[row].item() if isinstance(given[row], np.generic) else given[row]
    return label


_LIGHTEST = 2.0**-500  # products of lighter weights may underflow
_TOLERANCE = 2.0**-20  # far more than sums of weights are rounded by
_MOST_ROWS = 2**53  # whose counts are exact in floats


def extremes_of_weights(of_positives: FloatArray, of_negatives: FloatArray) -> FloatArray:
    """Return the least and the greatest weight of each class; infinity and 0 without rows."""
    classes = of_positives, of_negatives
    return np.array([(one.min(initial=np.inf), one.max(initial=0.0)) for one in classes])


def widest(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return the least and the greatest weights of both, class by class."""
    return np.stack((np.minimum(one[:, 0], other[:, 0]), np.maximum(one[:, 1], other[:, 1])), axis=1)


def one_of_each(extremes: FloatArray) -> tuple[float, float] | None:
    """Return the weight of every positive and of every negative, or None if either class has several."""
    filled = extremes[extremes[:, 1] > 0]
    if (filled[:, 0] < filled[:, 1]).any():
        return None
    of_positives, of_negatives = (one[0] if one[1] else filled[0, 0] for one in extremes.tolist())
    return float(of_positives), float(of_negatives)


def finite(weights: FloatArray) -> FloatArray:
    """Return sums of weights, or raise ValueError if one is infinite."""
    with np.errstate(over="ignore"):
        total = weights.sum()
    if not np.isfinite(total):
        raise ValueError(
            "sample_weight adds up to infinity over all parts; divide it by a constant, which changes no "
            "score."
        )
    return weights


def refuse_tiny(extremes: FloatArray) -> None:
    """Refuse weights that differ if products with the least of them may underflow."""
    least = extremes[:, 0].min()
    if least < _LIGHTEST:
        raise ValueError(
            f"sample_weight must be at least 2**-500 where not all rows are in memory; got {least}. Multiply "
            "weights by a constant, which changes no score."
        )


def check_extremes(extremes: FloatArray, counts: tuple[int, int]) -> None:
    """Refuse extremes that rows of these counts cannot have."""
    for (least, most), count in zip(extremes.tolist(), counts, strict=True):
        fits = 0 < least <= most < np.inf if count else (least, most) == (np.inf, 0.0)
        if not fits:
            raise ValueError("data must hold the least and the greatest weight of each class; got others.")


def check_sums(sums: FloatArray, counts: AnyArray, extremes: FloatArray) -> None:
    """Refuse sums of weights that so many rows of each class, of these extremes, cannot have."""
    filled = counts > 0
    least, most = np.where(np.isfinite(extremes), extremes, 0.0).T[:, :, np.newaxis]
    with np.errstate(over="ignore"):
        low, high = counts * least * (1 - _TOLERANCE), counts * most * (1 + _TOLERANCE)
        total = sums.sum()
    if not np.isfinite(total) or ((sums > 0) != filled).any() or (sums < low).any() or (sums > high).any():
        raise ValueError("data must hold weights between the least and the greatest one; got others.")


def n_counted(counts: AnyArray) -> int:
    """Return the sum of stored counts, or refuse what counts no rows."""
    if counts.dtype != np.int64 or counts.min(initial=0) < 0 or counts.sum(dtype=np.float64) > _MOST_ROWS:
        raise ValueError("data must hold counts of at most 2**53 rows; got others.")
    return int(counts.sum())


def order_of(tie_order: TieOrder | None, each: tuple[float, float] | None) -> TieOrder | None:
    """Return the order of equal scores; rows with weights have none, which is refused later."""
    return tie_order if each is None or each[0] == each[1] else None


def score_of_counts(question: Question, ranking: Rankings, each: tuple[float, float] | None) -> float:
    """Return the score of rows that were counted; `each` holds the weight per row of each class."""
    definition, options = question.definition, question.options
    if each is None or each[0] == each[1]:
        return score_of_ranking(definition, ranking, **options, unit=None if each is None else each[0])
    refuse_tiny(np.transpose((each, each)))
    kernel = ByClassKernel(ranking, *each)
    return score_of_ranking(
        definition, kernel.ranking(), **options, unit=1.0, at_prevalence=kernel.at_prevalence
    )
