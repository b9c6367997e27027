"""Every average precision of some scores in one table, beside scikit-learn's."""

import csv
import io
import json
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from sklearn.metrics import average_precision_score as scikit_learn_average_precision_score

from . import (
    average_precision_at_k_score,
    average_precision_score,
    eleven_point_average_precision_score,
    interpolated_average_precision_score,
    pr_auc_score,
    precision_at_k_score,
    r_precision_score,
    recall_at_k_score,
)

FORMATS = ("table", "json", "markdown", "csv")


class Row(NamedTuple):
    """One score; None where it has no meaning for this input."""

    score: str
    value: float | None
    scikit_learn: float | None

    @property
    def difference(self) -> float | None:
        """By how much the value exceeds scikit-learn's average precision."""
        return None if self.value is None or self.scikit_learn is None else self.value - self.scikit_learn


def scores(k: int | float | None) -> Iterator[tuple[str, Callable[..., Any], dict[str, Any]]]:
    """Yield the name, the function and the options of each row."""
    yield "average precision", average_precision_score, {}
    yield "interpolated, all recalls", interpolated_average_precision_score, {}
    yield "interpolated, 101 levels", interpolated_average_precision_score, {"recall_levels": 101}
    yield "eleven-point", eleven_point_average_precision_score, {}
    yield "PR AUC, linear", pr_auc_score, {}
    yield "PR AUC, Davis-Goadrich", pr_auc_score, {"interpolation": "davis-goadrich"}
    for divisor, normalizer in {"min(k, R)": "min", "R": "n_positives", "k": "k", "hits": "hits"}.items():
        yield f"AP@{k} over {divisor}", average_precision_at_k_score, {"k": k, "normalizer": normalizer}
    for ties in ("expected", "stable", "optimistic", "pessimistic"):
        yield f"AP@{k}, {ties} ties", average_precision_at_k_score, {"k": k, "ties": ties}
    yield f"precision@{k}", precision_at_k_score, {"k": k}
    yield f"recall@{k}", recall_at_k_score, {"k": k}
    yield "R-precision", r_precision_score, {}


def rows(y_true: Any, y_score: Any, *, k: int | float | None, **arguments: Any) -> list[Row]:
    """Compute the table.

    What the arguments leave without a meaning (orders of equal scores with unequal weights, areas with a
    stated total) is None. scikit-learn knows no queries and no stated totals: beside it all rows are one
    ranking.
    """
    with warnings.catch_warnings():  # without positives each row would say so
        warnings.filterwarnings("ignore", "No positive class found", UserWarning)
        reference = float(
            scikit_learn_average_precision_score(
                y_true,
                y_score,
                pos_label=arguments.get("pos_label", 1),
                sample_weight=arguments.get("sample_weight"),
            )
        )
        return [
            Row(name, _value(function, y_true, y_score, {**options, **arguments}), reference)
            for name, function, options in scores(k)
        ]


def _value(
    function: Callable[..., Any], y_true: Any, y_score: Any, arguments: dict[str, Any]
) -> float | None:
    if arguments.get("n_positives") is None:
        arguments.pop("n_positives", None)
    elif function is pr_auc_score:
        return None
    elif function is precision_at_k_score:
        del arguments["n_positives"]  # what was never found takes no place among the first k
    try:
        return float(function(y_true, y_score, **arguments))
    except ValueError as error:
        if re.search("needs (weights that are )?equal", str(error)):
            return None
        raise


def render(table: list[Row], form: str) -> str:
    """Return the table as text for a terminal, Markdown, CSV or JSON."""
    names = ("score", "sklearn_ap", "scikit_learn_ap", "difference")
    if form == "json":
        lines = [dict(zip(names, (*row, row.difference), strict=True)) for row in table]
        return json.dumps(lines, indent=2)
    if form == "csv":
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerows([names, *((*row, row.difference) for row in table)])
        return buffer.getvalue().rstrip("\n")
    if form == "markdown":
        cells = [
            (row.score, _number(row.value), _number(row.scikit_learn), _number(row.difference, "+"))
            for row in table
        ]
        lines_of = ["| score | sklearn_ap | scikit-learn AP | difference |", "|---|---:|---:|---:|"]
        return "\n".join([*lines_of, *(f"| {' | '.join(row)} |" for row in cells)])
    heading = f"{'score':<28}{'sklearn_ap':>12}{'scikit-learn AP':>18}{'difference':>13}"
    body = (
        f"{row.score:<28}{_number(row.value):>12}{_number(row.scikit_learn):>18}"
        f"{_number(row.difference, '+'):>13}"
        for row in table
    )
    return "\n".join([heading, *body])


def _number(value: float | None, sign: str = "") -> str:
    text = "-" if value is None else f"{value:{sign}.4f}"
    return text.replace("-0.0000", f"{sign}0.0000")
