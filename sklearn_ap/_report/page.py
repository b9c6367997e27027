"""A report of scores: the answer about them, and a page that shows it without a
network.

The page consists of HTML and SVG. Its templates are next to this file, and `page.html`
contains the style and the script. Text of the caller is escaped, by `html_text` or
`escape`, before it is inserted. The numbers for the script are JSON without `<`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from .. import __version__
from .._core.curves import CurveRows
from .._core.reading.ids import read_ids
from .._core.reading.names import warn_of_other_order
from .._core.reading.options import (
    read_prevalence,
    read_zero_division,
    short_repr,
)
from .._core.reading.read import CheckedRows
from .._core.reading.values import on_host
from .._core.typing import (
    AnyArray,
    ArrayLikeOrMapping,
    Label,
    PassedRows,
)
from .._core.words import with_hints
from .._decisions.budgets import read_amounts
from .._shown.sources import html_name, html_text, printable
from .._shown.temporary import removed_at_sigterm
from .._uncertainty.results import PublicSignature
from .._uncertainty.standard_errors import add_note_of_rows
from .answer import AnswerOptions, answer_of, read_budgets
from .curve import Parts, curve_parts
from .fields import ROW, Counts, FirstAnswer, Statement, label_fields, to_json
from .pictures import pictures_of
from .scored_rows import ScoredRows, counted, rows_of_classes
from .sentences import (
    capitalized,
    found_words,
    kept_together,
    score_clause,
    shown_parts,
    statements_of,
    text_of,
)

# The first bytes of a page, in lower case.
_PAGE_START = b"<!doctype html>"
# CSS classes of the verdicts of gates, by `Check.failed`.
_CLASSES_OF_GATES = {True: "fails", False: "passes", None: "no-answer"}
# What AP is.
_EXPLANATION = (
    '<p class="quiet">AP: at each positive, take the share of positives among the rows '
    "ranked so far; AP is the mean of these shares.</p>"
)
# The places of the statements that a page shows above the others, or below digits.
_ABOVE = {"gate", "verdict", "headline", "budget"}
# Spaces in an interval, such as 0.1 to 0.2, at which no line of a page may break.
_in_interval = re.compile(r"(?<=\d) (?=to -?\d)|(?<=\d.to) (?=-?\d)")
_OPTION = r"<span>\g<0></span>"
# This script gives the frame the height of the page. If a notebook is not trusted, the
# script does not run, and the frame scrolls.
_GROW = (
    "const b=this.contentDocument.body;"
    "new ResizeObserver(()=>this.height=b.offsetHeight).observe(b)"
)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Report:
    """Answer about scores, in sentences and numbers, and a page that shows it.

    :func:`report` returns it. ``print(report)`` prints the answer, and a notebook shows
    the page in a frame.

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

    __signature__: ClassVar[PublicSignature] = PublicSignature()

    answer: dict[str, Any]
    html: str
    _text: str = field(default="", repr=False)

    def __str__(self) -> str:
        """Return the text of the answer, in lines of up to 79 characters."""
        return self._text

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Return HTML that shows the page in a frame, which has the height of the page.

        The frame keeps the style of the page from changing the notebook.
        """
        # Without this base, links to sections would lead to the page of the notebook.
        html = self.html.replace("<head>", '<head><base href="about:srcdoc">', 1)
        return (
            f'<iframe width="100%" height="900" style="border:0" title="Report" '
            f'onload="{_GROW}" srcdoc="{escape(html)}"></iframe>'
        )

    def save(self, path: str | Path) -> None:
        """Write the page to a file, which opens in every browser without a network.

        Parameters
        ----------
        path : str or path-like
            Name of the file, such as ``"report.html"``. An existing file is replaced if
            it is empty or an HTML page.

        Raises
        ------
        ValueError
            If the path is another file, such as the scores, or a pipe.
        OSError
            If the file cannot be written.
        """
        _check_is_page(path)
        file = Path(path)
        part = file.with_name(f".{file.name}.part")
        # Write a second file and rename it, so that the old page is kept if the disk is
        # full.
        with removed_at_sigterm():
            try:
                part.write_text(self.html, encoding="utf-8")
                part.replace(file)
            except OSError as error:
                raise OSError(error.errno, error.strerror, str(path)) from None
            finally:
                part.unlink(missing_ok=True)


def _check_is_page(path: str | Path) -> None:
    """Raise ValueError if a path is a file that is not a page, such as the scores."""
    file = Path(path)
    is_page = not file.exists()
    # Read regular files only, since a pipe or a device may never end, and only the
    # first bytes, since a file may be large.
    if file.is_file():
        with file.open("rb") as opened:
            start = opened.read(len(_PAGE_START)).lower()
        is_page = start in (b"", _PAGE_START)
    if not is_page:
        raise ValueError(
            f"path must be a new name, or the name of a page; got {str(path)!r}, "
            "which is another kind of file."
        )


@with_hints
def report(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    compare: ArrayLike | Mapping[str, ArrayLike] | None = None,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    n_positives: ArrayLikeOrMapping | None = None,
    zero_division: float = 0.0,
    unit_id: ArrayLike | None = None,
    amount: ArrayLike | None = None,
    k: int | float | Sequence[int | float] | None = None,
    prevalence: float | None = None,
    name: str = "scores",
    title: str | None = None,
) -> Report:
    """Report of scores on one page: the answer, the curve, and thresholds.

    The page begins with average precision, its interval, and the positives that a
    budget `k` finds. A table of models follows if there are several, then the
    precision-recall curve with a band, and the numbers of each threshold. Each class
    has a row in a table and a section, and so has each query if queries are fixed or
    have `n_positives` (up to 1,000 queries). If there are more than 31 classes or
    queries, only the ten worst have a row and a section, and a picture shows all. The
    page needs no network, and no optional package.

    .. versionadded:: 0.1

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        Binary labels, any labels if `pos_label` is given, multilabel indicators or
        multiclass labels.

    y_score : array-like of shape (n_samples,) or (n_samples, n_labels)
        Scores; the highest is retrieved first. Several classes have one column each, in
        the order of the sorted labels.

    compare : array-like of the shape of y_score or mapping, default=None
        Scores of a second model on the same rows. A mapping such as ``{"old": scores}``
        names one or several models, as for :func:`compare_many`.

    pos_label : int, float, bool or str, default=None
        Label of the positive class; by default 1, if the labels are in {0, 1} or {-1,
        1}.

    sample_weight : array-like of shape (n_samples,), default=None
        As for :func:`average_precision_score`.

    query_id : array-like of shape (n_samples,), default=None
        Query of each sample, such as its day. The score is then the mean over queries,
        but the curve takes all rows as one ranking. Only with binary labels.

    n_positives : float, array-like or mapping, default=None
        As for :func:`average_precision_score`; only with binary labels.

    zero_division : {0.0, 1.0, np.nan}, default=0.0
        The score of queries without positives; NaN excludes them from the mean.

    unit_id : array-like of shape (n_samples,), default=None
        As for :func:`estimate_score`.

    amount : array-like of shape (n_samples,), default=None
        The value of each sample, as for :func:`budget_totals`.

    k : int, float or list of them, default=None
        Budget of the answer: an int is a number of rows (per query), a float in (0, 1]
        is a share of them. Several budgets have a table, and the first of them is in
        the large digits of the page. By default, the answer has no budget, and the page
        first shows the threshold of 10 rows.

    prevalence : float, default=None
        Share of positives that the answer, the curve and the thresholds refer to; by
        default that of the rows.

    name : str, default="scores"
        Name of the model, for the legend.

    title : str, default=None
        Title of the page and of the answer; by default `name`.

    Returns
    -------
    report : Report
        ``print(report)`` prints the answer, ``report.save("report.html")`` writes the
        page, and a notebook shows it.

    See Also
    --------
    estimate_score, compare_scores, compare_many, operating_point, score_by_query,
    sklearn_ap.compatibility.compare_conventions

    Notes
    -----
    The page shows at most about 500 thresholds, each with numbers of
    :func:`operating_point`. They include the best threshold for each 1 % of recall and
    of precision. At each recall, the band contains the precision of the population in
    about 95 % of samples, as that of :class:`AveragePrecisionDisplay`.

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
    Average precision (AP) is 0.58, 95 % interval 0.42 to 0.72; chance is 0.10.
    14 of 47 positives are in the first 20 rows (score >= 2.062). Share of the
    positives: 0.30, 95 % interval 0.18 to 0.41, 7.4 times what a random order
    finds.
    >>> answer.save("report.html")  # doctest: +SKIP
    """
    name = str(name)
    # Read the arguments here, so that errors name them as the caller wrote them.
    inputs = PassedRows(
        y_true, y_score, "macro", pos_label, sample_weight, query_id, n_positives
    )
    columns, _, classes = CurveRows.read(inputs, "report")
    _check_n_positives(n_positives, len(columns), query_id)
    per_row = {"query_id": query_id, "unit_id": unit_id, "amount": amount}
    warn_of_other_order({"y_true": y_true, **per_row})
    others = _read_others(compare, inputs)
    # The legend must distinguish two models of the same name.
    first = f"{name} (first)" if name in others else name
    models = {first: [checked.score for checked, _ in columns], **others}
    # All columns have the same rows.
    first_checked, _ = columns[0]
    kept_per_row = _read_per_row(per_row, first_checked)
    undefined = read_zero_division(zero_division)
    counts = Counts(
        label_column=_column_of(y_true),
        score_column=_column_of(y_score),
        unit_name=ROW if unit_id is None else "unit",
        zero_division=0.0 if undefined == "warn" else undefined,
        rows_left_out=first_checked.n_passed - first_checked.score.size,
        **_fields_of_labels(y_true, pos_label, first_checked),
    )
    of_classes = [
        counted(
            ScoredRows(
                counts=counts,
                y_true=checked.positive,
                scores={model: scores[place] for model, scores in models.items()},
                sample_weight=checked.weight,
                n_positives=total,
                query_column=_column_of(query_id),
                **kept_per_row,
            )
        )
        for place, (checked, total) in enumerate(columns)
    ]
    if classes is None:
        [rows] = of_classes
    else:
        rows = rows_of_classes(dict(zip(map(str, classes), of_classes, strict=True)))
    options = AnswerOptions(
        _read_budgets(k, amount), prevalence=read_prevalence(prevalence)
    )
    return report_of(rows, answer_of(str(title or name), rows, options))


def _read_per_row(
    passed: Mapping[str, ArrayLike | None], rows: CheckedRows
) -> dict[str, Any]:
    """Return the ids and amounts of the rows, by name of the argument."""
    values = {
        name: rows.of_kept(read_ids(ids, rows.n_passed, name=name))
        for name, ids in passed.items()
        if name != "amount" and ids is not None
    }
    amount = passed["amount"]
    if amount is not None:
        values["amount"] = read_amounts(amount, rows)
    return values


def _read_budgets(
    k: int | float | Sequence[int | float] | None, amount: ArrayLike | None
) -> list[int | float]:
    """Return the budgets that a caller passed; raise ValueError for several budgets of
    an amount.
    """
    budgets = read_budgets(k if isinstance(k, list | tuple) else [k])
    if amount is not None and len(budgets) > 1:
        raise ValueError(
            f"k must be one budget if amount is passed; got {short_repr(k)}."
        )
    return budgets


def _fields_of_labels(
    y_true: ArrayLike, pos_label: Label | None, rows: CheckedRows
) -> dict[str, Any]:
    """Return the fields of `Counts` about labels; empty without a positive label."""
    if pos_label is None:
        return {}
    labels = rows.of_kept(np.ravel(np.asarray(on_host("y_true", y_true)))).tolist()
    negatives = [label for label in dict.fromkeys(labels) if label != pos_label]
    return label_fields(pos_label, negatives)


def _column_of(values: ArrayLike | None) -> str:
    """Return the name of a column of a data frame; empty if the values have none."""
    name = getattr(values, "name", None)
    return name if isinstance(name, str) else ""


def _check_n_positives(
    n_positives: ArrayLikeOrMapping | None, n_columns: int, query_id: ArrayLike | None
) -> None:
    """Raise ValueError for totals of several columns, or one total for all queries."""
    if n_positives is None:
        return
    if n_columns > 1:
        raise ValueError(
            f"n_positives requires binary y_true; got {n_columns} columns of y_score."
        )
    if query_id is not None and not hasattr(n_positives, "items"):
        raise ValueError(
            "n_positives must be a mapping {query: total} if query_id is passed, because "
            "a number would be the total of each query; got "
            f"{short_repr(n_positives)}."
        )


def _read_others(
    compare: ArrayLike | Mapping[str, ArrayLike] | None, inputs: PassedRows
) -> dict[str, list[AnyArray]]:
    """Return the scores of the other models by name: a list with one array per column
    of scores.
    """
    if compare is None:
        return {}
    models = compare if isinstance(compare, Mapping) else {"The second model": compare}
    if not models:
        raise ValueError(
            "compare must be scores, or map names to scores; got "
            f"{short_repr(compare)}."
        )
    others = {}
    for name, scores in models.items():
        try:
            curves, _, _ = CurveRows.read(inputs._replace(y_score=scores), "report")
        except ValueError as error:
            named = f"compare[{name!r}]" if isinstance(compare, Mapping) else "compare"
            add_note_of_rows(error)
            error.args = (f"{named} must contain scores as y_score does: {error}",)
            raise
        others[str(name)] = [checked.score for checked, _ in curves]
    return others


def report_of(rows: ScoredRows, answer: FirstAnswer) -> Report:
    """Return an answer as a report."""
    statements = statements_of(answer)
    return Report(
        answer=json_of(answer, statements),
        html=_page("page", rows, answer, statements),
        _text=text_of(answer, statements),
    )


def json_of(answer: FirstAnswer, statements: list[Statement]) -> dict[str, Any]:
    """Return an answer and its statements as values that JSON can contain."""
    fields: dict[str, Any] = to_json(answer)
    return fields | {"statements": to_json(statements)}


@cache
def _template(name: str) -> str:
    """Return the text of a template, which is read from its file once."""
    return files(__package__).joinpath(f"{name}.html").read_text(encoding="utf-8")


def _filled(name: str, parts: Parts) -> str:
    """Return a template with each gap filled by the part of the same name.

    A single pass fills all gaps, so text of the caller that looks like a gap stays.
    """
    return re.sub(
        r"<!--([\w-]+)-->", lambda gap: parts.get(gap[1], ""), _template(name)
    )


def _page(
    name: str,
    rows: ScoredRows,
    answer: FirstAnswer,
    statements: Sequence[Statement],
    anchor: str = "",
) -> str:
    """Return the template `name`, a whole page or a folded section, filled with the
    article about an answer. `anchor` is the name to which links lead.
    """
    parts = _parts(rows, answer, statements) | {"anchor": anchor and f' id="{anchor}"'}
    article = kept_together(_filled("article", parts))
    article = _in_interval.sub("\N{NO-BREAK SPACE}", article)
    return _filled(name, parts | {"article": article})


def _parts(
    rows: ScoredRows, answer: FirstAnswer, statements: Sequence[Statement]
) -> Parts:
    """Return the parts of an article: the statements, pictures and folded sections."""
    counts = answer.counts
    columns = {"Labels": counts.label_column, "Scores": counts.score_column}
    named = "".join(f"{what}: {name}. " for what, name in columns.items() if name)
    with_section = [part for part in shown_parts(answer) if part.counts.rows]
    anchors = [f"part-{number}" for number in range(1, len(with_section) + 1)]
    names = [printable(part.name) for part in with_section]
    links = dict(zip(names, anchors, strict=True))
    parts = {
        "name": html_text(answer.name),
        "heading": html_name(answer.name),
        "models": html_text(", ".join(rows.scores)),
        "columns": html_name(named),
        "made": html_name(
            f"Written on {date.today().isoformat()} by sklearn_ap {__version__}."
        ),
        **_headline_parts(answer, statements),
        "tables": "".join(
            # The only table among the notes is that of the classes or queries.
            _section(
                statement.text,
                _table(statement.table, links if statement.place == "note" else {}),
            )
            for statement in statements
            if statement.table
        ),
    }
    # A curve of several classes, or of queries with totals, would take all their rows
    # as one ranking, whose thresholds nobody would use.
    if counts.positives and not (rows.totals or counts.n_classes):
        parts |= curve_parts(rows, answer)
        parts["curve"] = _filled("curve", parts)
    parts["tables"] += "".join(
        _section(title, picture) for title, picture in pictures_of(answer)
    )
    parts["sections"] = "".join(
        _page("folded", rows.parts[part.name], part, statements_of(part), anchor)
        for part, anchor in zip(with_section, anchors, strict=True)
    )
    return parts


def _headline_parts(answer: FirstAnswer, statements: Sequence[Statement]) -> Parts:
    """Return the parts above the tables: verdicts, numbers in large digits with their
    sentences below, and the other sentences.
    """
    score = answer.score
    counts = answer.counts
    by_place = defaultdict[str, list[str]](list)
    beside = []
    for statement in statements:
        if not statement.table:
            by_place[statement.place].append(statement.text)
            if statement.place not in _ABOVE:
                beside.append(_paragraph(statement.text))
    gates = zip(by_place["gate"], answer.checks, strict=True)
    verdicts = [
        _paragraph(text, _CLASSES_OF_GATES[check.failed]) for text, check in gates
    ]
    verdicts += [_paragraph(text, "verdict") for text in by_place["verdict"]]
    beside += [
        f'<p class="warning">{html_name(capitalized(text))}</p>'
        for text in answer.warnings
    ]
    sizes, *of_score = map(_paragraph, by_place["headline"])
    parts = {"verdicts": "".join(verdicts), "sentences": "".join(beside)}
    if score is None:
        # Without a score, the page consists of sentences only.
        return parts | {"sentences": "".join([sizes, *beside])}
    digits = [
        _digits(*found_words(answer.cut, counts), _paragraph(text))
        for text in by_place["budget"]
        if answer.cut
    ]
    # The clause of the interval follows the first comma.
    number = score_clause(score).partition(", ")[0]
    is_plain = not (counts.weight or counts.all_positives or answer.prevalence)
    # With weights, missed positives or a prevalence, the explanation of AP would be
    # wrong.
    below = of_score + [_EXPLANATION] * is_plain
    digits.append(_digits(number, counts.title, "".join(below)))
    return parts | {
        "sizes": sizes,
        "digits": "".join(digits),
    }


def _digits(number: str, what: str, below: str) -> str:
    """Return a number in large digits, with words that tell what it is, and with HTML
    below it.
    """
    digits = f'<p class="big">{number} <small>{html_name(what)}</small></p>'
    return f"<div>{digits}{below}</div>"


def _paragraph(text: str, css_class: str = "") -> str:
    """Return a sentence as a paragraph of HTML."""
    # Do not break a line inside an option.
    text = re.sub("--[a-z-]+", _OPTION, html_name(text))
    return f'<p class="{css_class}">{text}</p>'


def _table(lines: Iterable[Iterable[str]], links: Mapping[str, str]) -> str:
    """Return a table that scrolls in its own box. The first line has the titles.

    `links` has the anchors of the sections to which the names of rows lead.
    """
    titles, *rows = [list(line) for line in lines]
    head = "".join(f'<th scope="col">{html_name(title)}</th>' for title in titles)
    body = "".join(
        f"<tr><td>{_linked(name, links.get(name))}</td>"
        + "".join(f"<td>{html_name(text)}</td>" for text in texts)
        + "</tr>"
        for name, *texts in rows
    )
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="wide" tabindex="0">{table}</div>'


def _linked(name: str, anchor: str | None) -> str:
    """Return a name, as a link if there is something to which it leads."""
    text = html_name(name)
    return text if anchor is None else f'<a href="#{anchor}">{text}</a>'


def _section(title: str, content: str) -> str:
    """Return a section of the page, with a title and with content that is HTML."""
    return f"<section><h2>{html_name(title)}</h2>{content}</section>"
