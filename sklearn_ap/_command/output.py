"""The text that the command prints: answers and tables as text or JSON, and the
example.
"""

import json
import os
import sys
from dataclasses import replace
from math import inf, isnan
from shutil import get_terminal_size
from typing import Any

from .. import get_scorer
from .._core.registry import K
from .._report.answer import AnswerOptions, answer_of, read_budgets
from .._report.fields import Check
from .._report.gates import Gates
from .._report.named_warnings import in_words, quiet_warnings
from .._report.page import json_of, report, report_of
from .._report.scored_rows import ScoredRows
from .._report.sentences import (
    LINE_WIDTH,
    count_sentence,
    statements_of,
    text_of,
    wrapped,
)
from .._shown.sources import printable
from .._shown.tables import SCHEMA_VERSION, json_value
from ..compatibility import (
    ConventionComparison,
    compare_conventions,
    identify,
)
from ..compatibility._comparison import COLUMNS
from .files import shown_path
from .messages import print_message
from .options import Options
from .rows import open_rows
from .words import in_shell

_EXAMPLE_K = 20


def output_of(options: Options) -> tuple[str, list[Check]]:
    """Return the text to print for a command line, and the checks of its gates."""
    if options.example:
        return _example(), []
    # A file that is named twice, or also by a link, is counted once.
    n_files = len({*map(os.path.realpath, options.file)})
    name = shown_path(options.file[0]) if n_files == 1 else f"{n_files} files"
    title = name if options.title is None else options.title
    checks: list[Check] = []
    # Warnings are printed below. Otherwise, `python -W error` would end the command.
    with quiet_warnings() as caught:
        rows = open_rows(options, options.file)
        if options.table:
            text = _definitions(title, rows, options)
        elif options.identify is not None:
            text = _identified(options.identify, rows, options)
        else:
            text, checks = _first_answer(title, rows, options)
    warnings = [in_words(warning.message, in_shell) for warning in caught]
    for text_of_warning in dict.fromkeys(warnings):
        print_message("warning", f"{name}: {text_of_warning}")
    return text, checks


def _first_answer(
    name: str, rows: ScoredRows, options: Options
) -> tuple[str, list[Check]]:
    """Return the answer as text or JSON with the checks of its gates, and write its
    page.
    """
    earlier = None
    if options.against is not None:
        earlier = open_rows(options, [options.against])
        earlier = replace(earlier, name=shown_path(options.against))
    of_answer = AnswerOptions(
        read_budgets(options.k),
        prevalence=options.prevalence,
        conditions=options.threshold_at,
        earlier=earlier,
        of_each_query=options.per is not None,
        gates=Gates(
            below=options.fail_below,
            lower_by=options.fail_if_lower,
            alpha=options.fail_p,
            of_each=options.fail_each,
        ),
        words=in_shell,
    )
    # If each class is checked, or JSON is printed, each part has an answer, even if
    # there are many parts.
    if options.per and (options.fail_each or options.format == "json"):
        of_answer = of_answer._replace(max_queries=inf)
    answer = answer_of(name, rows, of_answer)
    if options.report is not None:
        report_of(rows, answer).save(options.report)
    statements = statements_of(answer)
    if options.format == "json":
        return _json_text(**json_of(answer, statements)), answer.checks
    text = text_of(answer, statements, _width_of_terminal())
    if options.report is not None:
        text += "\n" + wrapped(f"Wrote {printable(options.report)}.")
    return text, answer.checks


def _width_of_terminal() -> int:
    """Return the number of characters of a line of the terminal; without a terminal, or
    on a narrow one, that of a sentence.
    """
    if sys.stdout is None or not sys.stdout.isatty():
        return LINE_WIDTH
    return max(LINE_WIDTH, get_terminal_size().columns)


def _json_text(kind: str, schema: int = SCHEMA_VERSION, **values: Any) -> str:
    """Return an answer as JSON. `schema.json` describes the fields of each `kind`."""
    answer = {"schema": schema, "kind": kind, **values}
    return json.dumps(json_value(answer), indent=2)


