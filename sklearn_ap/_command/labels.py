"""The positive label, and the classes that several columns of scores are about."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal

from .._core.reading.names import bare_texts
from .._core.typing import Label
from .._report.sentences import query_words
from .._rows.batches import column_error, typed_label
from .._rows.local import (
    LocalSource,
    distinct_labels,
    rows_by_label,
)
from .._shown.sources import SourceError, format_value, is_number

# the labels of each class, as rows have them, by its name
Classes = dict[str, frozenset[Label]]

# Labels that say themselves which one is positive, by the negative one.
_POSITIVE_WORDS = {
    "0": "1",
    "-1": "1",
    "false": "true",
    "no": "yes",
    "f": "t",
    "n": "y",
}
_between_words = re.compile(r"(?<=[a-z])(?=[A-Z])")  # as in probDog
_words_in = re.compile(r"\d+|[^\W\d_]+").findall
N_SHOWN = 3  # of a list in an error
_N_LABELS = 10  # more numbers are measured values


def read_pos_label(source: LocalSource, pos_label: str | None) -> Label:
    """Return the positive label as the file writes it.

    Without `pos_label`, it is 1 or the positive word of a pair such as no and yes, also
    where all rows have the negative one. With `pos_label`, labels may also be any other
    one, or several.
    """
    labels: list[Label] = []
    for labels in distinct_labels(source):
        if len(labels) > 1 and pos_label in (None, *map(_text_of, labels)):
            break
    positive = _positive_of(labels, pos_label)
    if positive is None:
        raise error_about_labels(source, pos_label)
    return positive


def _positive_of(labels: Sequence[Label], pos_label: str | None) -> Label | None:
    """Return the positive label; None if labels leave it open, or it is not among
    them.
    """
    if not labels or (pos_label is None and 1 in labels):
        return 1  # of numbers, as in scikit-learn
    # Labels of files may have any case.
    words = {_word_of(label): label for label in labels}
    has_cases = len(words) < len(labels)
    if pos_label is None:
        named = words.keys() - _POSITIVE_WORDS.keys()
        if not named and len(labels) == 1:  # no row is positive
            named = {_POSITIVE_WORDS[word] for word in words}
        if len(named) != 1 or has_cases or not named <= {*_POSITIVE_WORDS.values()}:
            return None
        [pos_label] = named
    if pos_label in labels:  # as the file spells it, since rows are compared with it
        return pos_label
    word = _word_of(pos_label)
    if word in words or len(labels) > 1:
        return None if has_cases else words.get(word)
    # The only label may be the negative one.
    if isinstance(labels[0], str):
        return pos_label
    positive = typed_label("1" if word == "true" else pos_label)
    return None if isinstance(positive, str) else positive


def _text_of(label: Label) -> str:
    return str(label).strip().removesuffix(".0")  # 1.0 is 1


def _word_of(label: Label) -> str:
    return _text_of(label).lower()


def is_usual(positive: Label, negatives: Iterable[Label]) -> bool:
    """Whether labels leave no doubt which one is positive."""
    is_one = _word_of(positive) in ("1", "true")
    return is_one and {*map(_word_of, negatives)} <= {"-1", "0", "false"}


def error_about_labels(source: LocalSource, pos_label: str | None) -> SourceError:
    """Return the error about labels that do not have exactly one negative label."""
    rows = Counter[str]()
    labels, _ = rows_by_label(source)
    for label, n_rows in labels.items():
        text = str(label).strip(" \t")
        rows[text if is_number(text) else format_value(label)] += n_rows
    are_numbers = all(map(is_number, rows))
    names = sorted(rows, key=float if are_numbers else None)
    listed = ", ".join(
        f"{name} ({query_words('row', rows[name])})" for name in names[:_N_LABELS]
    )
    column = source.roles.y_true
    from_level = f"write a column of 0 and 1 from a level on, such as {column} >= LEVEL"
    if len(names) > _N_LABELS and are_numbers:
        problem = (
            f"contains {len(names):,} measured values, such as "
            f"{', '.join(names[:N_SHOWN])}, not labels; {from_level}"
        )
    elif len(names) > 2:
        problem = (
            f"contains {len(names)} labels: {listed}{', ...' * (len(names) > _N_LABELS)}"
            f"{f'; for grades, {from_level}' * are_numbers}; for one label against the "
            "others, name it by --pos-label; for classes, name a column of scores for "
            "each by --y-score"
        )
    else:
        problem = f"contains the labels: {listed}; name that of positive rows"
        problem += f"{', also if there are none,' * (len(names) == 1)} by --pos-label"
    if pos_label is not None:
        problem += f"; got {format_value(pos_label)}"
    return column_error(source.name, column, problem)


def read_classes(source: LocalSource) -> Classes:
    """Return the classes of a column of labels, in the order of `classes_`."""
    labels, are_text = rows_by_label(source)
    are_numbers = all(is_number(str(label).strip(" \t")) for label in labels)
    # Text such as 10 and 2 has another order in Parquet than numbers of a text file.
    if len({isinstance(label, str) for label in labels}) > 1 or (
        are_numbers and len(are_text) > 1
    ):
        problem = (
            "must contain numbers or text, not both; write all files in one format"
        )
        raise column_error(source.name, source.roles.y_true, problem)
    if are_numbers and all(are_text):
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

    They go by name if all columns of a model are one text with each class in its place,
    else by place. A column that is named after another class is refused.
    """
    named = [_columns_by_name(columns, classes) for columns in columns_by_model]
    if all(named):  # others could also go with the columns of the named model
        return named
    for columns, by_name in zip(columns_by_model, named, strict=True):
        for column, name in zip(columns, classes, strict=True):
            words = _words_of(column)
            for other, of_other in zip(classes, by_name or columns, strict=True):
                is_named = _words_of(other.removesuffix(".0")) in words
                if other != name and (is_named or column == of_other):
                    example = ",".join(f"p_{each}" for each in classes[:N_SHOWN])
                    raise SourceError(
                        f"column {format_value(column)} is of class "
                        f"{format_value(name)} by its place, and of "
                        f"{format_value(other)} by its name; name all columns by one "
                        f"text with each class in its place, such as {example}, or by "
                        "none"
                    )
    return [[*columns] for columns in columns_by_model]


def _columns_by_name(columns: Sequence[str], classes: Sequence[str]) -> list[str]:
    """Return the columns in the order of the classes; none if they are not one text
    with each class in its place.
    """
    column_of = dict(zip(bare_texts(columns), columns, strict=True))
    ordered = [column_of.get(text, "") for text in bare_texts(classes)]
    # Whole numbers, such as 2.0, may stand without their fraction in names.
    pairs = zip(ordered, classes, strict=True)
    is_named = all(name.removesuffix(".0") in column for column, name in pairs)
    return ordered if is_named and {*ordered} == {*columns} else []


def _words_of(text: str) -> str:
    """Return the words of a text in lower case, each between spaces."""
    words = _words_in(_between_words.sub(" ", text).casefold())
    return f" {' '.join(words)} "
