"""A report of scores: the first answer, and a page that shows it, which needs no network.

The page is HTML and SVG around `page.html`, which contains the style and the script. Text of the caller
passes `escape`, and nothing else is put between tags; numbers of the script are JSON without `<`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from numpy.typing import ArrayLike
from sklearn.utils import check_array, column_or_1d

from .._answer import _sentences
from .._answer._numbers import AP, JsonObject, Question, ScoredRows, answer_of, rows_in_memory
from .._displays._rows import Band
from .._html import html_table
from .._points._operating_points import points_of
from .._reading._options import read_k, read_prevalence, read_zero_division, short_repr
from .._reading._queries import read_ids
from .._reading._read import read
from .._reading._values import on_host
from .._registry import K, definition_of, score_of
from .._typing import AnyArray, FloatArray, Input, IntArray, Label, Totals
from .._uncertainty._estimates import influence_values
from .._uncertainty._sample import unit_numbers
from ..compatibility import compare_conventions
from ._curve import band_by_influence, drawn_points, threshold_columns

_WIDTH, _HEIGHT = 1000, 750  # of the chart, which the page stretches
_TOPS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)  # of precision, where all of it is low
_BEYOND_FIRST = 0.05  # recall, from which on a low precision shrinks the axis
Line = tuple[FloatArray, FloatArray]  # recall and precision, best first
_N_LONGEST = 10  # rows of a table of losses
_WHY_NUMBERS_DIFFER = (
    "All numbers come from the same rows. They differ in how the points of the curve are joined, at which "
    "recalls the curve is read, where the ranking is cut, and what the sum is divided by."
)
_IF_EQUAL = "If both models were equally good, a difference at least as large would appear in"


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
    html: str

    def __str__(self) -> str:
        """Return the first answer in lines of 80 columns."""
        return _sentences.in_lines(_sentences.sentences_of(self.answer))

    def __repr__(self) -> str:
        """Return the first two sentences in one line."""
        return f"Report({' '.join(_sentences.sentences_of(self.answer)[:2])!r})"

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
    14 of 47 positives are in the first 20 rows (score >= 2.062).
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
        models = compare if isinstance(compare, Mapping) else {"The second model": compare}
        if len(models) != 1:
            got = short_repr(compare)
            raise ValueError(f"compare must be scores, or a mapping from one name to scores; got {got}.")
        [(second, scores)] = models.items()
        try:
            arrays["compare"] = read(inputs._replace(y_score=scores), caller="report", as_curve=True).score
        except ValueError as error:
            raise ValueError(f"compare must contain scores as y_score does: {error}") from None
    for role, ids in (("query_id", query_id), ("unit_id", unit_id), ("item_id", item_id)):
        arrays |= {} if ids is None else {role: read_ids(ids, n_rows, name=role)[rows]}
    arrays |= {} if amount is None else {"amount": _read_amount(amount, n_rows)[rows]}
    question = Question(
        read_k(k), read_prevalence(prevalence), compare=None if second is None else str(second)
    )
    undefined = read_zero_division(zero_division)
    rows_of_queries = rows_in_memory(arrays, n_positives, 0.0 if undefined == "warn" else undefined)
    return report_of(rows_of_queries, question, name=name, model=name)


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
    texts = {"name": name, "query": answer["counts"]["query_name"]}
    texts["sizes"] = _sentences.count_sentence(answer["counts"])
    parts = {part: escape(text) for part, text in texts.items()}
    parts |= {"answer": _answer_part(answer), "citation": _citation_part(answer), "without": "hidden"}
    # The key of the drawing tells two models of one name apart.
    model += " (first)" * (model == question.compare)
    # Rows without positives have no curve, so their page shows the answer alone.
    if answer["score"] is not None:
        parts |= {"without": ""} | _chart_and_data(rows, question, answer, model)
        parts["losses"] = _losses_part(rows, question, answer, model)
        parts["definitions"] = _definitions_part(rows, question)
    page = files(__package__).joinpath("page.html").read_text(encoding="utf-8")
    pieces = re.split(r"<!--([\w-]+)-->", page)  # names at odd places; text of the caller is not searched
    html = "".join(parts.get(piece, "") if i % 2 else piece for i, piece in enumerate(pieces))
    return Report(answer=answer, html=html)


def _chart_and_data(rows: ScoredRows, question: Question, answer: JsonObject, model: str) -> dict[str, str]:
    """Return the chart next to the thresholds, and the numbers that the script shows."""
    arrays: Any = rows.arrays
    positive, score = arrays["y_true"], arrays["y_score"]
    inputs = Input(positive, score, sample_weight=arrays.get("sample_weight"))
    checked = read(inputs, caller="report", as_curve=True)
    models = {model: checked}
    if question.compare is not None:
        models[question.compare] = checked._replace(score=arrays["compare"])
    total = rows.counts["all_positives"]
    curves = {name: points_of(scores, question.prevalence, total) for name, scores in models.items()}
    # Rows of a query vary together, as those of a unit do, so their influences are added up.
    points, ids = curves[model], arrays.get("unit_id", arrays.get("query_id"))
    unit = None if ids is None else unit_numbers("unit_id", ids, checked.score.size)
    band = band_by_influence(points, unit, at_prevalence=question.prevalence is not None)
    lines = {name: drawn_points(curve) for name, curve in curves.items()}
    # At the lowest threshold all rows are retrieved: their precision is the prevalence, of
    # the positives that have a row.
    in_rows = float(points.precision[0] * points.recall[0])
    recall, _, high, _ = band
    highest = max(float(high[recall >= _BEYOND_FIRST].max(initial=0)), in_rows)
    top = next((top for top in _TOPS if top > highest), 1.0)  # the highest precision on the axis
    at = "" if question.prevalence is None else f", at a prevalence of {question.prevalence:g}"
    title = f"<h2>Precision and recall, and a threshold to move{at}</h2>"
    if answer["counts"]["queries"] is not None:
        title += _paragraph("The curve and its thresholds take all rows as one ranking.")
    columns, totals = threshold_columns(points, positive, arrays, answer)
    values = {"columns": columns, "totals": {**totals, "top": top}}
    # No text in it can end the element, which the script reads.
    text = json.dumps(values, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    data = f'<script type="application/json" id="data">{text}</script>'
    chart = _svg(lines, band, in_rows, top) + _key_of(lines, in_rows)
    return {"chart-title": title, "chart": chart, "data": data}


def _table(headers: Sequence[str], rows: Iterable[Sequence[object]], *, words: int | None = None) -> str:
    """Return a table that scrolls in its own box."""
    return f'<div class="wide">{html_table(headers, rows, words)}</div>'


def _section(title: str, *parts: str) -> str:
    """Return a section of the page."""
    return f"<section><h2>{escape(title)}</h2>{''.join(parts)}</section>"


def _paragraph(text: str, mark: str = "") -> str:
    """Return a paragraph of a text."""
    return f'<p class="{mark}">{escape(text)}</p>'


def _answer_part(answer: JsonObject) -> str:
    """Return the first answer: the score on a scale from 0 to 1, and the sentences with their warnings."""
    sizes, *sentences = _sentences.sentences_of(answer)
    warned = "".join(_paragraph(f"{text[:1].upper()}{text[1:]}", "warning") for text in answer["warnings"])
    # Nothing to draw: the sentences say why.
    if answer["score"] is None:
        return "".join(map(_paragraph, [sizes, *sentences])) + warned
    value, low, high = (answer["score"][key] for key in ("value", "low", "high"))
    marks = [f'<b style="left:{100 * value:.2f}%"></b>']
    words, *interval = _sentences.score_clause(answer["score"]).split(", ")
    ends = "".join(interval) or "The rows say nothing about its interval."
    if low is not None:
        marks.insert(0, f'<i style="left:{100 * low:.2f}%;width:{100 * (high - low):.2f}%"></i>')
    if answer["chance"] is not None:
        marks.append(f'<u style="left:{100 * answer["chance"]:.2f}%"></u>')
    ruler = '<div class="ends quiet" aria-hidden="true"><span>0</span><span>1</span></div>'
    scale = f'<div class="scale" aria-hidden="true">{"".join(marks)}</div>{ruler}'
    title, small = _paragraph(_sentences.score_title(answer), "quiet"), _paragraph(ends, "quiet")
    left = f'<div>{title}<div class="big">{words}</div>{small}{scale}</div>'
    return f'<div class="hero">{left}<div>{"".join(map(_paragraph, sentences))}{warned}</div></div>'


def _key_of(models: Iterable[str], prevalence: float) -> str:
    """Return the key of the drawing, with a line as it is drawn next to each entry."""
    titles = dict(zip(("first", "second"), models, strict=False))
    titles |= {
        "band": "95 % band, point by point",
        "prevalence": f"the prevalence, {_sentences.short_share(prevalence)}",
    }
    line = '<svg aria-hidden="true"><path class="{}" d="M0 5H26"/></svg>'
    entries = (f"<li class=quiet>{line.format(mark)}{escape(title)}</li>" for mark, title in titles.items())
    return f'<ul class="key">{"".join(entries)}</ul>'


def _svg(lines: Mapping[str, Line], band: Band, prevalence: float, top: float) -> str:
    """Return the drawing with its axes; labels are text of the page, which keeps its size on a phone."""
    ticks, (recall, low, high, _) = [tick / 5 for tick in range(6)], band
    grid = "".join(f"M0 {_HEIGHT * t:g}H{_WIDTH}M{_WIDTH * t:g} 0V{_HEIGHT}" for t in ticks)
    edges = _places(np.append(recall, recall[::-1]), np.append(low, high[::-1]), top)
    [(_, level)] = _places(np.zeros(1), np.array([prevalence]), top)
    paths = {"grid": grid, "band": f"M{'L'.join(map(' '.join, edges))}Z"}
    paths["prevalence"] = f"M0.0 {level}H{_WIDTH}"
    for mark, line in reversed(list(zip(("first", "second"), lines.values(), strict=False))):
        points = _places(*line, top)  # the first model is above the second; average precision adds up steps
        paths[mark] = f"M0 {points[0][1]}" + "".join(f"V{y}H{x}" for x, y in points)
    drawn = "".join(f'<path class="{mark}" d="{path}"/>' for mark, path in paths.items())
    names, share = " and ".join(map(escape, lines)), _sentences.short_share(prevalence)
    words = f"Precision at each recall of {names}, with a 95 % band; the prevalence is {share}."
    # Text outside the drawing keeps its size when the page stretches the drawing.
    labels = "".join(
        f'<span class="x" style="left:{100 * t:g}%">{t:g}</span>'
        f'<span class="y" style="top:{100 - 100 * t:g}%">{top * t:.3g}</span>'
        for t in ticks
    )
    labels += '<span class="title-x">recall</span><span class="title-y">precision</span>'
    head = f'<title id="t">Precision-recall curve of {names}</title><desc id="d">{words}</desc>'
    box = f'viewBox="0 0 {_WIDTH} {_HEIGHT}" preserveAspectRatio="none" role="img" aria-labelledby="t d"'
    return f'<div class="plot"><svg {box}>{head}{drawn}</svg>{labels}<div id="spot"></div></div>'


def _places(recall: FloatArray, precision: FloatArray, top: float) -> list[tuple[str, str]]:
    """Return the places of points in the drawing."""
    points = zip(recall, precision, strict=True)
    return [(f"{_WIDTH * x:.1f}", f"{_HEIGHT * (1 - y / top):.1f}") for x, y in points]


def _losses_part(rows: ScoredRows, question: Question, answer: JsonObject, model: str) -> str:
    """Return the comparison with the second model, and what costs the score most."""
    arrays: Any = rows.arrays
    sections = ""
    # Influences are those of one ranking; queries have their scores instead.
    has_influences = "query_id" not in arrays and rows.has_influences
    influence = _influences(rows, question) if has_influences else None
    if question.compare is not None:
        losses, second = "", rows.with_second_scores()
        if "query_id" in arrays:
            losses = _query_table(rows, second, (model, question.compare))
        elif influence is not None and "unit_id" in arrays:
            losses = _unit_table(_influences(second, question) - influence, arrays["unit_id"])
        words = map(_paragraph, _comparison_words(answer["comparison"], model))
        sections = _section(f"{question.compare} against {model}", *words, losses)
    elif "query_id" in arrays:
        sections = _section("What scores least", _least_queries(rows))
    if influence is not None:
        sections += _section("Rows that cost the score most", _row_table(influence, arrays))
    return sections


def _comparison_words(comparison: JsonObject, model: str) -> list[str]:
    if comparison["difference"] == 0:
        return [f"{comparison['name']} has the same average precision as {model}."]
    score = _sentences.short_share(comparison["score"])
    words = [f"{comparison['name']} has {score}. It {_sentences.difference_clause(comparison)}."]
    # A share of samples says to every reader what a p-value says to a few.
    if comparison["pvalue"] is not None:
        share = "less than 0.01" if comparison["pvalue"] < 1e-4 else f"{100 * comparison['pvalue']:.2g}"
        words.append(f"{_IF_EQUAL} {share} % of samples of this size.")
    return words


def _least_queries(rows: ScoredRows) -> str:
    """Return the queries that score least."""
    by_query = rows.by_query(AP)
    defined = [query for query, value in by_query.items() if value >= 0]  # the others are NaN
    worst = sorted(defined, key=by_query.__getitem__)[:_N_LONGEST]
    lines = [[query, _sentences.short_share(by_query[query])] for query in worst]
    return _table([rows.counts["query_name"], "average precision"], lines)


def _query_table(rows: ScoredRows, second: ScoredRows, models: Sequence[str]) -> str:
    """Return the queries that lose most by the second model."""
    first, other = rows.by_query(AP), second.by_query(AP)
    losses = {query: other[query] - first[query] for query in first if other[query] < first[query]}
    worst = sorted(losses, key=losses.__getitem__)[:_N_LONGEST]
    lines = [
        [q, _sentences.short_share(first[q]), _sentences.short_share(other[q]), f"{losses[q]:+.2g}"]
        for q in worst
    ]
    return "<h3>What loses most</h3>" + _table([rows.counts["query_name"], *models, "difference"], lines)


def _unit_table(change: FloatArray, ids: AnyArray) -> str:
    """Return the units whose rows take most from the difference of the second model."""
    unit = unit_numbers("unit_id", ids, change.size)
    # The sum of influences over its rows is the part of a unit; its first row has its id.
    of_units, row = np.bincount(unit, change), np.unique(unit, return_index=True)[1]
    lines = [[ids[row[i]], f"{of_units[i]:+.2g}"] for i in _least(of_units)]
    return "<h3>Units that lose most</h3>" + _table(["unit", "its part of the difference"], lines)


def _row_table(influence: FloatArray, arrays: Mapping[str, AnyArray]) -> str:
    """Return the rows with the largest negative influence, by their ids or numbers."""
    # The ids of the caller, or the places of rows before those of weight 0 were dropped.
    ids = arrays.get("item_id", arrays.get("row", np.arange(influence.size)))
    labels, scores, worst = arrays["y_true"], arrays["y_score"], _least(influence)
    names = ["positive" if labels[i] else "negative" for i in worst]
    numbers = [(f"{float(scores[i]):.6g}", f"{-influence[i]:.2g}") for i in worst]
    lines = [[ids[i], name, *pair] for i, name, pair in zip(worst, names, numbers, strict=True)]
    words = "Without such a row, average precision would be higher by about its cost. Look at them first."
    title = "item" if "item_id" in arrays else "row (the first is 0)"
    return _paragraph(words) + _table([title, "label", "score", "cost"], lines)


def _influences(rows: ScoredRows, question: Question) -> FloatArray:
    """Return what each row with its weight does to average precision."""
    # An influence is per unit of weight.
    weight = rows.columns.get("sample_weight", 1.0)
    return np.asarray(influence_values(AP, **rows.arguments(AP), **question.params) * weight)


def _least(values: FloatArray) -> IntArray:
    """Return the places of the least values, those below 0."""
    # A partition takes linear time, and only about ten rows are put in order.
    last = min(_N_LONGEST, values.size) - 1
    places = np.flatnonzero((values <= np.partition(values, last)[last]) & (values < 0))
    return places[values[places].argsort(kind="stable")][:_N_LONGEST]


def _definitions_part(rows: ScoredRows, question: Question) -> str:
    """Return all definitions of average precision, and why they differ."""
    comparison = compare_conventions(k=question.k or K, **rows.convention_arguments)
    lines = [
        [row.name, *("-" if x is None else f"{x:.4f}" for x in (row.value, row.difference)), row.why]
        for row in comparison.rows
    ]
    at = "" if question.prevalence is None else " They are about the share of positives in these rows."
    note = _sentences.conventions_sentence(rows.counts)
    words = _paragraph(" ".join(filter(None, (_WHY_NUMBERS_DIFFER + at, comparison.means, note))))
    numbers = _table(["definition", "value", "minus scikit-learn's", "why"], lines, words=3)
    return _section("All definitions of average precision", words, numbers)


def _citation_part(answer: JsonObject) -> str:
    """Return what to write in a paper, and the versions that made the numbers."""
    version = import_module("sklearn_ap").__version__  # which imports this file
    definition, score = definition_of(score_of(AP, {}), {"prevalence": answer["prevalence"]}), answer["score"]
    value = "undefined" if score is None else f"{score['value']:.4f}"
    if score is not None and score["low"] is not None:
        value += f" (95 % confidence interval {score['low']:.4f} to {score['high']:.4f})"
    title, sizes = _sentences.score_title(answer), _sentences.count_sentence(answer["counts"])
    text = f"{title}: {value}; {sizes}; {definition}; sklearn_ap {version}."
    call = "estimate_score" + ", compare_scores (random_state=0)" * (answer["comparison"] is not None)
    versions = _paragraph(f"By {call}; numpy {np.__version__}, scikit-learn {sklearn.__version__}.", "quiet")
    return _section("How to cite it", f"<pre>{escape(text)}</pre>", versions)
