"""The class of conventions, all conventions by name, and the search for a name.

`records.toml` contains a record of the convention of each package, and is read once.
The conventions of this package follow from the definitions of its scores.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from .._core.reading.options import check_option, did_you_mean
from .._core.registry import NUMBERS, Number
from .._core.scorer_names import near_spellings
from .._core.typing import FloatArray, Normalizer, TiePolicy
from ._package_areas import AREAS, Grid

# A table of TOML.
_Table = dict[str, Any]
ConventionTies = (
    TiePolicy | Literal["reversed", "item_id", "ascending item_id", "unspecified"]
)
# Orders of equal scores by the ids of items. The places of the ids are multiplied by
# this sign, so that an ascending sort begins with the row that ranks first.
SIGN_OF_ITEM_ORDER = {
    "item_id": -1,
    "ascending item_id": 1,
}
ValueOrError = float | Literal["error"]
ThresholdRule = Literal["at or above", "above", "strictly above", "merged"]


def policy_of(ties: ConventionTies) -> TiePolicy:
    """Return the tie policy for rows that are already in the order of a convention."""
    match ties:
        case "reversed" | "item_id" | "ascending item_id" | "unspecified":
            return "stable"
        case _:
            return ties


@dataclass(frozen=True)
class Thresholds:
    """Thresholds that replace the distinct scores.

    With the rules ``'at or above'`` and ``'strictly above'``, `count` thresholds are
    equally spaced in [0, 1], and each score is replaced by the highest threshold that
    it reaches or exceeds. A positive whose score is below all thresholds is missed.
    ``'above'`` is ``'strictly above'``, except that all scores exceed the first
    threshold. With ``'merged'``, neighbouring distinct scores are merged until about
    `count` remain.
    """

    count: int
    rule: ThresholdRule = "at or above"

    def __post_init__(self) -> None:
        """Raise ValueError for fewer than two thresholds."""
        if not isinstance(self.count, int) or self.count < 2:
            raise ValueError(
                f"the number of thresholds must be at least 2; got {self.count!r}."
            )

    def __str__(self) -> str:
        """Return the replacement of the scores in words."""
        if self.rule == "merged":
            return f"distinct scores merged to about {self.count}"
        return f"scores at {self.count} even thresholds"


@dataclass(frozen=True, kw_only=True, repr=False)
class Convention:
    """The choices by which a package or a paper computes its average precision.

    The defaults are the choices of :func:`sklearn.metrics.average_precision_score`, so
    a convention lists only its differences. `records.toml` lists the values of each
    choice.

    Attributes
    ----------
    name, family : str
        The name that users of the package know, and the family of packages.
    score_dtype : str or None
        The type to which scores are rounded, such as ``'float32'``. None means that
        they are not rounded.
    transform : str or None
        The change of the scores before they are compared, such as ``'sigmoid'``; or, as
        ``'above 0'``, of the labels. None means no change.
    thresholds : Thresholds or None
        Thresholds that replace the distinct scores.
    queries : str
        Whether all rows form one ranking, or each query forms one. ``'refused'`` means
        that the package takes one ranking per call, so that `query_id` is an error. The
        classes of object detection are queries.
    one_row : {'perfect'} or None
        ``'perfect'`` gives each ranking of a single row the value 1. None treats it
        like any other.
    ties : str
        The order of equal scores, or that equal scores are one threshold.
        ``'unspecified'`` means that the sort of the package leaves their order open.
    weights : {'used', 'ignored'}
        Whether the package uses sample weights.
    area : str
        The sum of precisions, or the area under the curve, such as ``'step'``.
    first_point, last_point : str
        The first point of a curve of joined points; and whether a curve that ends below
        recall 1 is continued to recall 1.
    grid : Grid or None
        Levels at which the curve is read. None means all recalls.
    prevalence : float or None
        Negatives are weighted so that the share of positives has this value. None means
        no weighting.
    total : {'found', 'stated'}
        Whether recall is a share of the positives found, or of a total that is passed.
    cut : {'k', 'n_positives'} or None
        The number of rows after which a ranking is cut: the argument `k`, or its number
        of positives, R. None means no cut.
    capped : bool
        Whether a cut at k rows is at R rows if a ranking has fewer than k positives.
    normalizer : str
        The divisor of the sum of precisions, such as ``'n_positives'``.
    without_positives, without_negatives : float, 'error' or None
        Value of a ranking without positives, or without negatives. None means that the
        number is computed as usual.
    without_hits : {'left out'} or None
        ``'left out'`` treats a ranking without a positive above the cut like one
        without positives.
    left_out : bool
        Whether means over queries exclude rankings without positives, negatives or
        hits, to which the fields above apply. Their value, or the error, then applies
        only if no other ranking remains.
    rounding_error : float
        The greatest difference that the rounding of the package can make, such as
        2.4e-7 if it computes in float32. :func:`identify` adds it to its tolerance, or
        4 ulp of float64 if that is more.
    versions : str
        Versions of the package to which the convention applies.
    source : str
        The package and version that was run, or the paper and its section. For a number
        of this package, the call.
    peculiarity, not_reproduced : str
        The difference from other packages, in a sentence or two; and the parts of the
        package that the convention does not reproduce, with the reason.
    run : bool
        Whether the package was run to test this convention. If not, the convention
        follows its source code.
    """

    name: str
    family: str = "sklearn_ap"
    score_dtype: str | None = None
    transform: str | None = None
    thresholds: Thresholds | None = None
    queries: str = "pooled"
    one_row: str | None = None
    ties: ConventionTies = "proportional"
    weights: str = "used"
    area: str = "step"
    first_point: str = "(0, 1)"
    last_point: str = "none"
    grid: Grid | None = None
    prevalence: float | None = None
    total: str = "found"
    cut: Literal["k", "n_positives"] | None = None
    capped: bool = False
    normalizer: Normalizer = "n_positives"
    without_positives: ValueOrError | None = 0.0
    without_negatives: ValueOrError | None = None
    without_hits: Literal["left out"] | None = None
    left_out: bool = False
    rounding_error: float = 0.0
    versions: str = ""
    source: str = ""
    peculiarity: str = ""
    not_reproduced: str = ""
    run: bool = True

    def __str__(self) -> str:
        """Return the choices that differ from scikit-learn's, in words."""
        return f"AP[{', '.join(self.changes.values()) or AREAS['step'].description}]"

    def __repr__(self) -> str:
        """Return the name, and the choices that differ from scikit-learn's."""
        return f"{self.name}: {self}"

    @property
    def call(self) -> str:
        """The call that returns the number: of a function of this package, or of
        `score_as`.
        """
        # The source of a number of this package is its call.
        if self in SKLEARN_AP_CONVENTIONS:
            return self.source
        cut = ", k=k" if self.cut == "k" else ""
        return f"score_as({self.name!r}, y_true, y_score{cut})"

    @property
    def changes(self) -> dict[str, str]:
        """The choices that differ from scikit-learn's, with their values in words."""
        words = {
            choice: ", ".join(self._changed_words(fields))
            for choice, fields in read_file()["choices"].items()
        }
        return {choice: text for choice, text in words.items() if text}

    def _changed_words(self, fields: _Table) -> Iterator[str]:
        """Yield, in words, the value of each field of a choice that differs from that
        of scikit-learn's convention.
        """
        for field, words in fields.items():
            value = getattr(self, field)
            # If `left_out` is True, its words "excluded from means" follow those of
            # `without_positives` and need them. So the latter are then yielded even if
            # the value is that of scikit-learn.
            if value == getattr(Convention, field) and not (
                field == "without_positives" and self.left_out
            ):
                continue
            if field in ("without_positives", "without_negatives"):
                yield f"{value} {field.replace('_', ' ')}"
            else:
                yield words.get(str(value), str(value))


