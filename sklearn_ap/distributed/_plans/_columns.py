"""Multilabel and multiclass rows that may not fit into memory: a ranking per column of scores.

One scan gathers all columns if they fit. If they do not, it finds the classes and the positives of each
column, and each column is then a lone ranking with scans of its own, or all of them one with 'micro'. With
'samples', each row is a ranking, which a second scan scores where it is read.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ..._averaging import Averaging, rankings_in
from ..._entrance import score_of_checked
from ..._public import warn_user
from ..._reading._read import Checked
from ..._reading._totals import not_below_found, read_totals, totals_of_rankings
from ..._typing import AnyArray, Average, BoolArray, FloatArray, ScoreFunction
from .._question import Question, question_of
from .._source import Part, Source, SourceError, Told, shown
from .._states._columns import cast, common_type, held
from . import _plan
from ._job import Job, too_large
from ._part import CheckedColumns, ColumnRoles, Roles
from ._scan import scanned

State = TypeVar("State")

_CELL_BYTES = 56  # per row and column, while it is ranked
_WEIGHTED_CELL_BYTES = 112  # the same with a weight
_LABEL, _SCORE, _WEIGHT = "label", "score", "weight"


def scores_of_columns(
    job: Job, roles: ColumnRoles, calls: Sequence[tuple[ScoreFunction, Mapping[str, Any]]], average: Average
) -> list[float | FloatArray]:
    """Return the scores of several columns, averaged as in memory; the roles of the job do not count."""
    if len(roles.y_score) < 2 or len(roles.y_true) not in (1, len(roles.y_score)):
        raise ValueError(
            f"y_score must be two or more columns, and y_true as many or a single one; got {shown(roles)}."
        )
    questions = [question_of(*call) for call in calls]
    row_bytes = (_CELL_BYTES if roles.sample_weight is None else _WEIGHTED_CELL_BYTES) * len(roles.y_score)
    most = max(job.memory_limit // row_bytes, 1)
    n_rows = job.source.n_rows()
    keeps = n_rows is None or n_rows <= most
    found = scanned(
        job.source, roles, partial(_FoundColumns.of_rows, most=most if keeps else 0, roles=roles), job.told
    )
    assert isinstance(found, _FoundColumns), found
    found.check(job.source.name, roles)
    if found.parts is not None:
        checked = found.checked(average)
        return [
            score_of_checked(one.definition, checked, average=average, **one.options) for one in questions
        ]
    if not job.source.reads_again:
        raise too_large(job, found.n_rows, row_bytes)
    scattered = _Scattered(job, roles, found)
    if average == "micro":
        return list(scattered.pooled(questions))
    if average == "samples":
        return list(scattered.by_row(questions))
    return scattered.by_column(questions, average)


class _FoundColumns(NamedTuple):
    """All rows, if they are not too many; the classes, and the positives of each column or class."""

    parts: tuple[CheckedColumns, ...] | None
    n_rows: int
    n_weighed: int  # rows whose weight is not 0
    classes: AnyArray  # sorted; without classes, the numbers of the columns
    positives: FloatArray  # number of each, without rows of weight 0
    weights: FloatArray  # of positives
    total_weight: float
    most: int
    roles: ColumnRoles

    @classmethod
    def of_rows(cls, columns: CheckedColumns, most: int, roles: ColumnRoles) -> "_FoundColumns":
        """Return what the rows of a part are."""
        n_rows = columns.scores[0].size
        weight = np.ones(n_rows) if columns.weight is None else columns.weight
        if roles.is_multiclass:
            classes, place = np.unique(columns.labels[0], return_inverse=True)
            positives = np.bincount(place, weight > 0, minlength=classes.size).astype(np.float64)
            weights = np.bincount(place, weight, minlength=classes.size).astype(np.float64)
        else:
            classes = np.arange(len(columns.labels))
            positives = np.array([float(np.count_nonzero(weight[one])) for one in columns.labels])
            weights = np.array([weight[one].sum() for one in columns.labels])
        parts = (columns,) if n_rows <= most else None
        n_weighed, total = int(np.count_nonzero(weight)), float(weight.sum())
        return cls(parts, n_rows, n_weighed, classes, positives, weights, total, most, roles)

    def joined(self, other: "_FoundColumns") -> "_FoundColumns":
        """Return what both are."""
        if (self.classes.dtype.kind == "O") != (other.classes.dtype.kind == "O"):
            raise ValueError("y_true must hold integers or text, not both")
        classes = np.union1d(self.classes, other.classes)
        n_rows, parts = self.n_rows + other.n_rows, None
        if self.parts is not None and other.parts is not None and n_rows <= self.most:
            parts = self.parts + other.parts
        sums = np.zeros((2, classes.size))
        for one in (self, other):
            sums[:, np.searchsorted(classes, one.classes)] += one.positives, one.weights
        total, n_weighed = self.total_weight + other.total_weight, self.n_weighed + other.n_weighed
        return _FoundColumns(
            parts, n_rows, n_weighed, classes, sums[0], sums[1], total, self.most, self.roles
        )

    def check(self, name: str, roles: ColumnRoles) -> None:
        """Refuse another number of classes than of columns, and rows without weight."""
        n_columns = len(roles.y_score)
        if roles.is_multiclass and self.classes.size != n_columns:
            raise SourceError(
                f"{name}: column {shown(roles.y_true[0])}: y_score must have a column for each of "
                f"{self.classes.size} classes, which are sorted: "
                f"{shown(self.classes.tolist())}; got {n_columns}"
            )
        if roles.is_multiclass and n_columns == 2:
            raise SourceError(
                f"{name}: column {shown(roles.y_true[0])}: two classes are one ranking; pass the column of "
                "scores of the positive class as y_score, and pos_label"
            )
        if not self.total_weight:
            raise SourceError(f"{name}: column {shown(roles.sample_weight)}: all rows weigh 0")
        if not np.isfinite(self.total_weight * n_columns):
            raise SourceError(f"{name}: column {shown(roles.sample_weight)}: weights add up to infinity")

    def checked(self, average: Average) -> Checked:
        """Return all rows as a matrix."""
        checked = [_checked_matrix(part, self.classes) for part in self.parts or ()]
        positive = np.concatenate([one.positive for one in checked])
        score = _of_one_type([one.score for one in checked], 0)
        weights = [one.weight for one in checked if one.weight is not None]
        weight = np.concatenate(weights) if weights else None
        whole = Checked(positive, score, (score.min(), score.max()), weight)
        if weight is None or average == "samples":
            return whole
        return whole.take(np.flatnonzero(weight))


def _checked_matrix(columns: CheckedColumns, classes: AnyArray) -> Checked:
    """Return rows as a matrix."""
    score = _of_one_type([held(one)[:, np.newaxis] for one in columns.scores], 1)
    positive = np.stack(
        [_positive(columns.labels, classes, column) for column in range(classes.size)], axis=1
    )
    return Checked(positive, score, (score.min(), score.max()), columns.weight)


def _positive(labels: Sequence[AnyArray], classes: AnyArray, column: int) -> BoolArray:
    """Return the positives of a column: the rows of its class, or the rows where the column is 1."""
    return np.asarray(labels[column] == 1 if len(labels) > 1 else labels[0] == classes[column])


def _of_one_type(arrays: list[AnyArray], axis: int) -> AnyArray:
    dtype = arrays[0].dtype
    for array in arrays:
        dtype = common_type(dtype, array.dtype, lambda: min(int(one.min()) for one in arrays))
    return np.concatenate([cast(array, dtype) for array in arrays], axis=axis)


@dataclass(frozen=True)
class _Scattered:
    """Columns that do not fit into memory at a time."""

    job: Job
    roles: ColumnRoles
    found: _FoundColumns

    def _job_of(self, *columns: int) -> Job:
        """Return the job of some columns as one ranking."""
        weight = None if self.roles.sample_weight is None else _WEIGHT
        source = _Pooled(self.job.source, _Chosen(self.roles, self.found.classes, columns))
        return Job(source, Roles(_LABEL, _SCORE, weight), self.job.memory_limit, self.job.told)

    def pooled(self, questions: list[Question]) -> list[float]:
        """Return the scores of all cells as one ranking."""
        n_columns = len(self.roles.y_score)
        asked = []
        for one in questions:
            stated = read_totals(one.options["n_positives"], None)
            if stated is None:
                asked.append(one)
                continue
            totals = totals_of_rankings(
                stated, n_rankings=1, pooled_columns=n_columns, names=None, query=None
            )
            asked.append(one._replace(options={**one.options, "n_positives": float(totals[0])}))
        return _plan.scores_of(self._job_of(*range(n_columns)), asked)

    def by_column(self, questions: list[Question], average: Average) -> list[float | FloatArray]:
        """Return the means of the scores of the columns, or all of these."""
        totals = [self._totals(one) for one in questions]
        values = np.zeros((len(questions), len(self.roles.y_score)))
        # Columns without positives score 0. One of them is scored nevertheless if all are such, since a score
        # may refuse the weights.
        for column in np.flatnonzero(self.found.positives).tolist() or [0]:
            asked = [
                _question_of_column(one, None if stated is None else float(stated[column]))
                for one, stated in zip(questions, totals, strict=True)
            ]
            values[:, column] = _plan.scores_of(self._job_of(column), asked)
        return [
            self._averaged(one, stated, of_columns, average)
            for one, stated, of_columns in zip(questions, totals, values, strict=True)
        ]

    def _totals(self, question: Question) -> FloatArray | None:
        """Return the stated total of each column."""
        stated, n_columns = read_totals(question.options["n_positives"], None), len(self.roles.y_score)
        if stated is None:
            return None
        totals = totals_of_rankings(stated, n_rankings=n_columns, pooled_columns=None, names=None, query=None)
        n_rows = np.full(n_columns, self.found.n_weighed, dtype=np.int64)
        unit = 1.0 if self.roles.sample_weight is None else np.ones(n_columns)
        not_below_found(totals, self.found.weights, n_rows=n_rows, unit=unit, names=None)
        return totals

    def _averaged(
        self, question: Question, stated: FloatArray | None, values: FloatArray, average: Average
    ) -> float | FloatArray:
        positives = self.found.weights if stated is None else np.maximum(stated, self.found.weights)
        weights = positives if average == "weighted" else None
        options = question.options
        return Averaging(positives > 0, weights, one_value=average is not None).of(
            values, zero_division=options["zero_division"], caller=options["caller"], reference=None
        )

    def by_row(self, questions: list[Question]) -> list[float]:
        """Return the means of the scores of the rows."""
        for one in questions:
            if np.ndim(one.options["n_positives"]):  # type: ignore[arg-type]  # None has no dimensions
                raise ValueError(
                    "n_positives must be a number here, where rows do not fit into memory; got "
                    f"{shown(one.options['n_positives'])}."
                )
        into = partial(_RowSums.of_rows, questions=questions, classes=self.found.classes)
        sums = scanned(self.job.source, self.roles, into, self.job.told)
        if not isinstance(sums, _RowSums) or sums.n_rows != self.found.n_rows:
            raise SourceError(f"{self.job.source.name}: changed between two scans")
        return [sums.mean(one, *values) for one, values in zip(questions, sums.sums, strict=True)]


def _question_of_column(question: Question, total: float | None) -> Question:
    return question._replace(options={**question.options, "n_positives": total, "zero_division": 0.0})


class _RowSums(NamedTuple):
    """Sums over rows; each row is a ranking."""

    n_rows: int
    sums: FloatArray  # per score: values and weights of rows with a positive, weights and number of others

    @classmethod
    def of_rows(cls, columns: CheckedColumns, questions: list[Question], classes: AnyArray) -> "_RowSums":
        """Return the sums over the rows of a part."""
        checked = _checked_matrix(columns, classes)
        sums = np.empty((len(questions), 4))
        for row, one in enumerate(questions):
            stated = read_totals(one.options["n_positives"], None)
            rankings, averaging = rankings_in(checked, stated, average="samples", definition=one.definition)
            values, defined = one.definition.of(rankings), averaging.defined
            weight = np.ones(values.size) if checked.weight is None else checked.weight
            sums[row] = (
                (values * weight)[defined].sum(),
                weight[defined].sum(),
                weight[~defined].sum(),
                np.count_nonzero(~defined),
            )
        return cls(checked.positive.shape[0], sums)

    def joined(self, other: "_RowSums") -> "_RowSums":
        """Return the sums over both parts."""
        return _RowSums(self.n_rows + other.n_rows, self.sums + other.sums)

    def mean(self, question: Question, *sums: float) -> float:
        """Return the mean, and warn about rows without a positive."""
        of_values, weight, of_others, n_others = sums
        zero_division = question.options["zero_division"]
        if zero_division == "warn":
            if n_others:
                defined = np.arange(self.n_rows) >= n_others
                warn_user(Averaging(defined, None, True).without_positives(question.options["caller"]))
            zero_division = 0.0
        if not np.isnan(zero_division):
            of_values, weight = of_values + zero_division * of_others, weight + of_others
        return of_values / weight if weight else float("nan")


class _Chosen(NamedTuple):
    """Some columns of scores; multiclass columns share one column of labels."""

    roles: ColumnRoles
    classes: AnyArray
    columns: tuple[int, ...]


class _Pooled:
    """Some columns of a source as one ranking, whose rows are the cells of these columns."""

    def __init__(self, source: Source, chosen: _Chosen) -> None:
        self.name, self.reads_again, self.in_process = source.name, source.reads_again, source.in_process
        self._source, self._chosen = source, chosen
        self._scores = tuple(chosen.roles.y_score[one] for one in chosen.columns)

    def columns(self) -> dict[str, np.dtype[Any] | None]:
        """Return the type of the scores; nobody asks for the types of labels and weights."""
        types = {self._source.columns().get(one) for one in self._scores}
        return {_LABEL: np.dtype(bool), _SCORE: types.pop() if len(types) == 1 else None, _WEIGHT: None}

    def n_rows(self) -> int | None:
        """Return the number of cells."""
        n_rows = self._source.n_rows()
        return None if n_rows is None else n_rows * len(self._scores)

    def extremes(self, column: str) -> tuple[float, float] | None:
        """Return bounds of the scores of all cells."""
        assert column == _SCORE, column
        known = [bounds for one in self._scores if (bounds := self._source.extremes(one)) is not None]
        if len(known) < len(self._scores):
            return None
        return min(low for low, _ in known), max(high for _, high in known)

    def scan(
        self,
        columns: Sequence[str],
        step: Callable[[Part], State],
        combine: Callable[[Sequence[State]], State],
        told: Told,
    ) -> State | None:
        """Scan the source; each part becomes one part of a ranking per column."""
        assert set(columns) <= {_LABEL, _SCORE, _WEIGHT}, columns
        roles = self._chosen.roles
        labels = roles.y_true
        labels = labels if roles.is_multiclass else tuple(labels[one] for one in self._chosen.columns)
        names = ColumnRoles(labels, self._scores, roles.sample_weight).columns
        return self._source.scan(names, _EachColumn(self._chosen, step, combine), combine, told)


@dataclass(frozen=True)
class _EachColumn:
    """What is done with a part: a step for each column."""

    chosen: _Chosen
    step: Callable[[Part], Any]
    combine: Callable[[Sequence[Any]], Any]

    def __call__(self, part: Part) -> Any:
        found = [self.step(self._column(part, column)) for column in self.chosen.columns]
        return found[0] if len(found) == 1 else self.combine(found)

    def _column(self, part: Part, column: int) -> Part:
        roles = self.chosen.roles
        if roles.is_multiclass:
            positive = part.columns[roles.y_true[0]] == self.chosen.classes[column]
        else:
            positive = part.columns[roles.y_true[column]] == 1
        given = {_LABEL: np.asarray(positive), _SCORE: part.columns[roles.y_score[column]]}
        if roles.sample_weight is not None:
            given[_WEIGHT] = part.columns[roles.sample_weight]
        return Part(given, part.place)
