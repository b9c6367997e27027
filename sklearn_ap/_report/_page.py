"""The page of a report: HTML and SVG around `page.html`, which contains the style and the script.

Text of the caller passes `escape`, and nothing else is put between tags; numbers of the script are JSON
without `<`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files
from itertools import chain
from typing import NamedTuple

from .._answer._numbers import JsonObject
from .._answer._sentences import numbers_with_ends, score_title, sentences_of, short_share
from .._displays._rows import Band
from .._html import html_table
from .._typing import FloatArray

_WIDTH, _HEIGHT = 1000, 750  # of the chart, which the page stretches
_TOPS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)  # of precision, where all of it is low
_BEYOND_FIRST = 0.05  # recall, from which on a low precision shrinks the axis
Line = tuple[FloatArray, FloatArray]  # recall and precision, best first


class Chart(NamedTuple):
    """What is drawn: curves by the names of their models, a band around the first, and the prevalence."""

    lines: Mapping[str, Line]
    band: Band
    prevalence: float

    @property
    def top(self) -> float:
        """The highest precision on the axis."""
        recall, _, high, _ = self.band
        highest = max(float(high[recall >= _BEYOND_FIRST].max(initial=0)), self.prevalence)
        return next((top for top in _TOPS if top > highest), 1.0)


def fill(parts: Mapping[str, str]) -> str:
    """Return the page with its parts."""
    page = files(__package__).joinpath("page.html").read_text(encoding="utf-8")
    pieces = re.split(r"<!--([\w-]+)-->", page)  # names at odd places; text of the caller is not searched
    return "".join(parts.get(piece, "") if i % 2 else piece for i, piece in enumerate(pieces))


def data_element(columns: JsonObject, totals: JsonObject) -> str:
    """Return an element that the script reads; no text in it can end it."""
    values = {"columns": columns, "totals": totals}
    text = json.dumps(values, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json" id="data">{text}</script>'


def table(headers: Sequence[str], rows: Iterable[Sequence[object]], *, words: int | None = None) -> str:
    """Return a table that scrolls in its own box."""
    return f'<div class="wide">{html_table(headers, rows, words)}</div>'


def section(title: str, *parts: str) -> str:
    """Return a section of the page."""
    return f"<section><h2>{escape(title)}</h2>{''.join(parts)}</section>"


def paragraph(text: str, mark: str = "") -> str:
    """Return a paragraph of a text."""
    return f'<p class="{mark}">{escape(text)}</p>'


def answer_part(answer: JsonObject) -> str:
    """Return the first answer: the score on a scale from 0 to 1, and the sentences with their warnings."""
    sizes, *sentences = sentences_of(answer)
    warned = "".join(paragraph(f"{text[:1].upper()}{text[1:]}", "warning") for text in answer["warnings"])
    # Nothing to draw: the sentences say why.
    if answer["score"] is None:
        return "".join(map(paragraph, [sizes, *sentences])) + warned
    value, low, high = (answer["score"][key] for key in ("value", "low", "high"))
    marks = [f'<b style="left:{100 * value:.2f}%"></b>']
    words, *texts = numbers_with_ends(answer["score"])
    ends = "The rows say nothing about its interval."
    if low is not None:
        marks.insert(0, f'<i style="left:{100 * low:.2f}%;width:{100 * (high - low):.2f}%"></i>')
        ends = f"95 % interval {' to '.join(texts)}"
    if answer["chance"] is not None:
        marks.append(f'<u style="left:{100 * answer["chance"]:.2f}%"></u>')
    ruler = '<div class="ends quiet" aria-hidden="true"><span>0</span><span>1</span></div>'
    scale = f'<div class="scale" aria-hidden="true">{"".join(marks)}</div>{ruler}'
    number = f'<div class="big">{words}</div>{paragraph(ends, "quiet")}{scale}'
    left = f"<div>{paragraph(score_title(answer), 'quiet')}{number}</div>"
    return f'<div class="hero">{left}<div>{"".join(map(paragraph, sentences))}{warned}</div></div>'


def chart_parts(chart: Chart, answer: JsonObject) -> dict[str, str]:
    """Return the drawing and its title, which stand next to the threshold to move."""
    at = "" if answer["prevalence"] is None else f", at a prevalence of {answer['prevalence']:g}"
    title = f"<h2>Precision and recall, and a threshold to move{at}</h2>"
    if answer["counts"]["queries"] is not None:
        title += paragraph("The curve and its thresholds take all rows as one ranking.")
    return {"chart-title": title, "chart": f'{_svg(chart)}<ul class="key">{"".join(_key_of(chart))}</ul>'}


def _key_of(chart: Chart) -> Iterable[str]:
    """Yield the entries of the key."""
    titles = dict(zip(("first", "second"), chart.lines, strict=False))
    titles |= {
        "band": "95 % band, point by point",
        "prevalence": f"the prevalence, {short_share(chart.prevalence)}",
    }
    for mark, title in titles.items():
        line = f'<svg aria-hidden="true"><path class="{mark}" d="M0 5H26"/></svg>'
        yield f"<li class=quiet>{line}{escape(title)}</li>"


def _svg(chart: Chart) -> str:
    """Return the drawing with its axes; labels are text of the page, which keeps its size on a phone."""
    top, (recall, low, high, _) = chart.top, chart.band
    ticks = [tick / 5 for tick in range(6)]
    lines = "".join(f"M0 {_HEIGHT * t:g}H{_WIDTH}M{_WIDTH * t:g} 0V{_HEIGHT}" for t in ticks)
    edges = zip(chain(recall, recall[::-1]), chain(low, high[::-1]), strict=True)
    paths = {"grid": lines, "band": "M" + "L".join(f"{_place(*edge, top)}" for edge in edges) + "Z"}
    paths["prevalence"] = f"M{_place(0, chart.prevalence, top)}H{_WIDTH}"
    marks = ("first", "second")[: len(chart.lines)]
    steps = {mark: _curve_path(*line, top) for mark, line in zip(marks, chart.lines.values(), strict=True)}
    paths |= dict(reversed(steps.items()))  # the first model above the second
    drawn = "".join(f'<path class="{mark}" d="{path}"/>' for mark, path in paths.items())
    names = " and ".join(map(escape, chart.lines))
    prevalence = short_share(chart.prevalence)
    words = f"Precision at each recall of {names}, with a 95 % band; the prevalence is {prevalence}."
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


def _place(recall: float, precision: float, top: float) -> str:
    return f"{_WIDTH * recall:.1f} {_HEIGHT * (1 - precision / top):.1f}"


def _curve_path(recall: FloatArray, precision: FloatArray, top: float) -> str:
    """Return the path of a curve whose steps average precision adds up."""
    points = ((_WIDTH * x, _HEIGHT * (1 - y / top)) for x, y in zip(recall, precision, strict=True))
    return f"M0 {_HEIGHT * (1 - precision[0] / top):.1f}" + "".join(f"V{y:.1f}H{x:.1f}" for x, y in points)
