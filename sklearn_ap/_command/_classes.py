"""The classes that several columns of scores are about, and which column each has."""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from .._typing import Label
from ..distributed._batches import SourceError, column_error, format_value, is_number
from ..distributed._local import LocalSource, distinct_labels

_is_whole = re.compile(r"[+-]?[0-9]+").fullmatch
_between_words = re.compile(r"(?<=[a-z])(?=[A-Z])")  # as in probDog
_words_in = re.compile(r"\d+|[^\W\d_]+").findall
_N_SHOWN = 3  # of a list in an error


class LabelClass(NamedTuple):
    """A class: its labels as rows have them, and as names of columns may have them."""

    name: str
    labels: frozenset[Label]
    spellings: frozenset[str]


def read_classes(source: LocalSource) -> list[LabelClass]:
    """Return the classes of a column of labels, in the order of `classes_`.

    Labels of text files that are all numbers are numbers: 2 and 2.0 are one class.
    """
    where, column = source.name, source.roles.y_true
    labels, are_text = distinct_labels(source)
    kinds = sorted({type(label).__name__ for label in labels})
    is_mixed = len({isinstance(label, str) for label in labels}) > 1
    if is_mixed or len(are_text) > 1:
        problem = f"must contain labels of one kind; got {' and '.join(kinds)}"
        raise column_error(where, column, f"{problem}; write all files in one format")
    texts = sorted(map(str, labels))
    if not all(are_text) or not all(is_number(text.strip(" \t")) for text in texts):
        return [
            class_of([label], is_text=isinstance(label, str))
            for label in sorted(labels)
        ]
    # Decimals of any size are equal, and in order, without rounding.
    by_number: dict[Decimal, list[str]] = {}
    for text in texts:
        by_number.setdefault(Decimal(text.strip(" \t")), []).append(text)
    classes = []
    for _, written in sorted(by_number.items()):
        others = {text.strip(" \t").removesuffix(".0"): text for text in written}
        if len(others) > 1:
            listed = " and ".join(map(format_value, [*others.values()][:_N_SHOWN]))
            problem = f"contains {listed}, which are one number; write it in one way"
            raise column_error(where, column, problem)
        classes.append(class_of(written))
    return classes


def class_of(labels: Sequence[Label], *, is_text: bool = False) -> LabelClass:
    """Return the class of one label, or of one number that is written in several ways."""
    name = min((str(label) for label in labels), key=len)
    spellings = {name}
    if not is_text:
        name = name.strip(" \t")
        number = name.removesuffix(".0")
        spellings = {number, f"{number}.0"} if _is_whole(number) else {name}
    return LabelClass(name, frozenset(labels), frozenset(spellings))


def columns_of_classes(
    columns_by_option: Mapping[str, Sequence[str]], classes: Sequence[LabelClass]
) -> list[list[str]]:
    """Return the columns of each option in the order of the classes.

    They go by name if all are one text with each class in its place, and by place if
    none contains a class. Others could be meant in two ways, and are refused.
    """
    sorted_places, names = [*range(len(classes))], [each.name for each in classes]
    places_by_option = {
        option: _places_by_name(option, columns, classes)
        for option, columns in columns_by_option.items()
    }
    for other, order in places_by_option.items():
        if order is None or order == sorted_places:
            continue
        # Columns without names could also go with those of the other model.
        for option, columns in columns_by_option.items():
            if places_by_option[option] is None:
                place = next(x for x in sorted_places if order[x] != x)
                column, by_name = columns[place], names[order[place]]
                beside = format_value(columns_by_option[other][place])
                reading = f"{format_value(by_name)} as {beside} of {other}"
                raise _two_readings(option, column, names[place], reading, names)
    ordered = []
    for option, columns in columns_by_option.items():
        places = places_by_option[option] or sorted_places
        ordered.append([columns[places.index(place)] for place in sorted_places])
    return ordered


def _places_by_name(
    option: str, columns: Sequence[str], classes: Sequence[LabelClass]
) -> list[int] | None:
    """Return the place of the class that each column is named after; None if no column
    is.
    """
    places = {text: i for i, each in enumerate(classes) for text in each.spellings}
    first = columns[0]
    for spelling in places:
        for start in range(len(first)):
            if not first.startswith(spelling, start):
                continue
            before, after = first[:start], first[start + len(spelling) :]
            named = {f"{before}{text}{after}": place for text, place in places.items()}
            order = [named.get(column, -1) for column in columns]
            if sorted(order) == [*range(len(classes))]:
                return order
    words = [
        [each.name for each in classes if _contains(column, each)] for column in columns
    ]
    if not any(words):
        return None
    for column, by_place, by_name in zip(columns, classes, words, strict=True):
        if by_name != [by_place.name]:
            listed = " or ".join(map(format_value, by_name[:_N_SHOWN])) or "none"
            names = [each.name for each in classes]
            reading = f"{listed} by its name"
            raise _two_readings(option, column, by_place.name, reading, names)
    return [*range(len(classes))]  # both readings are one


def _contains(column: str, label: LabelClass) -> bool:
    """Whether the name of a column contains a class as words, in any case."""
    for text in label.spellings:
        # Class iPhone is in iphone_score, and class dog is in scoreDog.
        for split in (False, True):
            words, contained = _words_of(text, split=split), text in column
            if words:
                contained = words in _words_of(column, split=split)
            if contained and text.strip():
                return True
    return False


def _words_of(text: str, *, split: bool) -> str:
    """Return the words of a text in lower case, each between spaces; 01 is 1."""
    if split:
        text = _between_words.sub(" ", text)
    words = [word.lstrip("0") or "0" for word in _words_in(text.casefold())]
    return f" {' '.join(words)} " if words else ""


def _two_readings(
    option: str, column: str, by_place: str, reading: str, names: Sequence[str]
) -> SourceError:
    example = ",".join(f"p_{name}" for name in names[:_N_SHOWN])
    return SourceError(
        f"{option}: column {format_value(column)} is of class {format_value(by_place)} "
        f"by its place, and of {reading}; name all columns by one text with each class "
        f"in its place, such as {example}, or by none"
    )
