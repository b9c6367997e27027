"""The classes that several columns of scores are about, and which column each has."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import combinations_with_replacement

from .._core.typing import Label
from .._report.sentences import query_words
from .._shown.sources import SourceError, format_value, is_number
from ..distributed._batches import column_error
from ..distributed._local import LocalSource, distinct_labels, rows_by_label

# the labels of each class, as rows have them, by its name
Classes = dict[str, frozenset[Label]]

_fraction_of_0 = re.compile(r"(?<=[0-9])\.0$")
_between_words = re.compile(r"(?<=[a-z])(?=[A-Z])")  # as in probDog
_words_in = re.compile(r"\d+|[^\W\d_]+").findall
_N_SHOWN = 3  # of a list in an error
_N_LABELS = 10  # more numbers are measured values


def error_about_labels(source: LocalSource, pos_label: str | None) -> SourceError:
    """Return the error about labels of which none, or more than one, is negative."""
    rows = Counter[str]()
    are_numbers = True
    for label, n_rows in rows_by_label(source).items():
        text = str(label).strip(" \t")
        is_numeric = bool(is_number(text))
        are_numbers &= is_numeric
        rows[text if is_numeric else format_value(label)] += n_rows
    names = sorted(rows, key=float if are_numbers else None)
    labels = [f"{label} ({query_words('row', rows[label])})" for label in names]
    listed = ", ".join(labels[:_N_LABELS])
    name = source.roles.y_true
    from_level = f"write a column of 0 and 1 from a level on, such as {name} >= LEVEL"
    if len(labels) > _N_LABELS and are_numbers:
        few = ", ".join(names[:_N_SHOWN])
        problem = (
            f"contains {len(rows):,} measured values, such as {few}, not labels; "
            f"{from_level}"
        )
    elif len(labels) > 2:
        more = f" and {len(labels) - _N_LABELS} others" * (len(labels) > _N_LABELS)
        problem = (
            f"contains {len(labels)} labels: {listed}{more}; for grades, {from_level}; "
            "for classes, name a column of scores for each by --y-score"
        )
    elif pos_label is None:
        problem = f"contains the labels: {listed}; name the positive one by --pos-label"
    else:
        problem = (
            f"contains the labels: {listed}; --pos-label is {format_value(pos_label)}"
        )
    return column_error(source.name, name, problem)


def read_classes(source: LocalSource) -> Classes:
    """Return the classes of a column of labels, in the order of `classes_`."""
    labels, are_text = distinct_labels(source)
    is_mixed = len({isinstance(label, str) for label in labels}) > 1
    if is_mixed or len(are_text) > 1:
        kinds = " and ".join(sorted({type(label).__name__ for label in labels}))
        problem = f"must contain labels of one kind; got {kinds}; write all files in one format"
        raise column_error(source.name, source.roles.y_true, problem)
    if all(are_text) and all(is_number(str(label).strip(" \t")) for label in labels):
        # Numbers of text files, in their order; 2 and 2.0 are two classes.
        texts = dict[str, set[Label]]()
        for text in sorted(map(str, labels), key=lambda text: (Decimal(text), text)):
            texts.setdefault(text.strip(" \t"), set()).add(text)
        return {name: frozenset(written) for name, written in texts.items()}
    return {str(label): frozenset([label]) for label in sorted(labels)}


def columns_of_classes(
    columns_by_model: Sequence[Sequence[str]], classes: Sequence[str]
) -> list[list[str]]:
    """Return the columns of --y-score, and of each --compare, in the order of the
    classes.

    They go by name if all are one text with each class in its place, else by place.
    Those that could be meant in two ways are refused.
    """
    # Whole numbers, such as 2.0, may stand without their fraction in names.
    spelled = {_fraction_of_0.sub("", name): name for name in classes}
    spelled |= {name: name for name in classes}
    orders = [_order_by_name(columns, spelled) for columns in columns_by_model]
    # They could also go with the columns of the other model.
    named = next((order for order in orders if order), classes)
    ordered = []
    options = ["--y-score", *["--compare"] * len(orders)]
    for option, columns, order in zip(options, columns_by_model, orders, strict=False):
        if not order:
            for column, name, other in zip(columns, classes, named, strict=True):
                words = _words_of(column)
                readings = [
                    f"{format_value(each)} by its name"
                    for text, each in spelled.items()
                    if each != name and _words_of(text) in words
                ]
                if other != name:
                    readings.append(f"{format_value(other)} as another model's")
                if readings:
                    example = ",".join(f"p_{each}" for each in classes[:_N_SHOWN])
                    raise SourceError(
                        f"{option}: column {format_value(column)} is of class "
                        f"{format_value(name)} by its place, and of {readings[0]}; "
                        "name all columns by one text with each class in its place, "
                        f"such as {example}, or by none"
                    )
        column_of = dict(zip(order or classes, columns, strict=True))
        ordered.append([column_of[name] for name in classes])
    return ordered


def _order_by_name(columns: Sequence[str], spelled: Mapping[str, str]) -> list[str]:
    """Return the class that each column is named after; none if they are not all one
    text with each class in its place.
    """
    first = columns[0]
    for start, stop in combinations_with_replacement(range(len(first) + 1), 2):
        if first[start:stop] in spelled:
            named = {
                f"{first[:start]}{text}{first[stop:]}": name
                for text, name in spelled.items()
            }
            order = [named[column] for column in columns if column in named]
            if {*order} == {*spelled.values()}:
                return order
    return []


def _words_of(text: str) -> str:
    """Return the words of a text in lower case, each between spaces."""
    words = _words_in(_between_words.sub(" ", text).casefold())
    return f" {' '.join(words)} "
