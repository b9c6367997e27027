"""Output of the command: answers and tables as text or JSON, and the first look."""

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from math import inf, isnan
from typing import Any

from .. import get_scorer
from .._core.registry import K
from .._report.answer import Question, answer_of
from .._report.differences import Earlier
from .._report.fields import FirstAnswer
from .._report.gates import Gates
from .._report.named_warnings import quiet_warnings
from .._report.page import json_of, report, report_of
from .._report.scored_rows import ScoredRows
from .._report.sentences import (
    MAX_LINES,
    count_sentence,
    query_words,
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

_EXAMPLE_K = 20


def print_answer(options: Options) -> FirstAnswer | None:
    """Print what a command line asks for; return its answer, if that has gates."""
    if options.example:
        print_example()
        return None
    # A file named twice, or by a link, is one.
    named = [*{os.path.realpath(path): path for path in options.file[::-1]}.values()]
    named.reverse()
    name = shown_path(named[0]) if len(named) == 1 else f"{len(named)} files"
    with warnings_in_lines(name):
        rows = open_rows(options, named)
        if options.table:
            print_definitions(name, rows, options)
        elif options.identify is not None:
            print_identified(options.identify, rows, options)
        else:
            return _print_first_answer(name, rows, options)
    return None


def _print_first_answer(name: str, rows: ScoredRows, options: Options) -> FirstAnswer:
    """Print the answer as text or JSON, and write its page; return it."""
    earlier = None
    if options.against is not None:
        before = open_rows(options, [options.against])
        earlier = Earlier(shown_path(options.against), before)
    has_all = options.fail_each or options.format == "json"
    question = Question(
        options.k,
        options.prevalence,
        options.threshold_at,
        earlier,
        options.per is not None,
        inf if has_all and options.per is not None else MAX_LINES,
        Gates(options.gates, options.fail_p, options.fail_each),
    )
    answer = answer_of(name, rows, question)
    if options.report is not None:
        report_of(rows, question, answer).save(options.report)
    statements = statements_of(answer)
    if options.format == "json":
        print_json(**json_of(answer, statements))
        return answer
    print(text_of(answer, statements))
    if options.report is not None:
        print(wrapped(f"Wrote {printable(options.report)}."))
    return answer


@contextmanager
def warnings_in_lines(name: str) -> Iterator[None]:
    """Print each warning of the library once, after the name of the rows."""
    with quiet_warnings() as caught:  # a user's -W error would end the command
        yield
    for text in dict.fromkeys(str(warning.message) for warning in caught):
        print_message("warning", f"{name}: {text}")


def print_json(kind: str, schema: int = SCHEMA_VERSION, **values: Any) -> None:
    """Print an answer as JSON, which `schema.json` describes."""
    answer = {"schema": schema, "kind": kind, **values}
    print(json.dumps(json_value(answer), indent=2))


def print_definitions(name: str, rows: ScoredRows, options: Options) -> None:
    """Print numbers of this package next to scikit-learn's."""
    counts = rows.counts
    compared = rows
    if isnan(counts.zero_division) and counts.queries and counts.total:
        compared = rows.of_positive_queries()  # what the score leaves out
    comparison = compare_conventions(
        compared.y_true,
        compared.y_score,
        k=options.k or K,
        sample_weight=compared.sample_weight,
        query_id=compared.query_id,
        n_positives=compared.n_positives,
    )
    queries = query_words(counts.query_name, compared.counts.queries or 0)
    means = re.sub(r"[\d,]+ quer\w+", queries, comparison.means, count=1)
    comparison = replace(comparison, means=means)
    if options.format == "json":
        lines = [
            {"score": row.name, **{name: getattr(row, name) for name in COLUMNS}}
            for row in comparison.rows
        ]
        print_json("definitions", rows=lines)
        return
    answer = answer_of(name, rows, Question(options.k))
    print(text_of(answer, statements_of(answer)), end="\n\n")
    print(_without_reasons(comparison))


def _without_reasons(comparison: ConventionComparison) -> ConventionComparison:
    """Return a comparison without the lines that say why numbers differ."""
    return replace(
        comparison, rows=tuple(replace(row, changes=()) for row in comparison.rows)
    )


def print_identified(value: str, rows: ScoredRows, options: Options) -> None:
    """Print the conventions that compute a number."""
    identified = identify(
        value,
        rows.y_true,
        rows.y_score,
        k=options.k or K,
        sample_weight=rows.sample_weight,
        query_id=rows.query_id,
        n_positives=rows.n_positives,
    )
    if options.format == "json":
        lines = [
            {
                "name": each.name,
                "call": each.call,
                "value": group.value,
                "low": group.low,
                "high": group.high,
            }
            for group in [*identified.groups, *identified.possible]
            for each in group.conventions
        ]
        print_json(
            "identified", number=identified.value, notes=identified.notes, rows=lines
        )
        return
    print(wrapped(printable(f"{count_sentence(rows.counts)}.")))
    for line in str(identified).splitlines():
        print(wrapped(line, "  "))


def print_example() -> None:
    """Tune a model on images of digits, and print how well it and its default find the
    eights.
    """
    # Searches and data, which no other call needs.
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
    print(
        wrapped(
            f"GridSearchCV(RidgeClassifier(), ..., scoring=get_scorer({score!r})) "
            f"chooses alpha={search.best_params_['alpha']} to find the eights among "
            "images of digits, of which it sees a tenth. On the others:"
        ),
        report(
            y_test,
            tuned,
            compare={"The default": untuned},
            k=_EXAMPLE_K,
            name="The tuned model",
        ),
        _without_reasons(compare_conventions(y_test, tuned, k=_EXAMPLE_K)),
        "Next, your own: sklearn-ap scores.csv --y-true COLUMN --y-score COLUMN -k 20",
        sep="\n\n",
    )
