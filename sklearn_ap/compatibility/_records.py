"""The class of records, all records by name, and the search for a name.

A record of a package has its choices in `records.toml`, and a record of ours those of a
definition. The file is read once; `tests/compatibility/test_records.py`
checks its keys and words.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from math import nan
from numbers import Real
from typing import Any, Literal, get_args

import numpy as np

from .._core.reading.options import check_option, did_you_mean, read_prevalence
from .._core.registry import (
    NUMBERS,
    Hint,
    Number,
    hints_for,
    numbers_of,
    plain_up_to_number,
)
from .._core.typing import FloatArray, Normalizer, TiePolicy
from ._package_areas import AREAS, Grid

_Table = dict[str, Any]  # of TOML
RecordTies = (
    TiePolicy | Literal["reversed", "item_id", "ascending item_id", "unspecified"]
)
AnswerOrError = float | Literal["error"]
ThresholdRule = Literal["at or above", "above", "strictly above", "merged"]


def policy_of(ties: RecordTies) -> TiePolicy:
    """Return the policy of rows that stand in the order of a record."""
    match ties:
        case "reversed" | "item_id" | "ascending item_id" | "unspecified":
            return "stable"
        case _:
            return ties


@dataclass(frozen=True)
class Thresholds:
    """Thresholds that replace the distinct scores.

    By the rules ``'at or above'`` and ``'strictly above'``, a score becomes the highest
    of `count` even thresholds in [0, 1] that it reaches, or exceeds. A positive whose
    score meets none is never retrieved. ``'above'`` is ``'strictly above'``, but all
    scores exceed the first threshold. By ``'merged'``, neighbouring distinct scores are
    merged until about `count` are left.
    """

    count: int
    rule: ThresholdRule = "at or above"

    def __post_init__(self) -> None:
        """Refuse a single threshold, and an unknown rule."""
        if not isinstance(self.count, int) or self.count < 2:
            raise ValueError(f"thresholds must be at least 2; got {self.count!r}.")
        check_option("rule", self.rule, get_args(ThresholdRule))

    def __str__(self) -> str:
        """Return in words what happens to the scores."""
        if self.rule == "merged":
            return f"distinct scores merged to about {self.count}"
        return f"scores at {self.count} even thresholds"


@dataclass(frozen=True, kw_only=True, repr=False)
class Convention:
    """How a package or a paper computes its average precision, choice by choice.

    The defaults are the choices of :func:`sklearn.metrics.average_precision_score`, so
    a record names what is different. `records.toml` has the values of its words.

    Attributes
    ----------
    name, family : str
        The name that its users know, and the family of packages.
    thresholds : Thresholds or None
        Thresholds that take the place of the distinct scores.
    queries : str
        Whether all rows form one ranking, or each query forms one. ``'refused'`` means
        that the package takes one ranking per call, so that `query_id` is an error. The
        classes of object detection are queries.
    ties : str
        How equal scores are ordered, or that they are one threshold. ``'unspecified'``
        means that the sort of the package leaves their order open.
    first_point, last_point : str
        Where a curve of joined points starts, and whether a curve that does not reach
        recall 1 goes on to it.
    grid : Grid or None
        Levels at which the curve is read off; None takes every recall.
    prevalence : float or None
        Share of positives that negatives are weighted to; None weights none.
    total : {'found', 'stated'}
        Whether recall is a share of the positives found, or of a stated total.
    without_positives, without_negatives : float, 'error' or None
        Answer for a ranking without positives, or without negatives; None is the number
        as usual.
    without_hits : {'left out'} or None
        ``'left out'`` also treats a ranking without a hit above the cut like this.
    left_out : bool
        Whether such a ranking is left out of a mean over queries; the answer, or the
        error, is then that of a mean of none.
    error : float
        How far rounding may take the number of the package, such as 2.4e-7 where it
        computes in float32. :func:`identify` allows for it, and for 4 ulp of float64.
    versions : str
        Versions of the package to which this applies.
    source : str
        The package and version that was run, or the paper and its section; of our
        numbers, the call.
    peculiarity, not_reproduced : str
        Difference from other packages, in a sentence or two; parts that the record
        leaves out, and why.
    run : bool
        Whether the package was run against this record; otherwise it is from its
        source, not run.
    """

    name: str
    family: str = "sklearn_ap"
    score_dtype: str | None = None
    transform: str | None = None
    thresholds: Thresholds | None = None
    queries: str = "pooled"
    one_row: str | None = None
    ties: RecordTies = "proportional"
    weights: str = "used"
    area: str = "step"
    first_point: str = "(0, 1)"
    last_point: str = "none"
    grid: Grid | None = None
    prevalence: float | None = None
    total: str = "found"
    cut: Literal["k", "n_positives"] | None = None
    normalizer: Normalizer = "n_positives"
    without_positives: AnswerOrError | None = 0.0
    without_negatives: AnswerOrError | None = None
    without_hits: Literal["left out"] | None = None
    left_out: bool = False
    error: float = 0.0
    versions: str = ""
    source: str = ""
    peculiarity: str = ""
    not_reproduced: str = ""
    run: bool = True

    def __str__(self) -> str:
        """Name the choices that differ from scikit-learn's."""
        return f"AP[{', '.join(self.changes.values()) or AREAS['step'].description}]"

    def __repr__(self) -> str:
        """Return the name, and what a caption says."""
        return f"{self.name}: {self}"

    @property
    def call(self) -> str:
        """The call of our function or, for a number of a package, of `score_as`."""
        if self in SKLEARN_AP_RECORDS:
            return self.source
        cut = ", k=k" * (self.cut == "k")
        return f"score_as({self.name!r}, y_true, y_score{cut})"

    @property
    def choices(self) -> tuple[object, ...]:
        """The values of all choices: records that share them have the same number."""
        choices = read_file()["choices"].values()
        return tuple(getattr(self, field) for fields in choices for field in fields)

    @property
    def changes(self) -> dict[str, str]:
        """Each choice that differs from scikit-learn's, and its value in words."""
        words = {
            choice: ", ".join(self._changed_words(fields))
            for choice, fields in read_file()["choices"].items()
        }
        return {choice: text for choice, text in words.items() if text}

    def _changed_words(self, fields: _Table) -> Iterator[str]:
        for field, words in fields.items():
            value = getattr(self, field)
            # "left out of means" is unclear without the answer before it.
            if value == getattr(Convention, field) and not (
                field == "without_positives" and self.left_out
            ):
                continue
            match field:
                case "without_positives" | "without_negatives":
                    yield f"{value} {field.replace('_', ' ')}"
                case _:
                    yield words.get(str(value), str(value))


