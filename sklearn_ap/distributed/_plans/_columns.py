"""Multilabel and multiclass rows that may not fit into memory: a ranking per column of scores.

One scan gathers all columns if they fit. If they do not, it finds the classes and the positives of each
column, and each column is then a lone ranking with scans of its own, or all of them one with 'micro'. With
'samples', each row is a ranking, which a second scan scores where it is read.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..._api import Averaging, rankings_in, score_of_checked
from ..._public import warn_user
from ..._reading._read import Checked
from ..._reading._totals import not_below_found, read_totals, totals_of_rankings
from ..._typing import AnyArray, Average, FloatArray
from .._question import Question
from .._source import SourceError, shown
from .._states._columns import concatenated, held
from . import _plan
from ._job import Job, too_large
from ._part import CheckedColumns, ColumnRoles, joined_rows
from ._queries import mean_of

_CELL_BYTES = 56  # per row and column, while it is ranked
_WEIGHTED_CELL_BYTES = 112  # the same with a weight


def scores_of_columns(job: Job, questions: list[Question], average: Average) -> list[float | FloatArray]:
    """Return the scores of the columns of a job, averaged as in memory."""
    roles: Any = job.roles
    if len(roles.y_score) < 2 or len(roles.y_true) not in (1, len(roles.y_score)):
        raise ValueError(
            f"y_score must be two or more columns, and y_true as many or a single one; got {shown(roles)}."
        )
    row_bytes = (_CELL_BYTES if roles.sample_weight is None else _WEIGHTED_CELL_BYTES) * len(roles.y_score)
    most, n_rows = max(job.memory_limit // row_bytes, 1), job.source.n_rows()
    # Where it is known that rows do not fit, none is kept until the scan finds that out.
    most = most if n_rows is None or n_rows <= most else 0
    compared = average in ("micro", "samples")
    into = partial(_FoundColumns.of_rows, most=most, is_multiclass=roles.is_multiclass, compared=compared)
    found = job.scan_for(into)
    assert isinstance(found, _FoundColumns), found
    found.check(job.source.name, roles)
    if found.parts is not None:
        checked = _matrix_of_all(found.parts, found.classes)
        # Rows of weight 0 count where each row is a ranking, as one without a weight in the mean.
        if checked.weight is not None and average != "samples":
            checked = checked.take(np.flatnonzero(checked.weight))
        return [
            score_of_checked(one.definition, checked, average=average, **one.options) for one in questions
        ]
    if not job.source.reads_again:
        raise too_large(job, found.n_rows, row_bytes)
    columns = _ScatteredColumns(job, roles, found)
    if average == "micro":
        return list(columns.pooled(questions))
    if average == "samples":
        return list(columns.by_row(questions))
    return columns.by_column(questions, average)


class _FoundColumns(NamedTuple):
    """All rows, if they are not too many; the classes, and the positives of each column or class."""

    parts: tuple[CheckedColumns, ...] | None
    n_rows: int
    n_weighed: int  # rows whose weight is not 0
    total_weight: float
    classes: AnyArray  # sorted; without classes, the numbers of the columns
    positives: FloatArray  # of each class, without rows of weight 0: their number, and their weight
    most: int  # rows that are kept

    @classmethod
    def of_rows(
        cls, columns: CheckedColumns, most: int, is_multiclass: bool, compared: bool
    ) -> "_FoundColumns":
        """Return what the rows of a part are; scores of all columns need one type if they are compared."""
        if compared and len({one.dtype for one in columns.scores}) > 1:
            concatenated(list(map(held, columns.scores)))  # refuses a score that would be rounded
        n_rows, labels = columns.scores[0].size, columns.labels
        weight = np.ones(n_rows) if columns.weight is None else columns.weight
        # A class whose rows all weigh 0 exists, but has no positive.
        if is_multiclass:
            classes, place = np.unique(labels[0], return_inverse=True)
            positives = [np.bincount(place, one, classes.size) for one in (weight > 0, weight)]
        else:
            classes = np.arange(len(labels))
            positives = [np.array([one[of].sum() for of in labels]) for one in (weight > 0, weight)]
        parts = (columns,) if n_rows <= most else None
        n_weighed, total = int(np.count_nonzero(weight)), float(weight.sum())
        return cls(parts, n_rows, n_weighed, total, classes, np.array(positives, dtype=np.float64), most)

    def joined(self, other: "_FoundColumns") -> "_FoundColumns":
        """Return what both are."""
        # numpy cannot sort both, and would make text of integers.
        if (self.classes.dtype.kind == "O") != (other.classes.dtype.kind == "O"):
            raise ValueError("y_true must hold integers or text, not both")
        n_rows, parts = self.n_rows + other.n_rows, None
        if self.parts is not None and other.parts is not None and n_rows <= self.most:
            parts = self.parts + other.parts
        # A part need not hold rows of every class.
        classes = np.union1d(self.classes, other.classes)
        positives = np.zeros((2, classes.size))
        for one in (self, other):
            positives[:, np.searchsorted(classes, one.classes)] += one.positives
        n_weighed, total = self.n_weighed + other.n_weighed, self.total_weight + other.total_weight
        return _FoundColumns(parts, n_rows, n_weighed, total, classes, positives, self.most)

    def check(self, name: str, roles: ColumnRoles) -> None:
        """Refuse another number of classes than of columns, and rows without weight."""
        n_columns, labels = len(roles.y_score), f"{name}: column {shown(roles.y_true[0])}"
        if roles.is_multiclass and self.classes.size != n_columns:
            raise SourceError(
                f"{labels}: y_score must have a column for each of {self.classes.size} classes, which are "
                f"sorted: {shown(self.classes.tolist())}; got {n_columns}"
            )
        if roles.is_multiclass and n_columns == 2:
            raise SourceError(
                f"{labels}: two classes are one ranking; pass the column of scores of the positive class as "
                "y_score, and pos_label"
            )
        weights = f"{name}: column {shown(roles.sample_weight)}"
        if not self.total_weight:
            raise SourceError(f"{weights}: all rows weigh 0")
        if not np.isfinite(self.total_weight * n_columns):
            raise SourceError(f"{weights}: weights add up to infinity")


def _matrix_of(columns: CheckedColumns, classes: AnyArray) -> Checked:
    """Return rows as a matrix."""
    score = concatenated([held(one)[:, np.newaxis] for one in columns.scores], axis=1)
    several = len(columns.labels) > 1
    positive = columns.labels if several else [columns.labels[0] == one for one in classes]
    return Checked(np.stack(positive, axis=1), score, (score.min(), score.max()), columns.weight)


def _matrix_of_all(parts: Sequence[CheckedColumns], classes: AnyArray) -> Checked:
    """Return all rows as a matrix; scores become places if no type holds those of all columns."""
    try:
        return joined_rows([_matrix_of(part, classes) for part in parts])
    except ValueError:  # no column is compared with another one, or a part would have been refused
        ends = np.cumsum([part.scores[0].size for part in parts])[:-1]
        columns = zip(*(map(held, part.scores) for part in parts), strict=True)
        places = [np.unique(concatenated(column), return_inverse=True)[1] for column in columns]
        of_parts = zip(*(np.split(one, ends) for one in places), strict=True)
        given = zip(parts, of_parts, strict=True)
        return joined_rows([_matrix_of(part._replace(scores=own), classes) for part, own in given])


def _cells(classes: AnyArray, columns: CheckedColumns) -> Checked | None:
    """Take the cells of columns for the rows of one ranking, where rows of weight 0 do not count.

    None if all rows weigh 0.
    """
    rows = _matrix_of(columns, classes)
    if rows.weight is not None:
        rows = rows.take(np.flatnonzero(rows.weight))
    if not rows.score.size:
        return None
    # Cells stand row by row, so the weight of a row comes once per column.
    weight = None if rows.weight is None else np.repeat(rows.weight, len(columns.scores))
    return rows._replace(positive=rows.positive.ravel(), score=rows.score.ravel(), weight=weight)


@dataclass(frozen=True)
class _ScatteredColumns:
    """Columns that do not fit into memory at a time."""

    job: Job
    roles: ColumnRoles
    found: _FoundColumns

    def pooled(self, questions: list[Question]) -> list[float]:
        """Return the scores of all cells as one ranking."""
        n_columns = len(self.roles.y_score)
        totals = [_stated(one, n_rankings=1, pooled_columns=n_columns) for one in questions]
        asked = [
            one if stated is None else one.with_options(n_positives=stated.item())
            for one, stated in zip(questions, totals, strict=True)
        ]
        return _plan.scores_of(self.job.seen(partial(_cells, self.found.classes)), asked)

    def by_column(self, questions: list[Question], average: Average) -> list[float | FloatArray]:
        """Return the means of the scores of the columns, or all of these."""
        totals = [self._totals(one) for one in questions]
        values = np.zeros((len(questions), len(self.roles.y_score)))
        # Columns without positives score 0. One of them is scored nevertheless if all are such, since a score
        # may refuse the weights.
        for column in np.flatnonzero(self.found.positives[0]).tolist() or [0]:
            asked = [
                one.with_options(
                    n_positives=None if stated is None else stated.item(column), zero_division=0.0
                )
                for one, stated in zip(questions, totals, strict=True)
            ]
            values[:, column] = _plan.scores_of(self._job_of(column), asked)
        found = self.found.positives[1]
        positives = [found if stated is None else np.maximum(stated, found) for stated in totals]
        of_questions = zip(questions, values, positives, strict=True)
        return [mean_of(*one, average) for one in of_questions]

    def _job_of(self, column: int) -> Job:
        """Return the job of a column alone: whether labels are its class or, without classes, 1."""
        several = not self.roles.is_multiclass
        # A column of 0 and 1 is read like classes: its positives are those of class 1.
        label, score = self.roles.y_true[column if several else 0], self.roles.y_score[column]
        cells = partial(_cells, np.array([1]) if several else self.found.classes[[column]])
        return replace(
            self.job, roles=ColumnRoles((label,), (score,), self.roles.sample_weight), views=(cells,)
        )

    def _totals(self, question: Question) -> FloatArray | None:
        """Return the stated total of each column."""
        n_columns = len(self.roles.y_score)
        totals = _stated(question, n_rankings=n_columns, pooled_columns=None)
        if totals is not None:
            n_rows = np.full(n_columns, self.found.n_weighed, dtype=np.int64)
            unit = 1.0 if self.roles.sample_weight is None else np.ones(n_columns)
            not_below_found(totals, self.found.positives[1], n_rows=n_rows, unit=unit)
        return totals

    def by_row(self, questions: list[Question]) -> list[float]:
        """Return the means of the scores of the rows."""
        for one in questions:
            if np.ndim(one.options["n_positives"]):  # type: ignore[arg-type]  # None has no dimensions
                raise ValueError(
                    "n_positives must be a number here, where rows do not fit into memory; got "
                    f"{shown(one.options['n_positives'])}."
                )
        into = partial(_RowSums.of_rows, questions=questions, classes=self.found.classes)
        sums = self.job.scan_for(into)
        if not isinstance(sums, _RowSums) or sums.n_rows != self.found.n_rows:
            raise SourceError(f"{self.job.source.name}: changed between two scans")
        return [sums.mean(one, *values) for one, values in zip(questions, sums.sums, strict=True)]


def _stated(question: Question, *, n_rankings: int, pooled_columns: int | None) -> FloatArray | None:
    """Return the stated total of each ranking."""
    stated = read_totals(question.options["n_positives"], None)
    if stated is None:
        return None
    return totals_of_rankings(stated, n_rankings, pooled_columns)


class _RowSums(NamedTuple):
    """Sums over rows; each row is a ranking."""

    n_rows: int
    sums: FloatArray  # per score: values and weights of rows with a positive, weights and number of others

    @classmethod
    def of_rows(cls, columns: CheckedColumns, questions: list[Question], classes: AnyArray) -> "_RowSums":
        """Return the sums over the rows of a part."""
        checked = _matrix_of(columns, classes)
        sums = np.empty((len(questions), 4))
        for row, one in enumerate(questions):
            stated = read_totals(one.options["n_positives"], None)
            rankings, averaging = rankings_in(checked, stated, average="samples", definition=one.definition)
            values, defined = one.definition.of(rankings), averaging.defined
            weight = np.ones(values.size) if checked.weight is None else checked.weight
            # Sums are all that leaves this part, so the mean is taken at last.
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