# --- the file of records --------------------------------------------------------------


def even_thresholds(count: int) -> FloatArray:
    """Return equally spaced float32 thresholds in [0, 1], computed from both ends as
    ``torch.linspace`` does.
    """
    # Compute the lower half of the thresholds upwards from 0, and the upper half
    # downwards from 1.
    place = np.arange(count)
    # As in torch, the distance between two thresholds is rounded to float32. Its
    # multiple is not rounded before it is subtracted from 1, so compute it in float64.
    steps = place * np.float64(np.float32(1 / (count - 1)))
    thresholds = np.where(place < count // 2, steps, 1 - steps[::-1])
    return thresholds.astype(np.float32)


# Recall levels as packages compute them. Some are one bit above the nearest decimal, so
# that a recall with this decimal does not reach them.
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
# The families of packages, and the page with the records of each.
FAMILIES = {
    "Classification": "classification",
    "R": "r",
    "Object detection": "detection",
    "Retrieval and recommendation": "retrieval",
}


@cache
def read_file() -> _Table:
    """Return the tables of `records.toml`: choices, templates, a table per family,
    other names, numbers without a record, and the rankings of `identify_function`.
    """
    tables = tomllib.loads(
        files(__package__).joinpath("records.toml").read_text("utf-8")
    )
    # The descriptions of areas are the words for these values.
    areas = {area.name: area.description for area in AREAS.values()}
    tables["choices"]["area"]["area"] = areas
    return tables


def _conventions_of_packages() -> Iterator[Convention]:
    """Yield the conventions of all records of the file. A record with the field
    ``like`` inherits the other fields of that record.
    """
    # A record without `like` inherits nothing.
    tables: dict[str, _Table] = {"": {}}
    for family in ("template", *FAMILIES):
        for name, own in read_file()[family].items():
            tables[name] = tables[own.get("like", "")] | own
            if family != "template":
                yield _convention_of_record(name, family, tables[name])


def _convention_of_record(name: str, family: str, table: _Table) -> Convention:
    """Return the convention of a record, which is a table of the file."""
    fields = {field: value for field, value in table.items() if field != "like"}
    if "grid" in fields:
        fields["grid"] = _grid_in(fields["grid"])
    if "thresholds" in fields:
        fields["thresholds"] = Thresholds(**fields["thresholds"])
    # The source begins with a package and its version, as in "Keras 3.15.1, metrics/".
    package_and_version = fields["source"].split(",", maxsplit=1)[0]
    fields.setdefault("versions", package_and_version.split(" ")[-1])
    return Convention(name=name, family=family, **fields)


def _grid_in(table: _Table) -> Grid:
    """Return the grid with the fields in a table. Its levels are numbers, or a key of
    `RECALL_LEVELS`.
    """
    levels = table["levels"]
    if isinstance(levels, str):
        levels = RECALL_LEVELS[levels]
    return Grid(**{**table, "levels": tuple(map(float, levels))})


def _convention_of(number: Number) -> Convention:
    """Return the convention of a number of this package. Its choices follow from the
    definition of the number, and from the rules that all functions of this package
    share.
    """
    definition = number.definition
    # The cut of this package's definitions is a number, which the convention calls `k`.
    cut: Any = "k" if number.is_cut else definition.cut
    grid = None
    if definition.level is not None:
        grid = Grid(f"level {definition.level}", (definition.level,))
    elif isinstance(definition.levels, int):
        grid = Grid(
            f"{definition.levels} levels j/{definition.levels - 1}", definition.levels
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


class _Conventions(dict[str, Convention]):
    """Conventions by name. As text, they would be a line of 25,000 characters."""

    def __repr__(self) -> str:
        return (
            f"<{len(self)} conventions, named by CONVENTIONS.keys(); those of a "
            "package: compare_conventions(..., conventions='ranx')>"
        )


SKLEARN_AP_CONVENTIONS = tuple(map(_convention_of, NUMBERS))
CONVENTIONS: Mapping[str, Convention] = MappingProxyType(
    _Conventions(
        (convention.name, convention)
        for convention in (*SKLEARN_AP_CONVENTIONS, *_conventions_of_packages())
    )
)


def unused_arguments(convention: Convention) -> dict[str, str]:
    """Return the arguments of `score_as` that a convention does not use, with the
    reasons in words.
    """
    reasons = {}
    if convention.cut != "k":
        reasons["k"] = "which has no cut at k"
    if convention.weights != "used":
        reasons["sample_weight"] = "which ignores weights"
    if convention.queries not in ("mean", "mean by rows"):
        reasons["query_id"] = "which takes one ranking: pass one query at a time"
    if convention.total != "stated":
        reasons["n_positives"] = "which counts the positives found"
    if convention.ties not in SIGN_OF_ITEM_ORDER:
        reasons["item_id"] = "which does not rank equal scores by id"
    return reasons


# --- names ----------------------------------------------------------------------------


def find_convention(convention: str | Convention) -> Convention:
    """Return the convention with this name or alias, in upper or lower case. A
    convention itself is returned unchanged, if its choices are known.
    """
    if isinstance(convention, Convention):
        check_choices(convention)
        return convention
    if not isinstance(convention, str):
        raise ValueError(
            "convention must be a name in CONVENTIONS (page Compatibility); got "
            f"{convention!r}."
        )
    text = single_spaced(convention)
    if text in _conventions_by_spelling():
        return _conventions_by_spelling()[text]
    # This may be the name of a convention, with another number of thresholds.
    start, _, count = text.rpartition("=")
    if start in _conventions_by_count() and count.isdecimal():
        return with_thresholds(_conventions_by_count()[start], int(count))
    raise ValueError(_unknown(convention))


def check_choices(convention: Convention) -> None:
    """Raise ValueError if a choice of a convention is not one of those in the file."""
    for fields in read_file()["choices"].values():
        for field, words in fields.items():
            # Numbers and grids have no words, and any prevalence may be chosen.
            if words and field != "prevalence":
                check_option(field, str(getattr(convention, field)), words)


def find_conventions(convention: str | Convention) -> list[Convention]:
    """Return the convention, or all conventions of the package, with this name."""
    names: Sequence[str | Convention] = [convention]
    if isinstance(convention, str):
        text = single_spaced(convention)
        if text not in _conventions_by_spelling():
            names = _names_by_package().get(text, names)
    return [*dict.fromkeys(map(find_convention, names))]


@cache
def _names_by_package() -> dict[str, list[str]]:
    """Return the names of conventions by their package, which is in one spelling."""
    aliases = read_file()["alias"]
    sources = {name: convention.source for name, convention in CONVENTIONS.items()}
    sources |= {name: alias["version"] for name, alias in aliases.items()}
    names: dict[str, list[str]] = {}
    for name, source in sources.items():
        names.setdefault(single_spaced(package_of(source)), []).append(name)
    return names


def package_of(source: str) -> str:
    """Return the name of the package at the beginning of a source, without its version
    or the name of a file.
    """
    return re.sub(r"^.* of | \d.*", "", source.partition(",")[0])


@cache
def _conventions_by_count() -> dict[str, Convention]:
    """Return the conventions with thresholds. The keys are their names in one spelling,
    without the number of thresholds at the end.
    """
    return {
        single_spaced(_name_up_to_count(convention)): convention
        for convention in CONVENTIONS.values()
        if convention.thresholds is not None
    }


def _name_up_to_count(convention: Convention) -> str:
    """Return the name of a convention with thresholds up to "=" and their number. If
    the name does not contain the number, the word "thresholds" is appended.
    """
    start, _, count = convention.name.rpartition("=")
    return start if count.isdecimal() else f"{convention.name}, thresholds"


def with_thresholds(convention: Convention, count: int) -> Convention:
    """Return a convention with another number of thresholds, also in its name."""
    assert convention.thresholds is not None, convention
    thresholds = replace(convention.thresholds, count=count)
    name = f"{_name_up_to_count(convention)}={count}"
    return replace(convention, name=name, thresholds=thresholds)


def single_spaced(name: str) -> str:
    """Return a name in lower case, with one space in place of neighbouring spaces,
    underscores and hyphens.
    """
    return re.sub(r"[\s_-]+", " ", name.casefold()).strip()


@cache
def _conventions_by_spelling() -> dict[str, Convention]:
    """Return the conventions by their names and aliases, in one spelling."""
    aliases = read_file()["alias"].items()
    named = {name: CONVENTIONS[alias["convention"]] for name, alias in aliases}
    named |= CONVENTIONS
    return {single_spaced(name): convention for name, convention in named.items()}


def _unknown(convention: str) -> str:
    """Return the message for an unknown name: the reason why it is not reproduced,
    or the names that the caller may have meant.
    """
    text = single_spaced(convention)
    for name, entry in read_file()["not_reproduced"].items():
        if single_spaced(name) == text:
            return f"convention {convention!r} is not reproduced: {entry['reason']}"
    taken = "convention must be a name in CONVENTIONS (page Compatibility)"
    if text in _names_by_package():
        names = ", ".join(map(repr, _names_by_package()[text]))
        return f"{taken}; got {convention!r}, a package with the conventions {names}."
    known = *CONVENTIONS, *read_file()["alias"]
    similar = near_spellings(convention, known)
    if not similar:
        # Many names contain a word such as "map": the first eight are enough.
        words = text.split()
        similar = [
            name for name in known if all(word in single_spaced(name) for word in words)
        ][:8]
    return f"{taken}; got {convention!r}{did_you_mean(similar)}"
