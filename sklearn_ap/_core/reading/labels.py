"""Labels of more than two values: the number of rows of each label, and ways to make
two labels of them.
"""

import re
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

from .options import short_repr

# Messages show this number of labels. If there are more, they are probably measured
# values or ids.
_N_LABELS = 10
# Larger labels may be counts.
_MOST_GRADES = 10
# The characters that separate the labels of a list in text.
_SEPARATORS = r"[\s,;|]+"
BY_LABEL = (
    "MultiLabelBinarizer().fit_transform(lists) of scikit-learn makes a column per "
    "label, and each needs a column of scores"
)


def are_lists(labels: Iterable[object]) -> bool:
    """Return whether labels seem to be lists: whether two of them share a word."""
    lists = [re.split(_SEPARATORS, str(label).strip()) for label in labels]
    return len({*chain(*lists)}) < sum(map(len, lists))


def labels_in_words(rows: Mapping[Any, int]) -> str:
    """Return a text with the first labels and the number of rows of each of them."""
    listed = [
        f"{short_repr(label)} ({n_rows:,} row{'' if n_rows == 1 else 's'})"
        for label, n_rows in rows.items()
    ]
    if len(listed) > _N_LABELS:
        listed[_N_LABELS:] = ["..."]
    return ", ".join(listed)


def ways_to_two(rows: Mapping[Any, int], labels: str, verb: str = "pass") -> str:
    """Return advice for a user who has more than two labels but needs two.

    `rows` contains the number of rows of each label, in the order of the labels, which
    are all numbers or all text. `labels` is the Python expression or the name of the
    column to show, such as y_true, and `verb` is the verb of the advice, such as "pass"
    or "add".
    """
    least, *_, greatest = rows
    middle = [*rows][len(rows) // 2]
    column = f"{verb} {labels}"
    if isinstance(least, str):
        most_frequent = max(rows, key=rows.__getitem__)
        of_lists = f"for lists of labels, {BY_LABEL}; " if are_lists(rows) else ""
        return (
            f"{of_lists}for one label against the others, pass pos_label={least!r}; for "
            f"all labels but one, {column} != {most_frequent!r}"
        )
    if any(label % 1 for label in rows):
        if 0 <= least < greatest <= 1:
            return f"for shares, such as those of raters, {column} >= 0.5"
        return f"for measured values, {column} >= {middle:.3g} or another level"
    # pos_label=1 is the default, so passing it would not choose a label.
    one = f"{column} == 1" if greatest == 1 else f"pass pos_label={greatest}"
    way = f"for one label against the others, {one}"
    if middle > 0:
        way = f"for grades, {column} >= {middle} or another level; {way}"
        if greatest > _MOST_GRADES:
            way = f"for counts, such as clicks, repeat the rows (np.repeat); {way}"
    if least < 0:
        way = (
            f"if {least} marks rows without a label, keep those where {labels} != "
            f"{least}; {way}"
        )
    return way
