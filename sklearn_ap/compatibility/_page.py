"""The page `docs/compatibility.md`, made from the records: `python -m sklearn_ap.compatibility` prints it."""

import io
from collections.abc import Iterable, Iterator
from contextlib import redirect_stdout
from typing import Any

from . import CHOICES, CONVENTIONS, DEVIATIONS, OPTIONS, Convention
from ._records import GROUPS

_INTRODUCTION = """\
# Which average precision is it?

People publish "AP" and mean many different numbers. Here every convention in use is a record of choices,
which `sklearn_ap.compatibility` computes by one engine: `score_as` gives the number of one of them, `compare`
splits its difference from `sklearn.metrics.average_precision_score` into parts, and `identify` tells which
conventions print a given number.

This page is printed by `python -m sklearn_ap.compatibility`.
"""
_EXAMPLE = """\
## A worked example

Ten samples, the labels from the best score down being 1, 0, 1, 1, 0, 0, 1, 0, 0, 1:
"""
_WALK = """\
## How a difference is taken apart

`compare` walks from scikit-learn's convention to another one by changing one choice at a time, always in the
order of the table above. Every stop is itself a convention with a number, and the part of a choice is by how
much it changes the number when its turn comes; so the parts add up to the difference. The parts depend on the
order: where two choices interact, another order splits their effect differently. Where a stop has no number,
its choice goes with the next. A convention whose answer is no number (-1, NaN or an error) gets a sentence
instead. The table leaves out stops that change nothing; `compare(...).to_frame(stops=True)` has them all.
"""
_INPUT = """\
## What to pass

- *Detections*: a row is a detection, its label whether it matched an object; `n_positives` is the number of
  objects. Matching itself is the caller's.
- *Queries*: `query_id` for each row, and `n_positives={query: total}` where relevant documents were not
  retrieved. Conventions of retrieval take the mean over queries, all others take the rows for one ranking.
- *Equal scores*: trec_eval and its kin order them by `item_id`. Where a package leaves their order open,
  there is a number only if no positive and negative have the same score.
"""
_CONVENTIONS = """\
## The conventions

Choices that are not named are scikit-learn's: {usual}.

Packages were run on the inputs of `peers/inputs.py`, and tests hold the records to what they printed; where a
source is marked "not run", the record is from the source alone.
"""
_DEVIATIONS = """\
## Where this package answers otherwise than scikit-learn, on purpose

In the calls, `X` is `np.arange(6).reshape(-1, 1)`, and `precision_recall_curve` stands for our
`interpolated_precision_recall_curve`.
"""
_VERSIONS = """\
## Across the versions of scikit-learn

`peers/golden/scikit_learn.json` holds what 17 versions answer to 157 calls, and tests hold these lines
against it.

| from | `average_precision_score` | `precision_recall_curve` |
|---|---|---|
| 0.19 | steps in place of trapezoids | |
| 0.20 | `pos_label` | |
| 0.22 | masks are ignored | masks are ignored |
| 1.1 | without positives -0.0 and a warning, before NaN | no longer cut at full recall |
| 1.3 | multiclass labels | `drop_intermediate` |
| 1.5 | | `y_score`, before `probas_pred` |
| 1.6 | without positives 0.0 | |
| 1.9 | multiclass scores must be an array with a column for each class | |
"""
# Fields without a list of options.
_FREE: dict[str, dict[Any, str]] = {
    "thresholds": {
        None: "those of the scores",
        "Thresholds": "some even thresholds that a score reaches or exceeds, or merged neighbours",
    },
    "grid": {None: "every recall", "Grid": "recall levels, what meets them, and what they weigh"},
    "cut": {
        None: "no cut",
        "k": "the first k rows",
        "n_positives": "the first R rows",
        0.05: "a share of the rows",
        100: "a number of rows",
    },
    "without_positives": {0.0: "the answer; also 1, NaN, -1 or 'error'"},
    "without_negatives": {None: "the number as usual; also an answer"},
    "left_out": {False: "counted in a mean over queries", True: "left out of it"},
}
_CODE = (
    "from sklearn_ap.compatibility import compare, identify",
    "y_true = [1, 0, 1, 1, 0, 0, 1, 0, 0, 1]",
    "y_score = [0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]",
    "names = ['eleven-point', 'VOC 2007', 'XGBoost aucpr', 'Ultralytics', 'ml_metrics apk']",
    "print(compare(y_true, y_score, k=3, conventions=names))",
    "print(identify('0.7240', y_true, y_score))",
)


def page() -> str:
    """Return the page as Markdown."""
    scikit_learn = CONVENTIONS["scikit-learn"]
    usual = ", ".join(scikit_learn.words(choice) for choice in CHOICES)
    parts = [
        _INTRODUCTION,
        _EXAMPLE,
        *_example(),
        "## The choices\n",
        *_choices(),
        _WALK,
        _INPUT,
        _CONVENTIONS.format(usual=usual),
        *(part for group, conventions in GROUPS.items() for part in _group(group, conventions)),
        _DEVIATIONS,
        *_deviations(),
        _VERSIONS,
    ]
    return "\n".join(parts)


def _table(heading: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    cells = [list(heading), *map(list, rows)]
    lines = [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in cells]
    return "\n".join([lines[0], "|" + "---|" * len(cells[0]), *lines[1:], ""])


def _example() -> Iterator[str]:
    """Yield the code of the example with what it prints, as a doctest."""
    names: dict[str, Any] = {}
    yield "```python"
    for line in _CODE:
        yield f">>> {line}"
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(line, names)  # the lines stand above
        if printed.getvalue():
            yield printed.getvalue().rstrip()
    yield "\n```\n"


def _choices() -> Iterator[str]:
    rows = (
        (choice, f"`{name}`", "; ".join(f"`{option!r}`: {words}" for option, words in options.items()))
        for choice, names in CHOICES.items()
        for name in names
        for options in [OPTIONS.get(name) or _FREE[name]]
    )
    yield _table(("choice", "field", "values, scikit-learn's first"), rows)


def _group(group: str, conventions: tuple[Convention, ...]) -> Iterator[str]:
    yield f"### {group}\n"
    yield _table(
        ("convention", "versions", "choices", "what is peculiar", "source"), map(_convention, conventions)
    )


def _convention(one: Convention) -> tuple[str, ...]:
    peculiar = one.peculiarity
    if one.not_reproduced:
        peculiar += f" *Not reproduced:* {one.not_reproduced}"
    changes = "; ".join(words for _, words in one.changes(CONVENTIONS["scikit-learn"]))
    source = one.source if one.run else f"{one.source} (from its source, not run)"
    return one.name, one.versions, changes or "scikit-learn's", peculiar, source


def _deviations() -> Iterator[str]:
    rows = (
        (f"{one.topic} {one.versions}".strip(), f"`{one.call}`", one.scikit_learn, one.sklearn_ap, one.why)
        for one in DEVIATIONS
    )
    yield _table(("input", "call", "scikit-learn", "sklearn_ap", "why"), rows)
