"""The labels of a state: one is positive, and the other one is known from the first negative on."""

from typing import Any

import numpy as np

from ..._reading import Checked, gathered, on_host, read
from ..._typing import Label


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
    return checked, labels.with_negative(_negative_in(y_true, labels.pos_label))


def _negative_in(y_true: Any, pos_label: Label) -> Label | None:
    given = np.asarray(y_true.toarray() if hasattr(y_true, "toarray") else on_host("y_true", y_true)).ravel()
    others = given != pos_label
    row = int(np.argmax(others))
    if not others[row]:
        return None
    label: Label = given[row].item() if isinstance(given[row], np.generic) else given[row]
    return label
