"""Labels of more than two values: how many rows each label has, and how they become
two.
"""

import re
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

from .options import short_repr

_N_LABELS = 10  # more are measured values, or ids
_SEPARATORS = r"[\s,;|]+"  # of lists of labels in text
BY_LABEL = (
    "MultiLabelBinarizer().fit_transform(lists) of scikit-learn makes a column per label, "
    "and each needs a column of scores"
)


def are_lists(labels: Iterable[object]) -> bool:
    """Whether a word of one label is also a word of another label."""
    lists = [re.split(_SEPARATORS, str(label).strip()) for label in labels]
    return len({*chain(*lists)}) < sum(map(len, lists))


def labels_in_words(rows: Mapping[Any, int]) -> str:
    """Return labels with their numbers of rows."""
    listed = [
        f"{short_repr(label)} ({n_rows:,} row{'s' * (n_rows != 1)})"
        for label, n_rows in rows.items()
    ]
    return ", ".join(listed[:_N_LABELS]) + ", ..." * (len(listed) > _N_LABELS)


def ways_to_two(rows: Mapping[Any, int], labels: str, verb: str = "pass") -> str:
    """Return how more than two labels, with their numbers of rows, become two.

    The labels are in their order: all are numbers, or all are text. `labels` is code for
    their column, and `verb` says what to do with a column that is made of it.
    """
    least, *_, greatest = rows
    middle = [*rows][len(rows) // 2]
    column = f"{verb} {labels}"
    if isinstance(least, str):
        most_frequent = max(rows, key=rows.__getitem__)
        return (
            f"{f'for lists of labels, {BY_LABEL}; ' * are_lists(rows)}for one label against the others, pass "
            f"pos_label={least!r}; for all labels but one, {column} != {most_frequent!r}"
        )
    if any(label % 1 for label in rows):
        if 0 <= least < greatest <= 1:
            return f"for shares, such as those of raters, {column} >= 0.5"
        return f"for measured values, {column} >= {middle:.3g} or another level"
    # pos_label=1 is the default, which chooses no label.
    one = f"{column} == 1" if greatest == 1 else f"pass pos_label={greatest}"
    way = f"for one label against the others, {one}"
    if middle > 0:
        way = f"for grades, {column} >= {middle} or another level; {way}"
    if least < 0:
        way = (
            f"if {least} marks rows without a label, keep those where {labels} != {least}; "
            f"{way}"
        )
    return way
