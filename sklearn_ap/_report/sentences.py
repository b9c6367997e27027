"""The statements of an answer: its sentences and tables. The printed text, the page and
the JSON all show these statements.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from math import inf, isfinite, isnan

from .._decisions.operating_points import (
    sentence_of,
    texts_of_numbers,
    threshold_text,
)
from .._decisions.wording import budget_in_words, prevalence_in_words, weighted_words
from .._shown.numbers import (
    SIGNIFICANCE_LEVEL,
    count_text,
    count_words,
    format_pvalue,
    interval_texts,
    listed,
    part_of,
    plural,
    short_share,
)
from .._shown.sources import printable
from .._shown.text_tables import (
    TextRow,
    count_cell,
    lines_of_table,
    number_cell,
    shorten_names,
    text_table,
)
from .._uncertainty.comparisons import (
    NONE_IN_BOTH,
    ORDERED_IDS,
    ROW_NUMBERS,
    SAME_LABELS,
)
from .._uncertainty.results import with_interval
from .._uncertainty.shared_units import RESPELLED
from .fields import (
    ROW,
    Against,
    Comparison,
    Counts,
    Difference,
    FirstAnswer,
    Hits,
    ShownScore,
    Statement,
)

# A table lists all classes or queries if there are at most this number, such as the
# days of a month.
MAX_LINES = 31
# With more than `MAX_LINES`, only this number of the worst (`_quality`) is listed.
N_WORST = 10
# A sentence names at most this number of models.
MAX_NAMED = 5
# Spaces at which no line may break, in text and HTML: those before and after a sign
# such as %, = and <.
_at_sign = re.compile(
    r"(?<=\d) (?=%)|(?<=\bp) (?=[=<&])|(?<=[=<]) (?=\d)|(?<=&lt;) (?=\d)"
)
# Characters per line.
LINE_WIDTH = 79
# Words that are longer than a line, except paths.
_longer_than_a_line = re.compile(rf"[^\s/\\]{{{LINE_WIDTH + 1},}}")
# The reasons why two files are taken as independent, in words. The keys are values of
# `Against._matching`.
_REASONS_OF_INDEPENDENCE = {
    NONE_IN_BOTH: ": no {unit} is in both",
    ROW_NUMBERS: ": {unit} counts the rows, so it was not taken for an id",
    ORDERED_IDS: ": neighbours in the order of {unit} are alike, as in sorted rows that "
    "were numbered, so it was not taken for an id; if both files have the same rows, "
    "write both scores into one file, and use --compare",
    SAME_LABELS: ", but have the same labels in the same order: if these are the same "
    "rows, pass unit_id, a column of their ids, which pairs them",
}
_INTERVAL_TITLE = "95 % interval"
_VERDICTS = {True: "Fails", False: "Passes", None: "No answer"}
_TOO_FEW = "no threshold retrieves so few, since more rows share the highest score."


def statements_of(answer: FirstAnswer) -> list[Statement]:
    """Return the statements of an answer in the order in which they are shown.

    A statement is a sentence or two, or a table. The name of the answer is shown above
    the statements.
    """
    return [
        replace(
            statement,
            text=printable(statement.text),
            table=[list(map(printable, line)) for line in statement.table],
        )
        for statement in (
            *_sentences_of(answer),
            *_table_of_budgets(answer),
            *_table_of_models(answer),
            *_statements_about_thresholds(answer),
            *_statements_about_parts(answer),
            *_note_on_fractions(answer),
        )
    ]


def _sentences_of(answer: FirstAnswer) -> Iterator[Statement]:
    """Yield the statements without a table: the verdicts of gates, then sentences about
    the rows and the scores.
    """
    counts = answer.counts
    score = answer.score
    for check in answer.checks:
        yield Statement("gate", f"{_VERDICTS[check.failed]}: {check.why}.")
    if score is None:
        yield Statement("headline", _undefined_sentence(answer))
    else:
        text = f"{count_sentence(counts)}."
        text += _label_sentence(counts) + _single_rows_sentence(answer)
        yield Statement("headline", text)
        yield Statement("headline", _score_sentence(answer, score))
    if answer.against:
        yield Statement("comparison", _against_sentence(answer, answer.against))
    if answer.no_difference:
        text = f"No difference from earlier rows: {answer.no_difference}."
        yield Statement("comparison", text)
    for text in answer._seen:
        yield Statement("note", answer._words(text))
    if score and counts.queries_without_positives:
        yield Statement("note", _without_positives_sentence(counts, score))
    if answer.cut:
        text = _budget_sentence(answer.cut, counts)
        if answer.prevalence is not None:
            text += " Budgets are those of these rows, at their own prevalence."
        yield Statement("budget", text)
    if answer.pooled:
        basis = f"{_weights_clause(counts)}{prevalence_words(answer.prevalence)}"
        pooled = score_clause(answer.pooled)
        yield Statement("note", f"As one ranking{basis}, all rows have AP {pooled}.")
    yield from _statements_about_models(answer)


def _statements_about_models(answer: FirstAnswer) -> Iterator[Statement]:
    """Yield the verdict and the sentences about the differences between models."""
    for text in _verdict_of_models(answer):
        yield Statement("verdict", text)
    for text in _comparison_sentences(answer):
        yield Statement("comparison", text)


def _verdict_of_models(answer: FirstAnswer) -> Iterator[str]:
    """Yield the verdict of the differences between models, if there is one."""
    title, model = answer.counts.title, answer.model
    others = [other for other in answer.comparisons if _has_verdict(answer, other)]
    if len(answer.comparisons) > 1 and others:
        yield f"Compared with {model}: {_sides_clause(others)}."
    elif others:
        [other] = others
        text = f"No evidence of a difference between {other.name} and {model}."
        if side := _side_of(other):
            text = f"{other.name} is {side}: {title} by {_size_text(other)}."
        yield text


def _has_verdict(answer: FirstAnswer, numbers: Difference) -> bool:
    """Return whether a difference has a verdict of its own: it has a p-value, and no
    gate tests it, which would have the verdict.
    """
    gated = {check._other for check in answer.checks}
    return numbers.name not in gated and not isnan(numbers.pvalue)


def _side_of(numbers: Difference) -> str:
    """Return "lower" or "higher" for a significant difference; else empty."""
    if numbers.pvalue > SIGNIFICANCE_LEVEL:
        return ""
    return "lower" if numbers.difference < 0 else "higher"


def _sides_clause(others: Sequence[Difference]) -> str:
    """Return a clause with the names of the models that are lower, of those that are
    higher, and of the others.
    """
    names: dict[str, list[str]] = {"lower": [], "higher": [], "": []}
    for other in others:
        names[_side_of(other)].append(other.name)
    return "; ".join(
        f"{listed(of_side, MAX_NAMED)} {side or 'without evidence of a difference'}"
        for side, of_side in names.items()
        if of_side
    )


def _undefined_sentence(answer: FirstAnswer) -> str:
    """Return the sentence about rows without positives."""
    text = "average precision is undefined."
    # A gate without an answer has given the reason already.
    if all(check.failed is not None for check in answer.checks):
        text = f"{answer.counts.no_positives}; {text}"
    return capitalized(text)


def _weights_clause(counts: Counts) -> str:
    """Return a clause such as " weighted by exposure"; empty without weights."""
    return f" {weighted_words(counts.weight_name)}" if counts.weight else ""


def _comparison_sentences(answer: FirstAnswer) -> Iterator[str]:
    """Yield the sentences about the difference between two models; with more than two
    models, one sentence that explains the differences in the table of models.
    """
    others = answer.comparisons
    if len(others) > 1:
        yield _differences_words(answer, others)
        return
    for other in others:
        score = f"{answer.counts.title} {short_share(other.score)}"
        score += prevalence_words(answer.prevalence)
        yield f"{other.name} has {score}, which {_gated_clause(answer, other)}."
        if other.found:
            whole = answer.counts.whole.words
            of_first = _clause_of_first_budget(answer)
            clause = difference_clause(other.found)
            yield f"Its share of the {whole}{of_first} {clause}."


def _table_of_models(answer: FirstAnswer) -> Iterator[Statement]:
    """Yield the table of the models, if there is more than one model."""
    if answer.score and answer.comparisons:
        rows = [*_row_of_each_model(answer, answer.score)]
        yield Statement("comparison", "Models", text_table("model", rows))


def _table_of_budgets(answer: FirstAnswer) -> Iterator[Statement]:
    """Yield the table of the budgets, if there are several."""
    if len(answer.cuts) > 1:
        rows = [_row_of_budget(hits, answer.counts) for hits in answer.cuts]
        title = f"Budgets{model_clause(answer)}{answer.counts.basis.clause}"
        yield Statement("budget", title, text_table("budget", rows))


def _row_of_budget(hits: Hits, counts: Counts) -> TextRow:
    """Return the row of a budget: the positives that it finds, their share, the lift,
    and the worst score within the budget, if a threshold retrieves exactly its rows.
    """
    row: TextRow = {"": _budget_words(hits, counts), "rows": count_cell(hits.rows)}
    row["found"] = count_cell(hits.positives)
    row |= _texts_of_score("share found", hits.share)
    if isfinite(hits.lift):
        row["lift"] = f"{hits.lift:.2g}"
    if hits.threshold:
        is_exact = _has_exact_threshold(hits)
        worst = "highest score" if counts.lower_is_better else "lowest score"
        row[worst] = threshold_text(hits.threshold) if is_exact else "tied"
    return row


def model_clause(answer: FirstAnswer) -> str:
    """Return " of" and the name of the first model; empty if there is only one."""
    return f" of {answer.model}" if answer.comparisons else ""


def _statements_about_thresholds(answer: FirstAnswer) -> Iterator[Statement]:
    """Yield a sentence about the threshold of each condition; for a threshold that was
    fixed beforehand, also the table of its numbers.
    """
    for chosen in answer.thresholds:
        [(option, level)] = chosen.condition.items()
        asked = f"{option.replace('_', '-')}={level}"
        point = chosen.threshold
        sentence = answer._words(chosen.no_threshold) or _TOO_FEW
        if point is not None:
            sentence = sentence_of(point)
        yield Statement("threshold", f"{asked}: {sentence}")
        # Only the numbers of a threshold that was fixed beforehand have intervals.
        if point is not None and option == "threshold":
            pairs = zip(texts_of_numbers(point), point.table().values(), strict=True)
            rows = [
                TextRow({"": name}) | _texts_of_interval("value", *interval)
                for name, interval in pairs
            ]
            title = f"{asked}{answer.basis.clause}"
            yield Statement("threshold", title, text_table("number", rows))


def _statements_about_parts(answer: FirstAnswer) -> Iterator[Statement]:
    """Yield the table of the classes or queries, and notes that explain it."""
    query_name = answer.counts.query_name
    noun = plural(query_name)
    parts = shown_parts(answer)
    n_others = len(answer.classes) - len(parts)
    if n_others:
        yield Statement("note", _worst_parts_note(answer, n_others))
    if answer.n_classes_left_out:
        queries = count_words(query_name, answer.n_classes_left_out)
        has = answer._words("score_by_query has")
        text = f"None of {queries} is listed; {has} the AP of each."
        yield Statement("note", text)
    differences = [other for part in answer.classes for other in part.comparisons]
    if any(not isnan(other.pvalue) for other in differences):
        text = _differences_words(answer, differences, f" of the {noun}")
        yield Statement("comparison", text)
    if parts:
        title = f"The {N_WORST} worst {noun}" if n_others else capitalized(noun)
        rows = [_row_of_part(part) for part in parts]
        yield Statement("note", title, text_table(query_name, rows))


def _note_on_fractions(answer: FirstAnswer) -> Iterator[Statement]:
    """Yield a note if a table has a fraction of a positive that a budget finds."""
    of_parts = [part.cuts for part in shown_parts(answer)]
    of_models = [other.cuts for other in answer.comparisons]
    if any(map(_is_mean, chain(answer.cuts[1:], *of_parts, *of_models))):
        text = "Fractions found are means over the orders of tied rows."
        yield Statement("note", text)


def _worst_parts_note(answer: FirstAnswer, n_others: int) -> str:
    """Return the note that only the worst classes or queries are listed."""
    noun = plural(answer.counts.query_name)
    by = ""
    if answer.comparisons:
        by = f" by their lead over {answer.comparisons[0].name}"
    return (
        f"The {N_WORST} worst of {len(answer.classes):,} {noun}{by} are listed; "
        f"{answer._words('report.answer has')} the other {n_others:,}, too."
    )


def shown_parts(answer: FirstAnswer) -> list[FirstAnswer]:
    """Return the classes or queries that have a row in the table and a section: all of
    them, or the `N_WORST` worst if there are more than `MAX_LINES`.
    """
    parts = answer.classes
    if len(parts) <= MAX_LINES:
        return parts
    return sorted(parts, key=_quality)[:N_WORST]


def _quality(part: FirstAnswer) -> float:
    """Return the lead of the first model over the second model in a class or query;
    without a second model, the score of the first model.
    """
    # The difference is the score of the second model minus that of the first.
    if part.comparisons:
        return -part.comparisons[0].difference
    return part.score.value if part.score else inf


def _label_sentence(counts: Counts) -> str:
    """Return a sentence about the positive label; empty if it is obvious."""
    if counts.pos_label is None:
        return ""
    others = ""
    if counts.other_labels:
        rows = count_words("row", counts.rows - counts.positives)
        listed = ", ".join(counts.other_labels)
        others = f"; {rows} have other labels, such as {listed}"
    return f" The positive label is {counts.pos_label!r}{others}."


def _single_rows_sentence(answer: FirstAnswer) -> str:
    """Return a sentence about queries that mostly have a single row; empty if they do
    not.
    """
    counts = answer.counts
    n_with_rows = (counts.queries or 0) - counts.queries_without_rows
    # With fewer than 1.5 rows per query, more than half of the queries have a single
    # row.
    if counts.rows >= 1.5 * n_with_rows:
        return ""
    return (
        f" Most of the {count_words(counts.query_name, n_with_rows)} have a single row, "
        "which has no other row to rank above, so their mean is of little use: name a "
        "column with several rows per value, such as the day "
        f"({answer._words('query_id=day')})."
    )


def _score_sentence(answer: FirstAnswer, score: ShownScore) -> str:
    """Return the sentence about the score, its interval, and the chance level. If the
    interval draws units other than rows, another sentence names what was drawn.
    """
    clause = score_clause(score)
    if not isnan(answer.chance):
        clause += f"; chance is {short_share(answer.chance)}"
    return f"{score_title(answer)} is {clause}.{_drawn_sentence(answer.counts, score)}"


def _drawn_sentence(counts: Counts, score: ShownScore) -> str:
    """Return the sentence about the units or queries that the interval draws, and in
    how many of the units the positives lie; empty if it draws rows.
    """
    if isnan(score.low) or not (counts.queries or counts.has_units):
        return ""
    noun = counts.unit_name if counts.has_units else counts.query_name
    text = f" Another sample would have other {plural(noun)} than these "
    text += f"{score.n_units or 0:,}"
    if score.n_fixed_queries:
        text += (
            f", and the same {count_words(counts.query_name, score.n_fixed_queries)}"
        )
    # Missed positives have no unit.
    if counts.units_with_positives is not None and counts.all_positives is None:
        text += (
            f"; all {counts.positives:,} positives lie in "
            f"{counts.units_with_positives:,} of them"
        )
    return f"{text}."


def score_title(answer: FirstAnswer) -> str:
    """Return the full name of the score, with its weights and prevalence."""
    counts = answer.counts
    # A mean over queries is called MAP, as in information retrieval.
    title = "Average precision"
    over = ""
    if counts.queries:
        title = "Mean average precision"
        over = f" over the {plural(counts.query_name)}"
    title += f" ({counts.title})"
    # The name of the answer, which is shown above, may be that of the model.
    if answer.comparisons and answer.model != answer.name:
        title += f" of {answer.model}"
    return title + _weights_clause(counts) + over + prevalence_words(answer.prevalence)


def prevalence_words(prevalence: float | None) -> str:
    """Return a clause such as " at a prevalence of 2 %"; empty for None, which means
    the prevalence of the rows.
    """
    return "" if prevalence is None else f" {prevalence_in_words(prevalence)}"


def score_clause(score: ShownScore) -> str:
    """Return a score or a share as text, with its interval if there is one."""
    if isnan(score.low):
        return short_share(score.value)
    return with_interval(score.value, score.low, score.high)


def _without_positives_sentence(counts: Counts, score: ShownScore) -> str:
    """Return the sentence about the queries without positives.

    The sentence has the number of these queries and the first few names. Then it tells
    whether the mean excludes these queries or includes them with a score, and shows the
    mean that the other rule would give.
    """
    n_queries = counts.queries or 0
    n_without = counts.queries_without_positives
    n_others = n_queries - n_without
    names = counts.first_without_positives
    listed = ", ".join(names) + (", ..." if n_without > len(names) else "")
    if isnan(counts.zero_division):
        with_zeros = short_share(score.value * n_others / n_queries)
        treated = (
            f"are excluded; if they scored 0, {counts.title} would be {with_zeros}"
        )
    else:
        # Queries without positives move the mean towards `zero_division`. Without these
        # queries, the mean is farther away from `zero_division`.
        distance = score.value - counts.zero_division
        of_others = short_share(score.value + distance * n_without / n_others)
        treated = (
            f"score {counts.zero_division:g}; "
            f"{counts.title} of the others is {of_others}"
        )
    queries = count_words(counts.query_name, n_queries)
    return f"No positive is in {n_without:,} of {queries} ({listed}), which {treated}."


def capitalized(text: str) -> str:
    """Return text with a capital first letter."""
    return text[:1].upper() + text[1:]


def count_sentence(counts: Counts) -> str:
    """Return a sentence, without its period, about the numbers of rows, of queries, and
    of positives or classes.
    """
    sizes = _sizes_clause(counts)
    if counts.rows_left_out:
        left_out = count_words("row", counts.rows_left_out)
        sizes += f"; not counting {left_out} whose {counts.weight_name} is 0"
    if counts.rows_dropped:
        sizes += f"; not counting {dropped_words(counts)}"
    if counts.positives_dropped:
        sizes += f", {counts.positives_dropped:,} of them positive"
    return sizes


def _sizes_clause(counts: Counts) -> str:
    """Return the numbers of rows, of queries, and of positives or classes in words."""
    n_rows = counts.rows
    if counts.n_classes:
        # The rows are counted once for each class.
        return f"{n_rows // counts.n_classes:,} rows, {counts.n_classes} classes"
    sizes = count_words("row", n_rows)
    if counts.queries:
        sizes += " in "
        # Queries without rows are known only from the totals that were passed.
        if counts.queries_without_rows:
            sizes += f"{counts.queries - counts.queries_without_rows:,} of "
        sizes += count_words(counts.query_name, counts.queries)
    share = f"{100 * counts.positives / n_rows:.3g} %"
    sizes += f", {counts.positives:,} positive ({share})"
    if not counts.weight and counts.total > counts.positives:
        sizes += f" of {count_text(counts.total)} in all"
    of_positives = [
        f"{100 * sums.positives / sums.all:.3g} % of the {name}"
        for sums, name in (
            (counts.weight, counts.weight_name),
            (counts.amount, counts.amount_name),
        )
        if sums is not None and sums.all
    ]
    if of_positives:
        sizes += f"; they are {' and '.join(of_positives)}"
    return sizes


def dropped_words(counts: Counts | Against) -> str:
    """Return a clause about the rows that were dropped, with the number of missing
    values of each column.
    """
    by_column = ", ".join(
        f"{column}: {n:,}" for column, n in counts.missing_values.items()
    )
    return f"{count_words('row', counts.rows_dropped)} without a value ({by_column})"


def _is_mean(hits: Hits) -> bool:
    """Return whether the positives found are a mean over the orders of tied rows."""
    # The number of positives found is a sum of shares, so rounding may move it slightly
    # away from a whole number.
    return abs(hits.positives - round(hits.positives)) > 1e-6


def _budget_sentence(hits: Hits, counts: Counts) -> str:
    """Return the sentences about the positives among the first k rows, the threshold
    that retrieves these rows, and the share of all positives that is found.
    """
    end = "."
    if hits.totals:
        clause = str(hits.totals).removesuffix(".")
    else:
        clause = _found_clause(hits, counts)
        # The clause names no threshold if none retrieves exactly k rows. Then describe
        # the best threshold that retrieves fewer rows.
        if not _has_exact_threshold(hits):
            end = f"; {hits.threshold or _TOO_FEW}"
    if _is_mean(hits):
        clause += ", on average over the orders of tied rows"
    share = score_clause(hits.share)
    if isfinite(hits.lift):
        share += f", {hits.lift:.2g} times what a random order finds"
    text = f"{clause}{end} Share of the {counts.whole.words}: {share}."
    if isfinite(hits.queries_with_hit):
        text += f" Share of the {plural(counts.query_name)} with positives in which at "
        text += f"least one is found: {short_share(hits.queries_with_hit)}."
    return text


def found_words(hits: Hits, counts: Counts) -> tuple[str, str]:
    """Return what a budget finds, such as "3 of 10" and "found in 20 rows"; with
    amounts, its share of the amount.
    """
    within = f"found in {_budget_words(hits, counts)}"
    if hits.amount_found is not None and counts.amount and counts.amount.positives:
        percent = 100 * hits.amount_found / counts.amount.positives
        return f"{percent:.3g} %", f"of the {counts.amount_name}, {within}"
    return part_of(hits.positives, _n_positives(counts)), within


def _budget_words(hits: Hits, counts: Counts) -> str:
    """Return the rows of a budget in words, such as "5 rows per day"."""
    per = f" per {counts.query_name}" if counts.queries else ""
    return budget_in_words(hits.k) + per


def _n_positives(counts: Counts) -> float:
    """Return the number of positives. With weights, the total is a weight, and the
    number of missed positives is unknown.
    """
    return counts.positives if counts.weight else counts.total


def _found_clause(hits: Hits, counts: Counts) -> str:
    """Return the clause about the positives among the first k rows of a single ranking,
    with the threshold that retrieves exactly these rows, if there is one.
    """
    rows = "row" if hits.rows == 1 else count_words("row", hits.rows)
    verb = "is" if hits.positives == 1 else "are"
    found = part_of(hits.positives, _n_positives(counts))
    clause = f"{found} positives {verb} in the first {rows}"
    if hits.threshold and _has_exact_threshold(hits):
        sign = "<=" if counts.lower_is_better else ">="
        clause += f" (score {sign} {threshold_text(hits.threshold)})"
    if counts.amount:
        in_all = counts.amount.positives
        clause += counts.basis.amount_clause(hits.amount_found, in_all)
    return clause


def _has_exact_threshold(hits: Hits) -> bool:
    """Return whether a threshold retrieves exactly the first k rows. If scores are tied
    at the cut, no threshold does.
    """
    return hits.threshold is not None and hits.threshold.n_retrieved == hits.rows


def _differences_words(
    answer: FirstAnswer, others: Sequence[Comparison], of: str = ""
) -> str:
    """Return a sentence that explains the differences in a table, and the adjustment of
    their intervals and p-values for the number of tests.
    """
    tests = [other._test for other in others if other._test]
    # Two equal models need no test. A test without a p-value is not counted either.
    n_tested = sum(test.standard_error > 0 and test.pvalue <= 1 for test in tests)
    adjustment = ""
    if n_tested > 1:
        adjustment = (
            f"; their intervals and p-values allow for {n_tested:,} tests by Bonferroni"
        )
    at = prevalence_words(answer.prevalence)
    return f"Differences{of} are those from {answer.model}{at}{adjustment}."


def _clause_of_first_budget(answer: FirstAnswer) -> str:
    """Return a clause that names the first of several budgets, such as " in 5 rows per
    day"; empty if there is only one.
    """
    if len(answer.cuts) < 2:
        return ""
    return f" in {_budget_words(answer.cuts[0], answer.counts)}"


def _texts_of_hits(cuts: Sequence[Hits], counts: Counts, whose: str = "") -> TextRow:
    """Return the texts of the positives that each budget finds, and of their amount.

    The keys are titles of columns, which begin with `whose`.
    """
    texts: TextRow = {}
    for hits in cuts:
        title = f"{whose}found in {_budget_words(hits, counts)}"
        texts[title] = count_cell(hits.positives)
        if hits.amount_found is not None:
            texts[f"{whose}{counts.amount_name} found"] = count_cell(hits.amount_found)
    return texts


def _texts_of_difference(numbers: Difference, whose: str = "") -> TextRow:
    """Return the texts of a difference, its interval, and its p-value, by the titles of
    their columns, which begin with `whose`.
    """
    texts = _texts_of_interval(
        f"{whose}difference",
        numbers.difference,
        numbers.low,
        numbers.high,
        interval_title=f"{whose or 'its '}{_INTERVAL_TITLE}",
        is_difference=True,
    )
    if not isnan(numbers.pvalue):
        pvalue = format_pvalue(numbers.pvalue).removeprefix("= ")
        # All p-values of a column have two decimals or more, 1.00 among them.
        texts[f"{whose}p"] = number_cell([numbers.pvalue], [pvalue], least=2)
    return texts


def _texts_of_score(title: str, score: ShownScore) -> TextRow:
    """Return the texts of a score and its interval, by the titles of their columns."""
    return _texts_of_interval(title, score.value, score.low, score.high)


def _texts_of_interval(
    title: str,
    value: float,
    low: float,
    high: float,
    *,
    interval_title: str = _INTERVAL_TITLE,
    is_difference: bool = False,
) -> TextRow:
    """Return the texts of a number and of its interval, if it has one, by the titles of
    their columns.
    """
    if isnan(low):
        text = "undefined" if isnan(value) else short_share(abs(value))
        return {title: number_cell([value], [text])}
    text, *endpoints = interval_texts(value, low, high, is_difference=is_difference)
    return {
        title: number_cell([value], [text]),
        interval_title: number_cell([low, high], endpoints),
    }


def _row_of_each_model(answer: FirstAnswer, score: ShownScore) -> Iterator[TextRow]:
    """Yield the row of each model: its score, the difference from the first model, and
    the positives that it finds.
    """
    counts = answer.counts
    # With two models only, sentences report the differences.
    has_differences = len(answer.comparisons) > 1
    first = TextRow({"": answer.model})
    first |= _texts_of_score(counts.title, score)
    if has_differences:
        first["difference"] = "reference"
    yield first | _texts_of_hits(answer.cuts, counts)
    # The other models follow in the order of their scores.
    for other in sorted(answer.comparisons, key=lambda other: -other.score):
        row = TextRow({"": other.name})
        row |= _texts_of_score(counts.title, other.estimate)
        if has_differences:
            row |= _texts_of_difference(other)
        row |= _texts_of_hits(other.cuts, counts)
        if has_differences and other.found:
            of_first = _clause_of_first_budget(answer)
            row |= _texts_of_difference(other.found, f"share{of_first}: ")
        yield row


def _row_of_part(part: FirstAnswer) -> TextRow:
    """Return the row of a class or a query: its rows, its positives and their amount,
    its score, and the positives that each model finds.
    """
    counts = part.counts
    row: TextRow = {"": part.name, "rows": f"{counts.rows:,}"}
    row["positives"] = count_cell(counts.positives)
    if counts.all_positives is not None:
        row["positives"] = count_cell(counts.positives, counts.all_positives)
    if counts.amount:
        row[f"{counts.amount_name} of them"] = count_cell(counts.amount.positives)
    if part.score:
        row |= _texts_of_score("AP", part.score)
        # If each row is a unit, the column of rows has this number already.
        if counts.unit_name != ROW and part.score.n_units is not None:
            row["units drawn"] = f"{part.score.n_units:,}"
    row |= _texts_of_hits(part.cuts, counts)
    for other in part.comparisons:
        whose = f"{other.name}: "
        row[f"{whose}AP"] = number_cell([other.score], [short_share(other.score)])
        row |= _texts_of_difference(other, whose)
        # The table omits the intervals of the differences, to be narrow. The sections
        # of the page have these intervals.
        row.pop(whose + _INTERVAL_TITLE, None)
        row |= _texts_of_hits(other.cuts, counts, whose)
    return row


def _against_sentence(answer: FirstAnswer, against: Against) -> str:
    """Return the sentences about the difference from an earlier file, with the
    prevalences of both files.
    """
    counts = answer.counts
    if isnan(against.prevalence):
        share_in_earlier = against.earlier_share
        at = "With each file's own share of positives"
    else:
        share_in_earlier = against.prevalence
        at = "At that share"
    if counts.queries:
        at += f" in each {counts.query_name}"
    dropped = ""
    if against.rows_dropped:
        dropped = f" It has {dropped_words(against)}, not counted."
    own = ""
    if against.own:
        own = (
            f"At the share of each file, it {_gated_clause(answer, against.own)}: this "
            "difference counts if a model made the rows, as a detector or a search does; "
            "the first one, if the share changed by itself. "
        )
    return (
        f"{against.name} has {counts.title} {short_share(against.score)} at "
        f"{100 * share_in_earlier:.3g} % positive (here {100 * against.share:.3g} % "
        f"positive{_weights_clause(counts)}).{dropped} {at}, {counts.title} here "
        f"{_gated_clause(answer, against)}. {own}{_pairing_sentence(against, answer)}"
    )


def _pairing_sentence(against: Against, answer: FirstAnswer) -> str:
    """Return the sentence about the number of units in both files, or the reason why
    the files are taken as independent.
    """
    counts = answer.counts
    noun = counts.unit_name if counts.has_units else counts.query_name
    if against.units_in_both:
        units = count_words(noun, against.units or 0)
        differently = ""
        if against._matching == RESPELLED:
            differently = " Their ids are spelled differently."
        return f"Paired: {against.units_in_both:,} of {units} are in both.{differently}"
    why = answer._words(_REASONS_OF_INDEPENDENCE.get(against._matching, ""))
    why = why.format(unit=noun)
    return f"Both files are taken as independent{why}."


def _gated_clause(answer: FirstAnswer, numbers: Difference) -> str:
    """Return a clause about a difference.

    If a gate fails because of this difference, the verdict of the gate has the interval
    and the p-value, so the clause omits them.
    """
    failed = {check._other for check in answer.checks if check.failed}
    if numbers.name in failed:
        return f"{_direction(numbers)} {_size_text(numbers)}"
    return difference_clause(numbers)


def _size_text(numbers: Difference) -> str:
    """Return the size of a difference, with as many digits as next to its interval."""
    low, high = numbers.low, numbers.high
    text, *_ = interval_texts(numbers.difference, low, high, is_difference=True)
    return text.removeprefix("-")


def _direction(numbers: Difference) -> str:
    """Return "is lower by" or "is higher by", to be followed by the size of a
    difference.
    """
    return "is lower by" if numbers.difference < 0 else "is higher by"


def difference_clause(numbers: Difference) -> str:
    """Return a clause about a difference: its direction, its size, its interval, its
    p-value, and whether it is statistically significant.
    """
    if numbers.difference == 0:
        return "is the same"
    by, size = _direction(numbers), abs(numbers.difference)
    low, high, pvalue = numbers.low, numbers.high, numbers.pvalue
    if numbers.difference < 0:
        # The words show the sign, so the endpoints are those of the size.
        low, high = -high, -low
    if not (isfinite(low) and isfinite(pvalue)):
        return f"{by} {size:.4g}; the uncertainty is undefined for these rows"
    interval = with_interval(size, low, high, pvalue=pvalue)
    verdict = "statistically" if pvalue <= SIGNIFICANCE_LEVEL else "not"
    return f"{by} {interval}, {verdict} significant"


def text_of(
    answer: FirstAnswer, statements: Sequence[Statement], width: int = LINE_WIDTH
) -> str:
    """Return an answer as text: sentences in lines of up to 79 characters, and tables
    in lines of up to `width` characters.

    The verdicts of gates are first. The first statement after the verdicts begins with
    the name of the answer.
    """
    known = dict[str, str]()
    texts = [_statement_text(statement, known, width) for statement in statements]
    first = len(answer.checks)
    texts[first] = wrapped(f"{printable(answer.name)}: {statements[first].text}")
    return "\n".join(texts)


def _statement_text(statement: Statement, known: dict[str, str], width: int) -> str:
    """Return a sentence in lines, or a table with aligned columns.

    A table of more than `width` characters is divided into several, one below the
    other, which repeat the names of the rows. `known` contains the short forms of long
    names. Each short form is explained once, below the first table that contains it.
    """
    if not statement.table:
        return wrapped(statement.text)
    table = [*map(list, zip(*statement.table, strict=True))]
    explained = [
        wrapped(f"{known[name]} is {name}.")
        for name in shorten_names(table[0], table[1:], known, width)
    ]
    return "\n".join([*lines_of_table(table, width), *explained])


def kept_together(text: str) -> str:
    """Return text in which a no-break space joins each number to its sign."""
    return _at_sign.sub("\xa0", text)


def wrapped(text: str, indent: str = "") -> str:
    """Return text in lines of up to 79 characters. A longer name is divided after an
    underscore; a longer path is not divided.
    """
    lines = textwrap.fill(
        _longer_than_a_line.sub(_in_two_parts, kept_together(text)),
        LINE_WIDTH,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return lines.replace("\xa0", " ")


def _in_two_parts(word: re.Match[str]) -> str:
    """Return a word with a space after its last underscore that fits into a line."""
    end = word[0].rfind("_", 0, LINE_WIDTH) + 1
    return f"{word[0][:end]} {word[0][end:]}"
