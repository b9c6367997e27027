"""The classes that several columns of scores are about, and which column each has."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
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
        return _classes_of_numbers(source, map(str, labels))
    return {str(label): frozenset([label]) for label in sorted(labels)}


def _classes_of_numbers(source: LocalSource, texts: Iterable[str]) -> Classes:
    """Return numbers of text files as classes: 2 and 2.0 are one class."""
    # Decimals of any size are equal, and in order, without rounding.
    by_number: dict[Decimal, list[str]] = {}
    for text in sorted(texts):
        by_number.setdefault(Decimal(text.strip(" \t")), []).append(text)
    classes = Classes()
    for _, written in sorted(by_number.items()):
        stripped = {text.strip(" \t") for text in written}
        if len({_fraction_of_0.sub("", text) for text in stripped}) > 1:
            listed = " and ".join(map(format_value, written[:_N_SHOWN]))
            problem = f"contains {listed}, which are one number; write it in one way"
            raise column_error(source.name, source.roles.y_true, problem)
        classes[min(stripped, key=len)] = frozenset(written)
    return classes


def columns_of_classes(
    columns_by_model: Sequence[Sequence[str]], classes: Sequence[str]
) -> list[list[str]]:
    """Return the columns of --y-score, and of each --compare, in the order of the
    classes.

    They go by name if all are one text with each class in its place, and by place if
    none contains a class. Others could be meant in two ways, and are refused.
    """
    models = list(
        zip(
            ["--y-score", *["--compare"] * (len(columns_by_model) - 1)],
            columns_by_model,
            strict=True,
        )
    )
    orders = [_named_classes(option, columns, classes) for option, columns in models]
    named = next((order for order in orders if order not in (None, classes)), classes)
    ordered = []
    for (option, columns), by_name in zip(models, orders, strict=True):
        if by_name is None:
            # They could also go with the columns of the other model.
            for column, name, other in zip(columns, classes, named, strict=True):
                if name != other:
                    reading = f"{format_value(other)} as another model's"
                    raise _two_readings(option, column, name, reading, classes)
        column_of = dict(zip(by_name or classes, columns, strict=True))
        ordered.append([column_of[name] for name in classes])
    return ordered


def _named_classes(
    option: str, columns: Sequence[str], classes: Sequence[str]
) -> Sequence[str] | None:
    """Return the class that each column is named after; None if no column is."""
    # Whole numbers, such as 2.0, may stand without their fraction in names.
    spelled = {_fraction_of_0.sub("", name): name for name in classes}
    spelled |= {name: name for name in classes}
    first = columns[0]
    for start, stop in combinations_with_replacement(range(len(first) + 1), 2):
        if first[start:stop] in spelled:
            named = {
                f"{first[:start]}{text}{first[stop:]}": name
                for text, name in spelled.items()
            }
            order = [named[column] for column in columns if column in named]
            if {*order} == {*classes}:
                return order
    contained = [
        {name for text, name in spelled.items() if _words_of(text) in _words_of(column)}
        for column in columns
    ]
    if not any(contained):
        return None
    for column, name, names in zip(columns, classes, contained, strict=True):
        if names != {name}:
            listed = " or ".join(map(format_value, sorted(names)[:_N_SHOWN])) or "none"
            reading = f"{listed} by its name"
            raise _two_readings(option, column, name, reading, classes)
    return classes  # both readings are one


def _words_of(text: str) -> str:
    """Return the words of a text in lower case, each between spaces."""
    words = _words_in(_between_words.sub(" ", text).casefold())
    return f" {' '.join(words)} "


def _two_readings(
    option: str, column: str, name: str, reading: str, classes: Sequence[str]
) -> SourceError:
    example = ",".join(f"p_{name}" for name in classes[:_N_SHOWN])
    return SourceError(
        f"{option}: column {format_value(column)} is of class {format_value(name)} "
        f"by its place, and of {reading}; name all columns by one text with each class "
        f"in its place, such as {example}, or by none"
    )