# --- the file of records --------------------------------------------------------------


def even_thresholds(count: int) -> FloatArray:
    """Return even float32 thresholds in [0, 1], computed from both ends as
    ``torch.linspace`` does.
    """
    # One half upwards from 0 and one downwards from 1, so both ends are exact.
    # torch rounds its step to float32
    place = np.arange(count)
    steps = place * np.float64(np.float32(1 / (count - 1)))
    thresholds = np.where(place < count // 2, steps, 1 - steps[::-1])
    return thresholds.astype(np.float32)


# Recall levels as packages compute them: some are one bit above the nearest decimal,
# and recalls miss them.
RECALL_LEVELS = {
    "numpy.arange(0, 1.1, 0.1)": np.arange(0, 1.1, 0.1),
    "numpy.arange(11) / 10": np.arange(11) / 10,
    "float32 of numpy.arange(11) / 10": (np.arange(11) / 10).astype(np.float32),
    "numpy.arange(1, 41) / 40": np.arange(1, 41) / 40,
    "numpy.linspace(0, 1, 11)": np.linspace(0, 1, 11),
    "numpy.linspace(0, 1, 101)": np.linspace(0, 1, 101),
    "numpy.linspace(0, 1, 101)[11:]": np.linspace(0, 1, 101)[11:],
    "torch.linspace(0, 1, 101)": even_thresholds(101),
}
FAMILIES = {  # of packages, and the page that has their records
    "Classification": "classification",
    "R": "r",
    "Object detection": "detection",
    "Retrieval and recommendation": "retrieval",
}
_TABLES = [*FAMILIES, "choices", "template", "alias", "shared_names", "not_reproduced"]


@cache
def read_file() -> dict[str, _Table]:
    """Return the tables of the file: choices, templates, a table per family, other
    names, numbers without a record.
    """
    return tables_in(files(__package__).joinpath("records.toml").read_text("utf-8"))


def tables_in(text: str) -> dict[str, _Table]:
    """Return the tables of a file of records, or refuse a table of no family."""
    # One object stands for every NaN, so that records that answer NaN have equal
    # choices.
    tables = tomllib.loads(
        text, parse_float=lambda digits: nan if digits == "nan" else float(digits)
    )
    if unknown := {name: [*tables[name]] for name in tables.keys() - {*_TABLES}}:
        raise ValueError(
            f"records.toml: each table must be one of {_TABLES}; got {unknown}"
        )
    areas = {area.name: area.description for area in AREAS.values()}
    tables["choices"]["area"]["area"] = areas
    return tables


def records_in(file: Mapping[str, _Table]) -> dict[str, Convention]:
    """Return the records of a file, with the fields that they take over from others."""
    records: dict[str, Convention] = {}
    tables: dict[str, _Table] = {}
    for family in ("template", *FAMILIES):
        for name, own in file.get(family, {}).items():
            try:
                taken_over = tables[own["like"]] if "like" in own else {}
                unknown = own.keys() - Convention.__annotations__.keys() - {"like"}
                if unknown:
                    raise KeyError(*unknown)
                tables[name] = {**taken_over, **own}
                if family != "template":
                    records[name] = _record_of_package(name, family, tables[name])
                    refuse_wrong_fields(records[name])
            except (AttributeError, KeyError, TypeError, ValueError) as error:
                message = f"records.toml: {name!r} of {family!r}: {error!r}"
                raise ValueError(message) from error
    return records


def refuse_wrong_fields(record: Convention) -> None:
    """Refuse a value that a field does not take, such as a word of no choice."""
    read_prevalence(record.prevalence)
    for field, kind in (("grid", Grid), ("thresholds", Thresholds)):
        value = getattr(record, field)
        if not isinstance(value, kind | None):
            raise ValueError(
                f"{field} must be a {kind.__name__} or None; got {value!r}."
            )
    for answer in ("without_positives", "without_negatives"):
        value = getattr(record, answer)
        if value != "error" and not isinstance(value, Real | None):
            raise ValueError(
                f"{answer} must be a number, 'error' or None; got {value!r}."
            )
    for fields in read_file()["choices"].values():
        for field, words in fields.items():
            if words and field != "prevalence":  # a number
                check_option(field, str(getattr(record, field)), words)


def _record_of_package(name: str, family: str, table: _Table) -> Convention:
    choices = {field: value for field, value in table.items() if field != "like"}
    if "grid" in table:
        levels = table["grid"]["levels"]
        if isinstance(levels, str):
            levels = RECALL_LEVELS[levels]
        choices["grid"] = Grid(**{**table["grid"], "levels": tuple(map(float, levels))})
    if "thresholds" in table:
        choices["thresholds"] = Thresholds(**table["thresholds"])
    # "Keras 3.15.1, metrics/..." has its version
    package = table["source"].split(",", maxsplit=1)[0]
    choices = {"versions": package.split(" ")[-1], **choices}
    return Convention(name=name, family=family, **choices)


def _record_of(number: Number) -> Convention:
    """Return the record of a number of ours: its definition, and the choices that all
    our functions share.
    """
    definition, grid = number.definition, None
    cut: Literal["k", "n_positives"] | None = None
    if number.is_cut:
        cut = "k"
    elif definition.cut == "n_positives":
        cut = "n_positives"
    if definition.level is not None:
        grid = Grid(f"level {definition.level}", (definition.level,))
    elif isinstance(definition.grid, int):
        grid = Grid(
            f"{definition.grid} levels j/{definition.grid - 1}", definition.grid
        )
    return Convention(
        name=number.name,
        source=number.call,
        queries="mean",
        total="stated" if number.takes("n_positives") else "found",
        area=definition.area.name,
        grid=grid,
        ties=definition.ties,
        cut=cut,
        normalizer=definition.normalizer,
    )


SKLEARN_AP_RECORDS = tuple(map(_record_of, NUMBERS))
CONVENTIONS = {record.name: record for record in SKLEARN_AP_RECORDS} | records_in(
    read_file()
)

# --- names ----------------------------------------------------------------------------


def find_convention(convention: str | Convention) -> Convention:
    """Return a record as it is, or the record with this name or other name, in upper or
    lower case.
    """
    if isinstance(convention, Convention):
        return convention
    if not isinstance(convention, str):
        raise ValueError(
            f"convention must be a name in CONVENTIONS; got {convention!r}."
        )
    name = _plain_names().get(plain(convention))
    if name is None:
        start, _, count = plain(convention).rpartition("=")
        record = _records_by_count().get(start)
        if record is None or not count.isdecimal():
            raise ValueError(_unknown(convention))
        return with_thresholds(record, int(count))
    return CONVENTIONS[
        read_file()["alias"].get(name, {"convention": name})["convention"]
    ]


def find_conventions(convention: str | Convention) -> list[Convention]:
    """Return the record of a name, or the records of the package of this name."""
    if isinstance(convention, str) and plain(convention) not in _plain_names():
        of_package = _names_by_package().get(plain(convention))
        if of_package:
            return [*dict.fromkeys(map(find_convention, of_package))]
    return [find_convention(convention)]


@cache
def _names_by_package() -> dict[str, list[str]]:
    """Return the names of the records of each package, by its plain name."""
    aliases = read_file()["alias"]
    sources = {name: record.source for name, record in CONVENTIONS.items()}
    sources |= {name: alias["version"] for name, alias in aliases.items()}
    names: dict[str, list[str]] = {}
    for name, source in sources.items():
        names.setdefault(plain(package_of(source)), []).append(name)
    return names


def package_of(source: str) -> str:
    """Return the package that a source begins with, without its version or the name of
    a file.
    """
    return re.sub(r"^.* of | \d.*", "", source.partition(",")[0])


@cache
def _records_by_count() -> dict[str, Convention]:
    """Return the records with thresholds, by their plain names up to their number."""
    return {
        plain(_before_count(record)): record
        for record in CONVENTIONS.values()
        if record.thresholds is not None
    }


def _before_count(record: Convention) -> str:
    """Return the name of a record with thresholds up to "=", as in "..., numBins"."""
    start, _, count = record.name.rpartition("=")
    return start if count.isdecimal() else f"{record.name}, thresholds"


def with_thresholds(record: Convention, count: int) -> Convention:
    """Return a record with thresholds with another number of them."""
    assert record.thresholds is not None, record
    thresholds = replace(record.thresholds, count=count)
    name = f"{_before_count(record)}={count}"
    return replace(record, name=name, thresholds=thresholds)


def plain(name: str) -> str:
    """Return a name in lower case, with one space for each run of spaces, underscores
    and hyphens.
    """
    return re.sub(r"[\s_-]+", " ", name.casefold()).strip()


@cache
def _plain_names() -> dict[str, str]:
    return {plain(name): name for name in (*CONVENTIONS, *read_file()["alias"])}


def _unknown(convention: str) -> str:
    """Return the error text for an unknown name: what it may stand for, or which names
    are similar.
    """
    text = plain(convention)
    names = _plain_names()
    # This goes before similar names, which nearly every text has.
    for name, entry in read_file()["not_reproduced"].items():
        if plain(name) == text:
            return f"convention {convention!r} has no record: {entry['reason']}"
    similar = (
        _hints_for(convention)
        or _names_by_package().get(text)
        or [names[other] for other in get_close_matches(text, names)]
    )
    return (
        f"convention must be a name in CONVENTIONS; got {convention!r}"
        f"{did_you_mean(similar)}"
    )


def _hints_for(convention: str) -> list[Hint]:
    """Return the records that people call so: ours, and those that share the name."""
    text, start, _ = plain_up_to_number(convention)
    names, number = list[str](), dict[str, float | None]()
    for hint in hints_for(convention):
        numbers, number = numbers_of(hint)
        names += numbers
    for said, records in read_file()["shared_names"].items():
        if plain_up_to_number(said)[1] in (text, start):
            names += records
    return [
        Hint(name, number if find_convention(name).cut == "k" else {})
        for name in dict.fromkeys(names)
    ]
