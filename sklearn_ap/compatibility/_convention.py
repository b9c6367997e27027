"""A convention of average precision as data: choices that can be changed one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from math import inf
from types import MappingProxyType
from typing import Literal

from .._definition import refusals
from .._reading._options import read_k
from .._typing import Normalizer, Ties
from ._areas import AREAS
from ._choices import FirstPoint, Grid, LastPoint, MetBy, Thresholds, Weights

ScoreDtype = Literal["float32"] | None
Transform = Literal["sigmoid", "near", "input order", "above 0"] | None
Queries = Literal["pooled", "mean", "mean by rows", "refused"]
OneRow = Literal["perfect"] | None
QueryWeights = Literal["used"] | None
RecordTies = Ties | Literal["reversed", "item_id", "ascending item_id", "unspecified"]
Total = Literal["found", "stated"]
Answer = float | Literal["error"]

# The values of each choice, in words. The first is scikit-learn's, and the default.
_OPTIONS: dict[str, dict[str | None, str]] = {
    "score_dtype": {None: "scores as they are", "float32": "scores rounded to float32"},
    "transform": {
        None: "scores untouched",
        "sigmoid": "sigmoid of all scores where one leaves [0, 1]",
        "near": "scores within 1e-8 of each other made equal",
        "input order": "scores replaced by the order of the rows",
        "above 0": "positives with scores of 0 or less made negatives",
    },
    "queries": {
        "pooled": "all rows are one ranking",
        "mean": "mean over queries",
        "mean by rows": "mean over queries, weighted by their rows",
        "refused": "one ranking only",
    },
    "one_row": {None: "queries of one row as all others", "perfect": "queries of one row score 1"},
    "query_weights": {None: "query weights ignored", "used": "query weights used"},
    "ties": {
        "proportional": "equal scores are one threshold",
        "expected": "mean over all orders of equal scores",
        "stable": "equal scores in input order",
        "reversed": "equal scores in reversed input order",
        "item_id": "equal scores by descending item id",
        "ascending item_id": "equal scores by ascending item id",
        "optimistic": "positives first among equal scores",
        "pessimistic": "positives last among equal scores",
        "unspecified": "equal scores in an order left open",
    },
    "weights": {"used": "sample weights used", "ignored": "sample weights ignored"},
    "area": {area.name: area.description for area in AREAS.values()},
    "first_point": {
        "(0, 1)": "from recall 0 and precision 1",
        "(0, p1)": "from recall 0 and the first precision",
        "none": "from the first point on",
    },
    "last_point": {"none": "to the last point", "(1, 0)": "then straight down to recall 1 and precision 0"},
    "total": {"found": "positives found", "stated": "missed positives count"},
    "normalizer": {
        "n_positives": "divided by all positives R",
        "min": "divided by min(k, R)",
        "k": "divided by k",
        "hits": "divided by the positives in the cut",
    },
}
# A choice is one field or several. `compare_conventions` changes the choices in this order, so its parts
# of a difference depend on it.
_CHOICES: dict[str, tuple[str, ...]] = {
    "score precision": ("score_dtype",),
    "input transform": ("transform", "thresholds"),
    "queries": ("queries", "one_row", "query_weights"),
    "ties": ("ties",),
    "weights": ("weights",),
    "area": ("area", "first_point", "last_point"),
    "grid": ("grid",),
    "stated total": ("total",),
    "cut": ("cut",),
    "normalizer": ("normalizer",),
    "without positives": ("without_positives", "without_negatives", "left_out"),
}
CHOICES = MappingProxyType(_CHOICES)
OPTIONS: Mapping[str, Mapping[str | None, str]] = MappingProxyType(
    {name: MappingProxyType(options) for name, options in _OPTIONS.items()}
)

_AREAS_OF_ROWS = ("davis-goadrich, unit steps", "linear, fewest retrieved", "precisions")  # not of weights


@dataclass(frozen=True, kw_only=True, repr=False)
class Convention:
    """How a package or a paper computes its average precision, choice by choice.

    The defaults are the choices of :func:`sklearn.metrics.average_precision_score`, so a record names what
    is different.

    .. versionadded:: 0.1

    Parameters
    ----------
    name : str
        Name that its users know.
    score_dtype : {None, 'float32'}, default=None
        Type to which scores are rounded before they are compared.
    transform : {None, 'sigmoid', 'near', 'input order', 'above 0'}, default=None
        Change of the scores before they are ranked; ``OPTIONS["transform"]`` explains each word.
    thresholds : Thresholds, default=None
        Thresholds that take the place of the distinct scores.
    queries : {'pooled', 'mean', 'mean by rows', 'refused'}, default='pooled'
        Whether all rows form one ranking, or each query forms one: then the mean is taken, or the mean
        weighted by rows. ``'refused'`` means that the package takes one ranking per call, so that `query_id`
        is an error. The classes of object detection are queries.
    one_row : {None, 'perfect'}, default=None
        Whether a query of one row scores 1 whatever its label. Only with the mean over queries.
    query_weights : {None, 'used'}, default=None
        Whether `query_weight` is used. Only with the mean over queries.
    ties : str, default='proportional'
        How equal scores are ordered, or that they are one threshold. ``'unspecified'`` means that the sort of
        the package leaves their order open.
    weights : {'used', 'ignored'}, default='used'
        Whether sample weights are used.
    area : str, default='step'
        Area or sum that makes the number; a key of the table in ``OPTIONS["area"]``.
    first_point : {'(0, 1)', '(0, p1)', 'none'}, default='(0, 1)'
        Where a curve of joined points starts.
    last_point : {'none', '(1, 0)'}, default='none'
        Whether a curve that does not reach recall 1 goes on to it, down to precision 0.
    grid : Grid, default=None
        Recall levels at which the curve is read off; None takes every recall. Area ``'recall at precision'``
        takes levels of precision.
    total : {'found', 'stated'}, default='found'
        Whether recall is a share of the positives found, or of a stated total.
    cut : {None, 'k', 'n_positives'}, int or float, default=None
        Where a ranking ends: nowhere, at the caller's `k`, at the number of positives, or here.
    normalizer : {'n_positives', 'min', 'k', 'hits'}, default='n_positives'
        Divisor of the sum.
    without_positives, without_negatives : float, 'error' or None
        Answer for a ranking without positives, or without negatives; None is the number as usual.
    left_out : bool, default=False
        Whether such a ranking is left out of a mean over queries; the answer, or the error, is then that of a
        mean of none.
    versions : str, default=''
        Versions of the package to which this applies.
    source : str, default=''
        The package and version that was run, or the paper and its section.
    peculiarity : str, default=''
        Difference from other packages, in a sentence or two.
    not_reproduced : str, default=''
        Parts that the record leaves out, and why.
    run : bool, default=False
        Whether the package was run against this record; otherwise it is from its source, not run.

    Raises
    ------
    ValueError
        If a field has none of its values, or the area takes no such grid, cut or normalizer.

    Examples
    --------
    >>> from sklearn_ap.compatibility import Convention, Grid, score_as
    >>> ours = Convention(name="our script", area="interpolated", grid=Grid("five levels", 5))
    >>> print(ours)
    AP[best precision at each recall or beyond, five levels]
    >>> score_as(ours, [1, 0, 1, 0, 1], [0.9, 0.8, 0.7, 0.6, 0.5])
    0.7733333333333333
    """

    name: str
    score_dtype: ScoreDtype = None
    transform: Transform = None
    thresholds: Thresholds | None = None
    queries: Queries = "pooled"
    one_row: OneRow = None
    query_weights: QueryWeights = None
    ties: RecordTies = "proportional"
    weights: Weights = "used"
    area: str = "step"
    first_point: FirstPoint = "(0, 1)"
    last_point: LastPoint = "none"
    grid: Grid | None = None
    total: Total = "found"
    cut: int | float | Literal["k", "n_positives"] | None = None
    normalizer: Normalizer = "n_positives"
    without_positives: Answer = 0.0
    without_negatives: Answer | None = None
    left_out: bool = False
    versions: str = ""
    source: str = ""
    peculiarity: str = ""
    not_reproduced: str = ""
    run: bool = False

    def __post_init__(self) -> None:
        """Check every field, and the fields together."""
        for name, options in OPTIONS.items():
            value = getattr(self, name)
            # By type first, since a list cannot be looked up in a mapping.
            if not isinstance(value, str | None) or value not in options:
                raise ValueError(f"{name} must be one of {', '.join(map(repr, options))}; got {value!r}.")
        for name, kind in (("grid", Grid), ("thresholds", Thresholds)):
            if not isinstance(getattr(self, name), kind | None):
                raise ValueError(f"{name} must be a {kind.__name__} or None; got {getattr(self, name)!r}.")
        if self.cut not in ("k", "n_positives"):
            read_k(self.cut, "cut")
        for name in ("without_positives", "without_negatives"):
            answer = getattr(self, name)
            number = isinstance(answer, int | float) and not isinstance(answer, bool) and abs(answer) != inf
            is_usual = name == "without_negatives" and answer is None
            if answer != "error" and not number and not is_usual:
                raise ValueError(f"{name} must be a number or 'error'; got {answer!r}.")
        for refused, text in self._refusals():
            if refused:
                raise ValueError(f"{text}; got {self._arguments()}.")

    def _arguments(self) -> str:
        """Return the choices that are not the default, as they were passed."""
        choices = {name for names in CHOICES.values() for name in names}
        values = [(field, getattr(self, field.name)) for field in fields(self) if field.name in choices]
        return ", ".join(f"{field.name}={value!r}" for field, value in values if value != field.default)

    def _refusals(self) -> Iterator[tuple[bool, str]]:
        """Yield each rule of choices: whether it is broken, and the error text. Definitions come first."""
        definition = AREAS[self.area], self.grid, self.cut, self.ties, self.normalizer
        for refused, text, area_field in refusals(*definition):
            able = [area.name for area in AREAS.values() if getattr(area, area_field or "score_full")]
            # Texts of the definition leave open which areas can do it: records have more areas than scores.
            yield refused, text.format(able=f"area {_either(able)}")
        yield from self._refusals_of_input()
        yield from self._refusals_of_curve()

    def _refusals_of_input(self) -> Iterator[tuple[bool, str]]:
        """Yield the rules of weights, thresholds and queries."""
        to_r, precisions = self.cut == "n_positives", self.area == "precisions"
        no_mean = self.queries in ("pooled", "refused")
        for name in ("one_row", "query_weights"):
            has_value = getattr(self, name) is not None
            yield has_value and no_mean, f"{name} requires queries 'mean' or 'mean by rows'"
        unsupported = "not supported with area='precisions': remove"
        yield precisions and to_r, f"cut='n_positives' is {unsupported} cut, or use cut='k'"
        yield precisions and self.normalizer != "n_positives", f"normalizer is {unsupported} normalizer"
        cut = (self.cut, self.normalizer) != (None, "n_positives")
        # By these rules a score may meet no threshold. Its row is then last, where a cut still counts it.
        unmet = self.thresholds is not None and self.thresholds.rule in ("at or above", "strictly above")
        unreached = "thresholds that scores may not reach: remove thresholds, or remove both"
        yield cut and unmet, f"cut and normalizer are not supported with {unreached}"
        expected = to_r and self.ties == "expected"
        yield expected, "ties='expected' is not supported with cut='n_positives': remove ties, or use cut='k'"
        counting_rows = {
            "cut='n_positives' of area 'step'": to_r and self.area == "step",
            "met_by='nearest positives'": self._meets("nearest positives"),
            "grid of area 'linear'": self.grid is not None and self.area == "linear",
            f"area={self.area!r}": self.area in _AREAS_OF_ROWS,
        }
        for choice, counts_rows in counting_rows.items():
            yield counts_rows and self.weights == "used", f"{choice} requires weights 'ignored'"

    def _refusals_of_curve(self) -> Iterator[tuple[bool, str]]:
        """Yield the rules of curves: how levels are met, a floor, the first and the last point."""
        joined, interpolated = self.area == "linear", self.area == "interpolated"
        of_recalls = self.area in ("step", "interpolated")  # others have one way to meet a level
        otherwise_met = self.grid is not None and not self._meets("recall")
        partial = self.grid is not None and isinstance(self.grid.levels, float)
        in_part = partial and not of_recalls
        yield in_part, "grid of every recall up to one needs area 'step' or 'interpolated'"
        yield partial and self.last_point != "none", "grid of every recall up to one needs last_point='none'"
        yield otherwise_met and not of_recalls, f"grid of area {self.area!r} requires met_by='recall'"
        floor = 0.0 if self.grid is None else self.grid.floor
        yield floor > 0 and not joined, "grid with a floor requires area 'linear'"
        nearest = self._meets("nearest positives")
        yield nearest and not interpolated, "met_by='nearest positives' requires area 'interpolated'"
        yield self.first_point != "(0, 1)" and not joined, "first_point requires area 'linear'"
        yield self.last_point != "none" and not interpolated, "last_point requires area 'interpolated'"

    def _meets(self, met_by: MetBy) -> bool:
        return self.grid is not None and self.grid.met_by == met_by

    def __repr__(self) -> str:
        """Return the name, and the choices that are not the default; texts about the package are left out."""
        return f"Convention({', '.join(filter(None, (f'name={self.name!r}', self._arguments())))})"

    def __str__(self) -> str:
        """Name the choices that differ from scikit-learn's."""
        words = ", ".join(words for _, words in self.changes(Convention(name="scikit-learn")))
        return f"AP[{words or OPTIONS['area']['step']}]"

    @property
    def _choices(self) -> tuple[object, ...]:
        """All choices, as a key. The type of `cut` separates 1 row from all rows, 1.0, which are equal."""
        values = (getattr(self, name) for names in CHOICES.values() for name in names)
        return (*values, type(self.cut))

    def changes(self, other: Convention) -> Iterator[tuple[str, str]]:
        """Yield each choice that differs from the other's, and its value here, in words.

        Parameters
        ----------
        other : Convention
            Such as ``CONVENTIONS["scikit-learn"]``.

        Yields
        ------
        choice, words : str
            One of :data:`CHOICES`, and :meth:`words` of it.
        """
        for choice in CHOICES:
            if not self._agrees(other, choice):
                yield choice, self.words(choice)

    def _agrees(self, other: Convention, choice: str) -> bool:
        """Whether one of `CHOICES` is the same in both; NaN is NaN."""
        pairs = [(getattr(self, name), getattr(other, name)) for name in CHOICES[choice]]
        if choice == "cut" and type(self.cut) is not type(other.cut):  # 1 == 1.0, but 1.0 means all rows
            return False
        # NaN differs from itself, but here it is one answer: "NaN without positives".
        return all(mine == theirs or (mine != mine and theirs != theirs) for mine, theirs in pairs)

    def words(self, choice: str) -> str:
        """Describe the value of one of the choices.

        Parameters
        ----------
        choice : str
            One of :data:`CHOICES`.

        Returns
        -------
        words : str
            Such as ``'the first 100 rows'`` of the choice ``'cut'``.
        """
        match choice:
            case "input transform":
                steps = [OPTIONS["transform"][self.transform]] if self.transform else []
                steps += [str(self.thresholds)] if self.thresholds else []
                return ", then ".join(steps) or OPTIONS["transform"][None]
            case "area":
                return self._area()
            case "grid":
                return "every recall" if self.grid is None else str(self.grid)
            case "cut":
                return self._cut()
            case "without positives":
                return self._answers()
            case _:
                field_name, *others = CHOICES[choice]
                names = [field_name, *(name for name in others if getattr(self, name) is not None)]
                return ", ".join(OPTIONS[name][getattr(self, name)] for name in names)

    def _area(self) -> str:
        words = OPTIONS["area"][self.area]
        if self.first_point != "(0, 1)":
            words += f" {OPTIONS['first_point'][self.first_point]}"
        return words if self.last_point == "none" else f"{words}, {OPTIONS['last_point'][self.last_point]}"

    def _cut(self) -> str:
        if isinstance(self.cut, float):
            return f"the first {100 * self.cut:g}% of the rows"
        words = {None: "no cut", "n_positives": "the first R rows", 1: "the first row"}
        return words.get(self.cut, f"the first {self.cut} rows")

    def _answers(self) -> str:
        words = [f"{self.without_positives} without positives"]
        if self.without_negatives is not None:
            words.append(f"{self.without_negatives} without negatives")
        if self.left_out:
            words.append("left out of means")
        return ", ".join(words)

    def _with_choices(self, other: Convention, choices: list[str], name: str) -> Convention:
        """Return this convention with some choices of the other."""
        other_choices = {name: getattr(other, name) for choice in choices for name in CHOICES[choice]}
        return replace(self, name=name, **other_choices)


def _either(options: list[str]) -> str:
    return f"{', '.join(map(repr, options[:-1]))} or {options[-1]!r}"