def _definitions(name: str, rows: ScoredRows, options: Options) -> str:
    """Return the answer, and a table of other definitions of AP next to scikit-learn's."""
    counts = rows.counts
    compared = rows
    if isnan(counts.zero_division) and counts.queries and counts.total:
        # The mean excludes queries without positives.
        compared = rows.of_positive_queries()
    comparison = compare_conventions(
        compared.y_true,
        compared.y_score,
        k=_single_k(options),
        sample_weight=compared.sample_weight,
        query_id=compared.query_id,
        n_positives=compared.n_positives,
    )
    # The command names queries after their column, such as day.
    comparison = replace(comparison, _query_name=counts.query_name)
    if options.format == "json":
        lines = [
            {"score": row.name, **{name: getattr(row, name) for name in COLUMNS}}
            for row in comparison.rows
        ]
        return _json_text("definitions", rows=lines)
    answer = answer_of(
        name, rows, AnswerOptions(read_budgets(options.k), words=in_shell)
    )
    text = text_of(answer, statements_of(answer), _width_of_terminal())
    return f"{text}\n\n{_without_reasons(comparison)}"


def _single_k(options: Options) -> int | float:
    """Return the k of definitions of AP, which take one at most."""
    return next(iter(options.k), K)


def _without_reasons(comparison: ConventionComparison) -> ConventionComparison:
    """Return a comparison without the reasons why numbers differ."""
    return replace(
        comparison, rows=tuple(replace(row, changes=()) for row in comparison.rows)
    )


def _identified(value: str, rows: ScoredRows, options: Options) -> str:
    """Return a list of the conventions that compute a number."""
    identified = identify(
        value,
        rows.y_true,
        rows.y_score,
        k=_single_k(options),
        sample_weight=rows.sample_weight,
        query_id=rows.query_id,
        n_positives=rows.n_positives,
    )
    if options.format == "json":
        lines = [
            {
                "name": convention.name,
                "call": convention.call,
                "value": group.value,
                "low": group.low,
                "high": group.high,
            }
            for group in [*identified.groups, *identified.possible]
            for convention in group.conventions
        ]
        return _json_text(
            "identified", number=identified.value, notes=identified.notes, rows=lines
        )
    first = wrapped(printable(f"{count_sentence(rows.counts)}."))
    others = [wrapped(line, "  ") for line in str(identified).splitlines()]
    return "\n".join([first, *others])


def _example() -> str:
    """Return the text of the example: the answer about a model that is tuned to find
    eights among images of digits, compared with the untuned model.
    """
    # No other command needs these modules, which take time to import.
    from sklearn.datasets import load_digits  # noqa: PLC0415
    from sklearn.linear_model import RidgeClassifier  # noqa: PLC0415
    from sklearn.model_selection import GridSearchCV, train_test_split  # noqa: PLC0415

    images, digits = load_digits(return_X_y=True)
    images_train, images_test, y_train, y_test = train_test_split(
        images, digits == 8, train_size=0.1, random_state=0, stratify=digits
    )
    score = f"average_precision@{_EXAMPLE_K}"
    levels = {"alpha": [1, 10, 100, 1000, 10000]}
    search = GridSearchCV(RidgeClassifier(), levels, scoring=get_scorer(score))
    tuned, untuned = (
        model.fit(images_train, y_train).decision_function(images_test)
        for model in (search, RidgeClassifier())
    )
    introduction = (
        "This example ranks images of digits, to find the eights. On a tenth of the "
        f"images, GridSearchCV(RidgeClassifier(), ..., scoring=get_scorer({score!r})) "
        f"chose alpha={search.best_params_['alpha']}. On the other images:"
    )
    compared = {"The default": untuned}
    parts = [
        wrapped(introduction),
        report(y_test, tuned, compare=compared, k=_EXAMPLE_K, name="The tuned model"),
        _without_reasons(compare_conventions(y_test, tuned, k=_EXAMPLE_K)),
        "For your own file: sklearn-ap scores.csv --y-true COLUMN --y-score COLUMN -k 20",
    ]
    return "\n\n".join(map(str, parts))
