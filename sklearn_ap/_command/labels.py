"""The positive label, and the classes of several columns of scores."""

from collections import Counter
from collections.abc import Sequence, Set
from decimal import Decimal
from itertools import product
from typing import Any

from .._core.reading.labels import labels_in_words, ways_to_two
from .._core.reading.names import places_of_names, without_shared_ends
from .._core.typing import Label
from .._report.fields import label_text
from .._rows.labels import typed_label
from .._rows.local import (
    LocalSource,
    distinct_labels,
    rows_by_label,
)
from .._rows.roles import column_error
from .._shown.sources import SourceError, format_value, is_number

# The labels of each class in the spelling of the file, by the name of the class.
Classes = dict[str, frozenset[Label]]

# Pairs of labels whose words show which one is positive: the negative word, and the
# positive one.
_POSITIVE_WORDS = {
    "0": "1",
    "-1": "1",
    "false": "true",
    "no": "yes",
    "f": "t",
    "n": "y",
}
# An error shows names of columns for at most this number of classes.
_N_CLASSES_SHOWN = 3


def read_pos_label(source: LocalSource, pos_label: str | None) -> Label:
    """Return the positive label as the file writes it.

    Without `pos_label`, it is 1, or the positive word of a pair such as no and yes,
    even if all rows have the negative word. With `pos_label`, the labels may be any
    words or numbers, and several of them may be negative.
    """
    labels: list[Label] = []
    # Two labels determine which one is positive, so the rest of a large file is not
    # read.
    for labels in distinct_labels(source):
        if len(labels) > 1 and pos_label in (None, *map(label_text, labels)):
            break
    positive = _positive_of(labels, pos_label)
    if positive is None:
        raise error_about_labels(source, pos_label)
    return positive


def _positive_of(labels: Sequence[Label], pos_label: str | None) -> Label | None:
    """Return the positive label; None if the labels do not determine it, or if
    `pos_label` contradicts them.
    """
    # Without `pos_label`, 1 is positive, as in scikit-learn.
    if not labels or (pos_label is None and 1 in labels):
        return 1
    # A word is a label in lower case. If two labels have the same word, the word does
    # not determine the label.
    by_word = {_word_of(label): label for label in labels}
    is_ambiguous = len(by_word) < len(labels)
    if pos_label is None:
        pos_label = None if is_ambiguous else _positive_word(by_word.keys())
        if pos_label is None:
            return None
    # Prefer the spelling of the file, because the labels of rows are compared with the
    # positive label.
    if pos_label in labels:
        return pos_label
    word = _word_of(pos_label)
    if word in by_word or len(labels) > 1:
        return None if is_ambiguous else by_word.get(word)
    # If all rows have the same label, this label may be negative. Then the positive
    # label must have the same kind, text or number.
    if isinstance(labels[0], str):
        return pos_label
    positive = typed_label("1" if word == "true" else pos_label)
    return None if isinstance(positive, str) else positive


def _positive_word(words: Set[str]) -> str | None:
    """Return the positive word of a pair such as no and yes; None for other words.

    The rows may contain only one word of the pair.
    """
    others = words - _POSITIVE_WORDS.keys()
    if len(words) == 1 and not others:
        [negative] = words
        return _POSITIVE_WORDS[negative]
    if len(others) == 1 and others <= {*_POSITIVE_WORDS.values()}:
        [positive] = others
        return positive
    return None


def _word_of(label: Label) -> str:
    """Return a label as text in lower case, since labels in files may have upper or
    lower case.
    """
    return label_text(label).lower()


def error_about_labels(source: LocalSource, pos_label: str | None) -> SourceError:
    """Return the error to raise if the labels do not determine the positive label."""
    labels, _ = rows_by_label(source)
    # Text files contain numbers as text, but the error lists them in numerical order.
    are_numbers = all(is_number(str(label).strip(" \t")) for label in labels)
    rows = Counter[Any]()
    for label, n_rows in labels.items():
        rows[typed_label(label) if are_numbers else str(label)] += n_rows
    rows = Counter({label: rows[label] for label in sorted(rows)})
    listed = labels_in_words(rows)
    column = source.roles.y_true
    if len(rows) > 2:
        ways = ways_to_two(rows, column, "write a column of 0 and 1 by")
        problem = (
            f"contains {len(rows):,} labels: {listed}; {ways}; if each class has a column "
            "of scores, name all of them by --y-score a,b,c"
        )
    else:
        even = ", also if there are none," if len(labels) == 1 else ""
        problem = (
            f"contains the labels: {listed}; name the label of positive rows{even} by "
            "--pos-label"
        )
    if pos_label is not None:
        problem += f"; got {format_value(pos_label)}"
    return column_error(source.name, column, problem)


def read_classes(source: LocalSource) -> Classes:
    """Return the classes of a column of labels, in the order of scikit-learn's
    `classes_`.
    """
    labels, are_text = rows_by_label(source)
    are_numbers = all(is_number(str(label).strip(" \t")) for label in labels)
    # The text 10 and 2 in Parquet has another order than the numbers 10 and 2 in a text
    # file.
    if len({isinstance(label, str) for label in labels}) > 1 or (
        are_numbers and len(are_text) > 1
    ):
        problem = (
            "must contain numbers or text, not both; write all files in one format"
        )
        raise column_error(source.name, source.roles.y_true, problem)
    if are_numbers and all(are_text):
        # Numbers in text files are sorted as numbers. 2 and 2.0 are two classes.
        texts = dict[str, set[Label]]()
        for text in sorted(map(str, labels), key=lambda text: (Decimal(text), text)):
            texts.setdefault(text.strip(" \t"), set()).add(text)
        return {name: frozenset(written) for name, written in texts.items()}
    return {str(label): frozenset([label]) for label in sorted(labels)}


def columns_of_classes(columns: Sequence[str], classes: Sequence[str]) -> list[str]:
    """Return columns of scores in the order of the classes.

    Columns are matched by name if their names differ only in the class, such as p_cat
    and p_dog. Otherwise the columns keep their order. It is an error if only some names
    match.
    """
    try:
        order = places_of_names(
            without_shared_ends(classes),
            without_shared_ends(columns),
            argument="columns",
            kind_of_names="classes",
        )
    except ValueError:
        example = ",".join(f"p_{name}" for name in classes[:_N_CLASSES_SHOWN])
        raise SourceError(
            f"name all columns of scores after the classes ({', '.join(classes)}), in "
            f"any order, such as {example}; or none of them, in the order of these "
            f"classes; got {','.join(columns)}"
        ) from None
    if order is None:
        return [*columns]
    ordered = [columns[place] for place in order]
    # The column score1 is not named after the class 10. Column p_1 may be named after
    # the class 1.0.
    pairs = zip(ordered, classes, strict=True)
    is_named = all(name.removesuffix(".0") in column for column, name in pairs)
    return ordered if is_named else [*columns]


def columns_without_class(columns: Sequence[str], classes: Sequence[str]) -> list[str]:
    """Return the columns of scores that are not named after a class, if others are: all
    names have the same text before and after the class, such as p_cat and p_dog.
    """
    pairs = product(columns, classes)
    # The name of a class may be an empty text.
    ends = {
        column.partition(name)[::2] for column, name in pairs if name and name in column
    }
    named = ({f"{before}{name}{after}" for name in classes} for before, after in ends)
    most = max((names & {*columns} for names in named), key=len, default=set())
    return [column for column in columns if most and column not in most]
