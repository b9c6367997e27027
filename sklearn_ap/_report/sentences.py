"""The statements of an answer, sentences and tables, each made once: text, page and
JSON show these.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from math import floor, isfinite, isnan, log10
from typing import Any

from .._decisions.budgets import budget_in_words, prevalence_in_words, weighted_words
from .._decisions.operating_points import threshold_text
from .._shown.numbers import (
    MAX_DECIMALS,
    SIGNIFICANCE_LEVEL,
    format_pvalue,
    interval_texts,
    part_of,
)
from .._shown.sources import printable
from .._uncertainty.comparisons import NONE_IN_BOTH, ROW_NUMBERS, SAME_LABELS
from .._uncertainty.results import with_interval
from .fields import (
    ROW,
    Against,
    Comparison,
    Counts,
    Difference,
    FirstAnswer,
    Hits,
    Score,
    Statement,
)

MAX_LINES = 99  # of a table of classes, days or others, which have a section each
_WIDTH = 79  # of lines
_INTERVAL = ", 95 % interval "  # between a number and the ends
# Why two files are taken as independent
_INDEPENDENT = {
    NONE_IN_BOTH: ": no {} is in both",
    ROW_NUMBERS: ": {} counts the rows, so it was not taken for an id",
    SAME_LABELS: ", but have the same labels in the same order: if these are the same "
    "rows, pass unit_id, a column of their ids, which pairs them",
}
_TOO_FEW = "no threshold retrieves so few, since more rows share the highest score."


def statements_of(answer: FirstAnswer) -> list[Statement]:
    """Return the statements of an answer in order, each a line or two long, or a table.

    The name of the answer stands above them.
    """
    in_words = answer._words
    return [
        Statement(
            place,
            printable(in_words(text)),
            [list(map(printable, row)) for row in table],
        )
        for place, text, *tables in (*_sentences_of(answer), *_tables_of(answer))
        for table in tables or [[]]
    ]


def _sentences_of(answer: FirstAnswer) -> Iterator[tuple[str, str]]:
    """Yield the place and the text of each sentence about the rows and the scores."""
    counts = answer.counts
    score = answer.score
    if score is None:
        yield "headline", f"{counts.no_positives}; average precision is undefined."
    else:
        yield "headline", f"{count_sentence(counts)}.{_rows_clause(counts)}"
        yield "headline", _score_sentence(answer, score)
    if answer.against:
        yield "comparison", _against_sentence(answer, answer.against)
    if answer.no_difference:
        yield "comparison", f"No difference from earlier rows: {answer.no_difference}."
    yield from (("note", text) for text in answer._seen)
    if score and counts.queries_without_positives:
        yield "note", _without_positives_sentence(counts, score)
    if answer.cut:
        yield "budget", _budget_sentence(answer.cut, counts)
    others = answer.comparisons
    for other in others:
        yield from _comparison_sentences(answer, other)
    if len(others) > 1:
        yield "comparison", _differences_words(answer, others)


def _tables_of(answer: FirstAnswer) -> Iterator[tuple[Any, ...]]:
    """Yield the place and the text of the others: thresholds, the table of classes, and
    verdicts.
    """
    for chosen in answer.thresholds:
        [(option, level)] = chosen.condition.items()
        sentence, *lines = str(chosen.threshold or _TOO_FEW).split("\n")
        asked = f"{option.replace('_', '-')}={level}"
        yield "threshold", f"{asked}: {sentence}"
        if lines:  # of a threshold that was fixed
            cells = [re.split(f"  +|{_INTERVAL}", line.strip()) for line in lines]
            rows = [[*row, "-"][:3] for row in cells]
            yield "threshold", asked, [["number", "value", "95 % interval"], *rows]
    parts = answer.classes
    if 0 < len(parts) <= MAX_LINES:
        title = capitalized(plural(answer.counts.query_name))
        yield "note", title, _parts_table(answer)
        differences = [other for part in parts for other in part.comparisons]
        if any(not isnan(other.pvalue) for other in differences):
            yield "comparison", _differences_words(answer, differences)
    if any(part.cut and _is_mean(part.cut) for part in parts):
        yield "note", "Fractions found are means over the orders of tied rows."
    for check in answer.checks:
        verdict = f"No answer: {check.option}"
        if check.failed is not None:
            verdict = "Fails" if check.failed else "Passes"
        yield "gate", f"{verdict}: {check.why}."


def _rows_clause(counts: Counts) -> str:
    """Return which label is positive, if that is not plain, and that queries of a
    single row say little.
    """
    clause = ""
    if counts.pos_label is not None:
        clause = f" The positive label is {counts.pos_label!r}"
        if counts.other_labels:
            others = query_words("row", counts.rows - counts.positives)
            listed = ", ".join(counts.other_labels)
            clause += f"; {others} have others, such as {listed}"
        clause += "."
    # Then at least half of them have a single row.
    n_missing = counts.queries_without_rows
    if counts.queries and counts.rows < 1.5 * (counts.queries - n_missing):
        clause += (
            f" Most of the {query_words(counts.query_name, counts.queries)} have a "
            "single row, so a mean over them says little: name a column that rows "
            "share, such as the day (query_id=day)."
        )
    return clause


def _score_sentence(answer: FirstAnswer, score: Score) -> str:
    """Return the score with its interval, what was drawn for the interval of a mean
    over queries, and the level of chance.
    """
    counts = answer.counts
    clause = score_clause(score)
    noun = counts.unit_name if counts.has_units else counts.query_name
    if (counts.queries or counts.has_units) and not isnan(score.low):
        fixed = ""
        if score.n_fixed_queries:
            fixed = query_words(counts.query_name, score.n_fixed_queries, "fixed ")
            fixed += ", "
        clause += f" ({fixed}{query_words(noun, score.n_units or 0)} drawn)"
    if not isnan(answer.chance):
        clause += f"; chance is {short_share(answer.chance)}"
    return f"{score_title(answer)} is {clause}."


def score_title(answer: FirstAnswer) -> str:
    """Return the name of the score."""
    counts = answer.counts
    # Trades of search say MAP, and the others AP.
    title = "Average precision"
    over = ""
    if counts.queries:
        title = "Mean average precision"
        over = f" over the {plural(counts.query_name)}"
    title += f" ({counts.title})"
    if len(answer.comparisons) > 1:
        title += f" of {answer.model}"
    weighted = f" {weighted_words(counts.weight_name)}" if counts.weight else ""
    return title + weighted + over + prevalence_words(answer.prevalence)


def prevalence_words(prevalence: float | None) -> str:
    """Return the share of positives that numbers are about, if these rows have
    another.
    """
    return "" if prevalence is None else f" {prevalence_in_words(prevalence)}"


def score_clause(score: Score) -> str:
    """Return a score or a share, and its interval if there is one."""
    if isnan(score.low):
        return short_share(score.value)
    return with_interval(score.value, score.low, score.high)


def _without_positives_sentence(counts: Counts, score: Score) -> str:
    """Return how many queries have no positive, which, what they count as in the mean,
    and the mean by the other rule.
    """
    n_queries = counts.queries or 0
    n_without = counts.queries_without_positives
    n_others = n_queries - n_without
    names = [*counts.first_without_positives, "..."][:n_without]
    if isnan(counts.zero_division):
        with_zeros = short_share(score.value * n_others / n_queries)
        treated = f"left out; if they count as 0, {counts.title} is {with_zeros}"
    else:
        excess = (score.value - counts.zero_division) * n_without / n_others
        of_others = short_share(score.value + excess)
        treated = (
            f"counted as {counts.zero_division:g}; "
            f"{counts.title} of the others is {of_others}"
        )
    queries = query_words(counts.query_name, n_queries)
    listed = ", ".join(names)
    return f"Without a positive: {n_without:,} of {queries} ({listed}), {treated}."


def query_words(query_name: str, n_queries: int, kind: str = "") -> str:
    """Return a number of queries in words, such as 3 queries or 1 day."""
    return f"{n_queries:,} {kind}{query_name if n_queries == 1 else plural(query_name)}"


def capitalized(text: str) -> str:
    """Return text with a capital first letter."""
    return text[:1].upper() + text[1:]


def plural(noun: str) -> str:
    """Return the plural of the name of a column."""
    if len(noun) < 3:  # such as g, whose plural nobody could read
        return f"values of {noun}"
    if re.search("[^s]s$", noun):  # a column of days is one already
        return noun
    noun = re.sub("([^aeiou])y$", r"\1ie", noun)
    return f"{noun}{'e' * noun.endswith(('ss', 'x', 'ch', 'sh'))}s"


def count_sentence(counts: Counts) -> str:
    """Return how many rows there are, and how many positives or classes they have."""
    n_rows = counts.rows
    queries = ""
    if counts.queries:
        # Only a mapping of totals names queries that have none.
        n_missing = counts.queries_without_rows
        some = f"{counts.queries - n_missing:,} of " * bool(n_missing)
        queries = f" in {some}{query_words(counts.query_name, counts.queries)}"
    share = f"{100 * counts.positives / n_rows:.3g} %"
    positives = f"{counts.positives:,} positive ({share})"
    sizes = f"{query_words('row', n_rows)}{queries}, {positives}"
    if not counts.weight and counts.total > counts.positives:
        sizes += f" of {part_of(counts.total)} in all"
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
    if counts.n_classes:
        sizes = f"{n_rows // counts.n_classes:,} rows, {counts.n_classes} classes"
    if counts.rows_left_out:
        left_out = query_words("row", counts.rows_left_out)
        sizes += f"; not counting {left_out} whose {counts.weight_name} is 0"
    if counts.rows_dropped:
        sizes += f"; not counting {dropped_words(counts)}"
    return sizes


def dropped_words(counts: Counts | Against) -> str:
    """Return how many rows were dropped, and how many lack a value of each column."""
    by_column = [f"{name}: {n:,}" for name, n in counts.missing_values.items()]
    rows = query_words("row", counts.rows_dropped)
    return f"{rows} without a value ({', '.join(by_column)})"


def _hits_clause(cut: Hits, counts: Counts, least: str = "") -> str:
    """Return the number of positives among the first k rows, with the `least` score of
    these.
    """
    if cut.totals:
        hits = str(cut.totals).removesuffix(".")
    else:
        # Missed positives have a weight, and their number is not known.
        total = counts.positives if counts.weight else counts.total
        rows = "row" if cut.rows == 1 else query_words("row", cut.rows)
        verb = "is" if cut.positives == 1 else "are"
        found = part_of(cut.positives, total)
        hits = f"{found} positives {verb} in the first {rows}{least}"
        if counts.amount:
            in_all = counts.amount.positives
            hits += counts.basis.amount_clause(cut.amount_found, in_all)
    return hits + ", on average over the orders of tied rows" * _is_mean(cut)


def _is_mean(cut: Hits) -> bool:
    """Return whether tied rows share the last places; sums of shares are rounded."""
    return abs(cut.positives - round(cut.positives)) > 1e-6


def _budget_sentence(cut: Hits, counts: Counts) -> str:
    """Return the number of positives among the first k rows, the threshold that
    retrieves these rows, and the share of all positives that is found.
    """
    point = cut.threshold
    least = ""
    end = "."
    # Tied scores at the cut have no threshold that retrieves exactly k rows.
    if point and point.n_retrieved == cut.rows:
        sign = "<=" if counts.lower_is_better else ">="
        least = f" (score {sign} {threshold_text(point)})"
    elif not cut.totals:
        end = f"; {point or _TOO_FEW}"
    hits = _hits_clause(cut, counts, least)
    share = score_clause(cut.share)
    return f"{hits}{end} Share of the {counts.whole[1]}: {share}."


def _comparison_sentences(
    answer: FirstAnswer, other: Comparison
) -> Iterator[tuple[str, str]]:
    """Yield the sentences about another model: its score, what it finds, and how it
    differs from the first.
    """
    counts = answer.counts
    title = counts.title
    hits = f": {_hits_clause(other.cut, counts)}" if other.cut else ""
    at = prevalence_words(answer.prevalence)
    score = f"{short_share(other.score)}{at and ','}{at}"
    yield "comparison", f"{other.name} has {title} {score}{hits}."
    if other.found:
        difference = difference_clause(other.found)
        yield "comparison", f"Its share of the {counts.whole[1]} {difference}."
    yield "comparison", f"Its {title}{at} {_gated_clause(answer, other)}."


def _differences_words(answer: FirstAnswer, others: Sequence[Comparison]) -> str:
    """Return what the differences are, and for how many tests their numbers allow."""
    tests = [other._test for other in others if other._test]
    n_tested = sum(test.standard_error > 0 and test.pvalue <= 1 for test in tests)
    number = "1 test needs no adjustment"
    if n_tested != 1:
        number = (
            f"their intervals and p-values allow for {query_words('test', n_tested)}"
        )
        number += " by Bonferroni"
    at = prevalence_words(answer.prevalence)
    return f"Differences are those from {answer.model}{at}; {number}."


def _parts_table(of_all: FirstAnswer) -> list[list[str]]:
    """Return the titles of a table of classes or queries, and a row of each: what it
    has, what the first rows find of it, and the score of each model. Columns of dashes
    are left out.
    """
    counts = of_all.counts
    budget = ""
    amount = f"{counts.amount_name} of them"
    if of_all.cut:
        budget = budget_in_words(of_all.cut.k)
        amount = f"{counts.amount_name} found"
    titles = [counts.query_name, "rows", "positives", f"found in {budget}", amount]
    titles += ["AP", "95 % interval", plural(counts.unit_name)]
    for other in of_all.comparisons:
        titles += [f"AP of {other.name}", "difference", "p"]
    rows = map(_cells_of, of_all.classes)
    columns = zip_longest(titles, *rows, fillvalue="-")
    kept = [cells for cells in columns if {*cells[1:]} != {"-"}]
    return [*map(list, zip(*kept, strict=True))]


def _cells_of(part: FirstAnswer) -> list[str]:
    """Return the name of a class or a query, its rows and its positives, in number and
    in amount: all, and those that the first rows find; and the score of each model.
    """
    counts = part.counts
    positives = counts.positives, counts.all_positives
    amounts = [counts.amount.positives] if counts.amount else []
    found = value = interval = units = "-"
    if part.cut:
        found = part_of(part.cut.positives)
        if part.cut.amount_found is not None:
            amounts.insert(0, part.cut.amount_found)
    if part.score:
        value, _, ends = score_clause(part.score).partition(_INTERVAL)
        interval = ends or "-"
        # A unit per row needs no column.
        if counts.unit_name != ROW and part.score.n_units is not None:
            units = f"{part.score.n_units:,}"
    in_all = part_of(*(number for number in positives if number is not None))
    cells = [part.name, f"{counts.rows:,}", in_all, found, part_of(*amounts) or "-"]
    cells += [value, interval, units]
    for other in part.comparisons:
        cells += [short_share(other.score), *_difference_cells(other)]
    return cells


def _difference_cells(other: Comparison) -> tuple[str, str]:
    """Return a difference and its p-value."""
    pvalue = "-" if isnan(other.pvalue) else format_pvalue(other.pvalue)
    row = other.difference, other.low, other.high
    value, *_ = interval_texts(*row, is_difference=True)
    if isnan(other.low):
        n_digits = len(short_share(other.score).partition(".")[2])
        value = f"{other.difference:z.{n_digits}f}"
    return value, pvalue.removeprefix("= ")


def _against_sentence(answer: FirstAnswer, against: Against) -> str:
    """Return how the score differs from that of an earlier file, at one share of
    positives, or each at its own.
    """
    counts = answer.counts
    basis = f", {weighted_words(counts.weight_name)}" if counts.weight else ""
    per = f" in each {counts.query_name}" if counts.queries else ""
    before = against.prevalence
    which = "that share"
    if isnan(before):
        before = against.earlier_share
        which = "the share of each file"
    dropped = ""
    if against.rows_dropped:
        dropped = f" It has {dropped_words(against)}, not counted."
    return (
        f"Against {against.name}, which has {short_share(against.score)} at "
        f"{100 * before:.3g} % positive (here {100 * against.share:.3g} % "
        f"positive{basis}), {counts.title} at {which}{per} "
        f"{_gated_clause(answer, against)}.{dropped} {_pairing_sentence(against, counts)}"
    )


def _pairing_sentence(against: Against, counts: Counts) -> str:
    """Return how many units are in both files, or why these are independent."""
    noun = counts.unit_name if counts.has_units else counts.query_name
    if against.units_in_both:
        units = query_words(noun, against.units or 0)
        return f"Paired: {against.units_in_both:,} of {units} are in both."
    why = _INDEPENDENT.get(against._test._matching, "") if against._test else ""
    return f"Both are taken as independent{why.format(noun)}."


def _gated_clause(answer: FirstAnswer, numbers: Difference) -> str:
    """Return a difference in words; where a gate fails by it, the sentence of the gate
    has the interval and the p-value, which are those of a one-sided test.
    """
    failed = {check._other for check in answer.checks if check.failed}
    if numbers.name in failed:
        by, difference, *_ = _signed(numbers)
        return f"{by} {difference:.4g}"
    return difference_clause(numbers)


def _signed(numbers: Difference) -> tuple[str, float, float, float]:
    """Return which way a difference goes, and its size with its ends."""
    low, high = numbers.low, numbers.high
    if numbers.difference < 0:
        return "is lower by", -numbers.difference, -high, -low
    return "is higher by", numbers.difference, low, high


def difference_clause(numbers: Difference) -> str:
    """Return a difference in words, with its interval, its p-value, and whether it is
    significant.
    """
    if numbers.difference == 0:
        return "is the same"
    by, difference, low, high = _signed(numbers)
    pvalue = numbers.pvalue
    if not isfinite(low + pvalue):
        return f"{by} {difference:.4g}; the uncertainty is undefined for these rows"
    interval = with_interval(difference, low, high, pvalue=pvalue)
    verdict = "statistically" if pvalue <= SIGNIFICANCE_LEVEL else "not"
    return f"{by} {interval}, {verdict} significant"


def text_of(answer: FirstAnswer, statements: Sequence[Statement]) -> str:
    """Return an answer in lines of 79 columns, the name before its statements."""
    first, *others = statements
    named = wrapped(f"{printable(answer.name)}: {first.text}")
    return "\n".join([named, *map(_lines_of, others)])


def _lines_of(statement: Statement) -> str:
    """Return a sentence in lines, or a table whose columns have the width of their
    widest cell; those beyond 79 characters stand below, beside the names again.
    """
    if not statement.table:
        return wrapped(statement.text)
    names, *columns = [
        [cell.rjust(max(map(len, column))) for cell in column]
        for column in zip(*statement.table, strict=True)
    ]
    names = [name.strip().ljust(len(name)) for name in names]
    tables = [names]
    for column in columns:
        width = len(tables[-1][0]) + 2 + len(column[0])
        if width > _WIDTH and tables[-1] is not names:
            tables.append(names)
        pairs = zip(tables[-1], column, strict=True)
        tables[-1] = ["  ".join(cells) for cells in pairs]
    return "\n".join(line.rstrip() for table in tables for line in table)


def wrapped(text: str, indent: str = "") -> str:
    """Return text in lines of 79 columns; a path and a table may be longer."""
    return textwrap.fill(
        text,
        _WIDTH,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def short_share(value: float) -> str:
    """Return a share with two digits of its distance from 0 or from 1, whichever is
    nearer.
    """
    if 0 < value < 10.0**-MAX_DECIMALS:  # such as the chance of 1 in 20 million
        return f"{value:.2g}"
    nearest = min(abs(value), abs(1 - value))
    decimals = 2
    if nearest > 10.0**-MAX_DECIMALS:
        decimals = max(2, min(MAX_DECIMALS, 1 - floor(log10(nearest))))
    return f"{value:.{decimals}f}"
