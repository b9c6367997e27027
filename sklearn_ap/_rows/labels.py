"""Labels: which rows are positive, and how many rows have each label."""

from collections import Counter

import numpy as np

from .._core.typing import AnyArray, BoolArray, Label
from .._shown.sources import SourceError, format_value, is_number
from .columns import Column
from .numbers import check_finite
from .roles import Roles

# A batch of numbers is searched for this many distinct labels, since a third label is
# an error unless `Roles` allows several labels of negatives.
_MAX_LABELS = 3


class ThirdLabelError(SourceError):
    """A column of labels has more than two distinct values."""


class LabelReader:
    """Reader of labels. All negatives must have the same label, unless `roles` has
    `of_class` or `takes_others`.
    """

    def __init__(self, roles: Roles) -> None:
        self._roles = roles
        # The negative labels of all batches, in order of appearance. If labels are
        # numbers, only the first `_MAX_LABELS` distinct labels of a batch are checked.
        self.negatives = dict[Label, None]()

    def read(self, column: Column) -> BoolArray:
        """Return which labels are positive. Raise ThirdLabelError if there are three
        labels, unless `roles` allows several labels of negatives.
        """
        encoded = column.texts()
        if encoded is not None:
            # Check only the distinct texts. Most files have two.
            codes, texts = encoded
            return np.array(
                [self._is_positive(text, column) for text in texts], dtype=bool
            )[codes]
        labels, of_class = _labels_of(column), self._roles.of_class
        if of_class is not None:
            # Here, labels are numbers, so compare them only with the numbers in
            # `of_class`. With text in the list, numpy would compare all labels as text.
            numbers = [label for label in of_class if not isinstance(label, str)]
            return np.isin(labels, numbers)
        # Check each distinct label once, which is faster than a sort of all labels.
        unchecked = labels
        for _ in range(_MAX_LABELS):
            if unchecked.size:
                self._is_positive(unchecked[0].item(), column)
                unchecked = unchecked[unchecked != unchecked[0]]
        return np.asarray(labels == self._roles.pos_label, dtype=bool)

    def _is_positive(self, label: Label, column: Column) -> bool:
        """Return whether a label is positive. If `pos_label` is a number, text of a
        file is read as a number, too.
        """
        pos_label, of_class = self._roles.pos_label, self._roles.of_class
        if of_class is not None:
            return label in of_class
        if not isinstance(pos_label, str) and column.is_text:
            label = typed_label(label)
        if isinstance(label, str) != isinstance(pos_label, str):
            raise column.error(
                f"contains {format_value(label)}; got pos_label={pos_label!r}: pass "
                "one of the labels in this column"
            )
        if label != pos_label:
            self.add_negative(label, column.where)
        return label == pos_label

    def add_negative(self, label: Label, where: str) -> None:
        """Store a label of negatives. Raise ThirdLabelError if negatives already have
        another label, unless `roles` has `takes_others`.
        """
        self.negatives[label] = None
        roles = self._roles
        if len(self.negatives) > 1 and not roles.takes_others:
            raise ThirdLabelError(
                f"{where}: column {format_value(roles.y_true)}: {format_value(label)} "
                f"is a third label after pos_label={format_value(roles.pos_label)} and "
                f"{format_value(next(iter(self.negatives)))}; labels must be binary"
            )


def _labels_of(column: Column) -> AnyArray:
    """Return labels that are not text. Raise SourceError for dates, NaN or infinity."""
    labels = column.array()
    if labels.dtype.kind not in "biuf":
        raise column.error(f"has type {labels.dtype}; expected numbers or text")
    check_finite(column, labels)
    return labels


def counted_labels(column: Column) -> Counter[Label]:
    """Return the number of rows of each label as it is written, in order of
    appearance.
    """
    if column.is_text:
        return Counter(column.values.tolist())
    encoded = column.texts()
    if encoded is None:
        return Counter(_labels_of(column).tolist())
    codes, texts = encoded
    return Counter(map(texts.__getitem__, codes.tolist()))


def typed_labels(column: Column) -> list[Label]:
    """Return the distinct labels. If all labels of a text file can be read as numbers,
    return numbers.
    """
    labels = [*counted_labels(column)]
    typed = [*map(typed_label, labels)] if column.is_text else labels
    return labels if any(isinstance(label, str) for label in typed) else typed


def typed_label(text: Label) -> Label:
    """Return the text of a file as a number if it can be read as one."""
    stripped = str(text).strip(" \t")
    if not is_number(stripped):
        return text
    number = float(stripped)
    return int(number) if number.is_integer() else number
