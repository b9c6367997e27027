"""A report of scores: the first answer, and a page that shows it, which needs no network."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_array, column_or_1d

from .._answer._numbers import JsonObject, Question, answer_of
from .._answer._rows import ScoredRows, rows_in_memory
from .._answer._sentences import count_sentence, in_lines, sentences_of
from .._points._operating_points import points_of
from .._reading._options import read_k, read_prevalence, read_zero_division, short_repr
from .._reading._queries import read_ids
from .._reading._read import Input, read
from .._reading._values import on_host
from .._typing import AnyArray, Label, Totals
from .._uncertainty._sample import unit_numbers
from ._curve import band_by_influence, drawn_points, threshold_columns
from ._page import Chart, answer_part, chart_parts, data_element, fill
from ._tables import citation_part, definitions_part, losses_part


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Report:
    """The first answer about scores, and a page that shows it, as :func:`report` returns them.

    ``print(report)`` prints the answer, and a notebook shows the page.

    .. versionadded:: 0.1

    Parameters
    ----------
    answer : dict
        The numbers of the answer, as ``sklearn-ap --format json`` prints them.

    html : str
        The page, in one text without links to other files.

    Examples
    --------
    >>> from sklearn_ap import report
    >>> answer = report([1, 0, 1, 0, 0] * 5, range(25, 0, -1), k=5).answer
    >>> round(answer["score"]["value"], 3), answer["cut"]["positives"]
    (0.533, 2.0)
    """

    answer: dict[str, Any]
    html: str = field(repr=False)

    def __str__(self) -> str:
        """Return the first answer in lines of 80 columns."""
        return in_lines(sentences_of(self.answer))

    def __repr__(self) -> str:
        """Return the first two sentences in one line."""
        return f"Report({' '.join(sentences_of(self.answer)[:2])!r})"

    def _repr_html_(self) -> str:
        """Return the page in a frame, which keeps its style to itself."""
        return f'<iframe width="100%" height="900" title="Report" srcdoc="{escape(self.html)}"></iframe>'

    def save(self, path: str | Path) -> None:
        """Write the page to a file, which opens in every browser without a network.

        Parameters
        ----------
        path : str or path-like
            Name of the file, such as ``"report.html"``. A page of this name is replaced.

        Raises
        ------
        ValueError
            If the name does not end in ``.html``, and a file that is not a page has it.
        OSError
            If the file cannot be written.
        """
        refuse_other_file(path)
        # Names may contain halves of characters, which no encoding has.
        Path(path).write_text(self.html, encoding="utf-8", errors="replace")


def refuse_other_file(path: str | Path) -> None:
    """Refuse to replace a file that is not a page, such as the scores themselves."""
    is_page = str(path).lower().endswith((".html", ".htm")) or not Path(path).exists()
    if not is_page and not Path(path).read_bytes()[:15].lower().startswith(b"<!doctype html"):
        raise ValueError(f"path must end in .html; got {str(path)!r}, a file that is not a page.")


def report(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    compare: ArrayLike | Mapping[str, ArrayLike] | None = None,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    n_positives: Totals | None = None,
    zero_division: float = 0.0,
    unit_id: ArrayLike | None = None,
    item_id: ArrayLike | None = None,
    amount: ArrayLike | None = None,
    k: int | float | None = None,
    prevalence: float | None = None,
    name: str = "scores",
) -> Report:
    """Report of scores in one file: the answer, the curve, a threshold to move, and the errors to look at.

    The page contains average precision with its interval and chance, the precision-recall curve with a band,
    what each threshold retrieves, the rows that cost the score most, every definition of average precision,
    and a sentence to cite. It needs no network, and no package beyond those of the base install.

    .. versionadded:: 0.1

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels; any labels if `pos_label` is given.

    y_score : array-like of shape (n_samples,)
        Scores; the highest is retrieved first. Probabilities, decision values or any other numbers.

    compare : array-like of shape (n_samples,) or mapping, default=None
        Scores of a second model on the same rows; ``{"old": scores}`` also names the model.

    pos_label : int, float, bool or str, default=None
        Label of the positive class; by default 1, if the labels are in {0, 1} or {-1, 1}.

    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights, 0 or from 2**-500 to 2**500. Rows of weight 0 are dropped.

    query_id : array-like of shape (n_samples,), default=None
        Query of each sample, such as its day: the score is the mean over queries. The curve and its
        thresholds take all rows as one ranking.

    n_positives : float or mapping, default=None
        Total number of positives, found or missed, as for :func:`average_precision_score`. By default, the
        positives in `y_true`.

    zero_division : {0.0, 1.0, np.nan}, default=0.0
        The score of queries without positives; NaN leaves them out of the mean, as classes and days may need.

    unit_id : array-like of shape (n_samples,), default=None
        Unit of each sample, such as its customer: rows that were drawn together. Intervals count units.

    item_id : array-like of shape (n_samples,), default=None
        Name of each sample in the table of costly rows; by default, the number of its row, from 0.

    amount : array-like of shape (n_samples,), default=None
        What each sample is worth, such as money, not negative. The score ignores it. The page shows the
        amount of the positives that a threshold retrieves.

    k : int or float, default=None
        Budget of the answer: an int counts rows (of each query), a float in (0, 1] is a share of the rows.
        By default the page opens at 10 rows, and its sentences leave the budget out.

    prevalence : float, default=None
        Share of positives that the answer, the curve and the thresholds are about, if the rows have another.

    name : str, default="scores"
        Name of the model or the data, for titles.

    Returns
    -------
    report : Report
        Its text is the answer, ``report.save("report.html")`` writes the page, and a notebook shows it.

    Warns
    -----
    UserWarning
        For what :func:`estimate_score` and :func:`compare_scores` warn of. The page shows these warnings.

    Raises
    ------
    ValueError
        For what :func:`estimate_score`, :func:`compare_scores` and :func:`operating_point` refuse; for
        amounts below 0, and for a mapping of several second models.

    See Also
    --------
    estimate_score : The score with its interval.
    compare_scores : The difference between both models.
    operating_point : The numbers of one threshold.
    influence_values : What each row does to the score.
    sklearn_ap.compatibility.compare_conventions : Every definition of average precision.

    Notes
    -----
    The page shows at most 400 thresholds, each with the numbers of :func:`operating_point`. The drawn curve
    leaves out points that lie within .002 of it. The band covers the precision at each recall in 95 % of
    samples, recall by recall. It comes from influences [1]_; :class:`AveragePrecisionDisplay` draws that of a
    bootstrap. Text is escaped before it gets into the page.

    References
    ----------
    .. [1] F. R. Hampel, "The influence curve and its role in robust estimation", Journal of the American
       Statistical Association 69, 1974. :doi:`10.1080/01621459.1974.10482962`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import report
    >>> rng = np.random.default_rng(0)
    >>> y_true = (rng.random(500) < 0.1).astype(int)
    >>> y_score = rng.normal(size=500) + 1.5 * y_true
    >>> answer = report(y_true, y_score, k=20, name="new model")
    >>> print(answer)
    new model: 500 rows, 47 positive (9.4 %).
    Average precision (AP) is 0.58, 95 % interval 0.43 to 0.72; chance is 0.10.
    The first 20 rows contain 14 of 47 positives; these rows score 2.062 or more.
    >>> answer.save("report.html")  # doctest: +SKIP
    """
    if not isinstance(name, str):
        raise TypeError(f"name must be text; got {name!r}.")
    # Read once here, so that errors name the argument as the caller wrote it.
    inputs = Input(y_true, y_score, "macro", pos_label, sample_weight)
    checked = read(inputs, caller="report", as_curve=True)
    weight = None if sample_weight is None else column_or_1d(on_host("sample_weight", sample_weight))
    # The readers drop rows of weight 0: ids and amounts follow, and row numbers are those of the caller.
    rows = np.arange(checked.score.size) if weight is None else np.flatnonzero(weight)
    n_rows = rows.size if weight is None else weight.size
    arrays = {"y_true": checked.positive, "y_score": checked.score, "row": rows}
    arrays |= {} if checked.weight is None else {"sample_weight": checked.weight}
    second = None
    if compare is not None:
        second, scores = _read_second(compare)
        try:
            arrays["compare"] = read(inputs._replace(y_score=scores), caller="report", as_curve=True).score
        except ValueError as error:
            raise ValueError(f"compare must contain scores as y_score does: {error}") from None
    for role, ids in (("query_id", query_id), ("unit_id", unit_id), ("item_id", item_id)):
        arrays |= {} if ids is None else {role: read_ids(ids, n_rows, name=role)[rows]}
    arrays |= {} if amount is None else {"amount": _read_amount(amount, n_rows)[rows]}
    question = Question(read_k(k), read_prevalence(prevalence), compare=second)
    undefined = read_zero_division(zero_division)
    rows_of_queries = rows_in_memory(arrays, n_positives, 0.0 if undefined == "warn" else undefined)
    return report_of(rows_of_queries, question, name=name, model=name)


def _read_second(compare: ArrayLike | Mapping[str, ArrayLike]) -> tuple[str, ArrayLike]:
    """Return the name and the scores of the second model."""
    models = compare if isinstance(compare, Mapping) else {"The second model": compare}
    if len(models) != 1:
        got = short_repr(compare)
        raise ValueError(f"compare must be scores, or a mapping from one name to scores; got {got}.")
    [(name, scores)] = models.items()
    return str(name), scores


def _read_amount(amount: ArrayLike, n_rows: int) -> AnyArray:
    """Return the amount of each row."""
    values = check_array(on_host("amount", amount), ensure_2d=False, input_name="amount", dtype=float)
    with np.errstate(over="ignore"):
        total = values.sum()
    if values.shape != (n_rows,) or values.min() < 0 or not np.isfinite(total):
        numbers = f"{n_rows} numbers >= 0 with a finite sum, one per row"
        raise ValueError(f"amount must be {numbers}; got {short_repr(amount)}.")
    return np.asarray(values)


def report_of(rows: ScoredRows, question: Question, *, name: str, model: str) -> Report:
    """Return the report of rows in memory; `name` opens the answer, and `model` names the scores."""
    answer = answer_of(name, rows, question)
    texts = {"name": name, "sizes": count_sentence(answer["counts"]), "query": rows.counts.query_name}
    parts = {part: escape(text) for part, text in texts.items()}
    parts |= {"answer": answer_part(answer), "citation": citation_part(answer), "without": "hidden"}
    # The key of the drawing tells two models of one name apart.
    model += " (first)" * (model == question.compare)
    # Rows without positives have no curve, so their page shows the answer alone.
    if answer["score"] is not None:
        parts |= {"without": ""} | _chart_and_data(rows, question, answer, model)
        parts["losses"] = losses_part(rows, question, answer, model)
        parts["definitions"] = definitions_part(rows, question)
    return Report(answer=answer, html=fill(parts))


def _chart_and_data(rows: ScoredRows, question: Question, answer: JsonObject, model: str) -> dict[str, str]:
    """Return the chart next to the thresholds, and the numbers that the script shows."""
    arrays: Any = rows.arrays
    positive, score = rows.data
    inputs = Input(positive, score, sample_weight=arrays.get("sample_weight"))
    checked = read(inputs, caller="report", as_curve=True)
    models = {model: checked}
    if question.compare is not None:
        models[question.compare] = checked._replace(score=arrays["compare"])
    total = rows.counts.total_positives
    curves = {name: points_of(scores, question.prevalence, total) for name, scores in models.items()}
    # Rows of a query vary together, as those of a unit do, so their influences are added up.
    points, ids = curves[model], arrays.get("unit_id", arrays.get("query_id"))
    unit = None if ids is None else unit_numbers("unit_id", ids, checked.score.size)
    band = band_by_influence(points, unit, at_prevalence=question.prevalence is not None)
    lines = {name: drawn_points(curve) for name, curve in curves.items()}
    # At the lowest threshold all rows are retrieved: their precision is the prevalence, of
    # the positives that have a row.
    chart = Chart(lines, band, float(points.precision[0] * points.recall[0]))
    columns, totals = threshold_columns(points, positive, arrays, answer)
    totals["top"] = chart.top
    return {**chart_parts(chart, answer), "data": data_element(columns, totals)}
