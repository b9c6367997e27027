"""The statements of an answer, sentences and tables, each made once: text, page and
JSON show these.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from math import floor, inf, isfinite, isnan, log10
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
from .._shown.text_tables import TextRow, count_cell, number_cell, text_table
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

MAX_LINES = 31  # of a table of classes, days or others: the days of a month
N_WORST = 10  # of more parts, those with a line and a section each
# A space between a number and its sign, where no line ends, in text or in HTML.
_at_sign = re.compile(
    r"(?<=\d) (?=%)|(?<=\bp) (?=[=<&])|(?<=[=<]) (?=\d)|(?<=&lt;) (?=\d)"
)
_WIDTH = 79  # of lines
# Reasons why two files are taken as independent.
_INDEPENDENT = {
    NONE_IN_BOTH: ": no {} is in both",
    ROW_NUMBERS: ": {} counts the rows, so it was not taken for an id",
    SAME_LABELS: ", but have the same labels in the same order: if these are the same "
    "rows, pass unit_id, a column of their ids, which pairs them",
}
_ENDS = "95 % interval"  # the title of a column
_VERDICTS = {True: "Fails", False: "Passes", None: "No answer"}
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
    """Yield the place and the text of each verdict, which stand first, and of sentences
    about the rows and the scores.
    """
    counts = answer.counts
    score = answer.score
    for check in answer.checks:
        yield "gate", f"{_VERDICTS[check.failed]}: {check.why}."
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
    if answer.pooled:
        yield "note", _pooled_sentence(answer, answer.pooled)
    yield from (("comparison", text) for text in _comparison_sentences(answer))


def _pooled_sentence(answer: FirstAnswer, pooled: Score) -> str:
    """Return the score of all rows as one ranking."""
    at, weighted = prevalence_words(answer.prevalence), _weighted(answer.counts)
    return f"As one ranking{at}, all rows have AP{weighted} {score_clause(pooled)}."


def _weighted(counts: Counts) -> str:
    """Return by what a score is weighted; empty without weights."""
    return f" {weighted_words(counts.weight_name)}" if counts.weight else ""


def _comparison_sentences(answer: FirstAnswer) -> Iterator[str]:
    """Yield how the only other model differs, or what the differences in the table of
    several models are.
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
            whole = answer.counts.whole[1]
            yield f"Its share of the {whole} {difference_clause(other.found)}."


def _tables_of(answer: FirstAnswer) -> Iterator[tuple[Any, ...]]:
    """Yield the place and the text of the others: models, thresholds, and classes."""
    if answer.score and answer.comparisons:
        models = _rows_of_models(answer, answer.score)
        yield "comparison", "Models", text_table("model", [*models])
    for chosen in answer.thresholds:
        [(option, level)] = chosen.condition.items()
        sentence, *lines = str(chosen.threshold or _TOO_FEW).split("\n")
        asked = f"{option.replace('_', '-')}={level}"
        yield "threshold", f"{asked}: {sentence}"
        if chosen.threshold and lines:  # of a threshold that was fixed
            numbers = chosen.threshold.table().values()
            names = [line.strip().partition("  ")[0] for line in lines]
            rows = [
                TextRow({"": name})
                | _cells_of(row, interval_texts(*row), "value", _ENDS)
                for name, row in zip(names, numbers, strict=True)
            ]
            yield "threshold", asked, text_table("number", rows)
    parts = shown_parts(answer)
    if answer.classes:
        noun = plural(answer.counts.query_name)
        n_others = len(answer.classes) - len(parts)
        if n_others:
            by = ""
            if answer.comparisons:
                by = f" by their lead over {answer.comparisons[0].name}"
            yield (
                "note",
                f"The {N_WORST} worst of {len(answer.classes):,} {noun}{by} are "
                f"listed; report.answer has the other {n_others:,}, too.",
            )
        differences = [other for part in answer.classes for other in part.comparisons]
        if any(not isnan(other.pvalue) for other in differences):
            yield (
                "comparison",
                _differences_words(answer, differences, f" of the {noun}"),
            )
        title = f"The {N_WORST} worst {noun}" if n_others else capitalized(noun)
        rows = [_row_of_part(part) for part in parts]
        yield "note", title, text_table(answer.counts.query_name, rows)
    elif answer.n_classes_left_out:
        left_out = query_words(answer.counts.query_name, answer.n_classes_left_out)
        yield (
            "note",
            f"None of {left_out} is listed; score_by_query has the AP of each.",
        )
    if any(part.cut and _is_mean(part.cut) for part in parts):
        yield "note", "Fractions found are means over the orders of tied rows."


def shown_parts(answer: FirstAnswer) -> list[FirstAnswer]:
    """Return the classes or queries that have a line and a section: all, or the worst
    of many.
    """
    parts = answer.classes
    if len(parts) <= MAX_LINES:
        return parts
    return sorted(parts, key=_quality)[:N_WORST]


def _quality(part: FirstAnswer) -> float:
    """Return the lead over another model, or the score of a class or query."""
    if part.comparisons:  # These are how far the other model is above.
        return -part.comparisons[0].difference
    return part.score.value if part.score else inf


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
    return title + _weighted(counts) + over + prevalence_words(answer.prevalence)


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
    hits += ", on average over the orders of tied rows" * _is_mean(cut)
    share = score_clause(cut.share)
    if isfinite(cut.lift):
        share += f", {cut.lift:.2g} times what a random order finds"
    text = f"{hits}{end} Share of the {counts.whole[1]}: {share}."
    if isfinite(cut.queries_with_hit):
        with_hit = short_share(cut.queries_with_hit)
        text += f" A positive is among these rows in {with_hit} of the "
        text += f"{plural(counts.query_name)} that have one."
    return text


def _differences_words(
    answer: FirstAnswer, others: Sequence[Comparison], of: str = ""
) -> str:
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
    return f"Differences{of} are those from {answer.model}{at}; {number}."


def _cells_of_cut(cut: Hits | None, counts: Counts, whose: str = "") -> TextRow:
    """Return the positives that a budget finds, and their amount."""
    if cut is None:
        return {}
    cells = {
        f"{whose}found in {budget_in_words(cut.k)}": count_cell(cut.positives),
    }
    if cut.amount_found is not None:
        cells[f"{whose}{counts.amount_name} found"] = count_cell(cut.amount_found)
    return cells


def _cells_of_difference(numbers: Difference, whose: str = "") -> TextRow:
    """Return a difference, the ends of its interval, and its p-value."""
    row = numbers.difference, numbers.low, numbers.high
    texts = interval_texts(*row, is_difference=True)
    cells = _cells_of(row, texts, f"{whose}difference", f"{whose or 'its '}{_ENDS}")
    if not isnan(numbers.pvalue):
        pvalue = format_pvalue(numbers.pvalue).removeprefix("= ")
        cells[f"{whose}p"] = number_cell([numbers.pvalue], [pvalue])
    return cells


def _cells_of_score(title: str, score: Score) -> TextRow:
    """Return a score, and the ends of its interval."""
    row = score.value, score.low, score.high
    return _cells_of(row, interval_texts(*row), title, _ENDS)


def _cells_of(
    row: Sequence[float], texts: Sequence[str], title: str, of_ends: str
) -> TextRow:
    """Return a number and, if they exist, the ends of its interval, as their texts."""
    if isnan(row[1]):
        share = "undefined" if isnan(row[0]) else short_share(abs(row[0]))
        return {title: number_cell(row[:1], [share])}
    return {
        title: number_cell(row[:1], texts[:1]),
        of_ends: number_cell(row[1:], texts[1:]),
    }


def _rows_of_models(answer: FirstAnswer, score: Score) -> Iterator[TextRow]:
    """Yield the row of each model: its score, how it differs from the first, and what
    it finds.
    """
    counts = answer.counts
    row = TextRow({"": answer.model})
    yield row | _cells_of_score(counts.title, score) | _cells_of_cut(answer.cut, counts)
    for other in answer.comparisons:
        row = TextRow({"": other.name})
        row |= _cells_of_score(counts.title, other.estimate)
        # The differences of a single model are in sentences.
        has_differences = len(answer.comparisons) > 1
        if has_differences:
            row |= _cells_of_difference(other)
        row |= _cells_of_cut(other.cut, counts)
        if has_differences and other.found:
            row |= _cells_of_difference(other.found, "share: ")
        yield row


def _row_of_part(part: FirstAnswer) -> TextRow:
    """Return the row of a class or a query: its rows and its positives, in number and
    in amount; its score, and what the first rows of each model find.
    """
    counts = part.counts
    positives = counts.positives, counts.all_positives
    row: TextRow = {"": part.name, "rows": f"{counts.rows:,}"}
    row["positives"] = count_cell(*(n for n in positives if n is not None))
    if counts.amount:
        row[f"{counts.amount_name} of them"] = count_cell(counts.amount.positives)
    if part.score:
        row |= _cells_of_score("AP", part.score)
        # A unit per row needs no column.
        if counts.unit_name != ROW and part.score.n_units is not None:
            row[f"{plural(counts.unit_name)} drawn"] = f"{part.score.n_units:,}"
    row |= _cells_of_cut(part.cut, counts)
    for other in part.comparisons:
        whose = f"{other.name}: "
        row[f"{whose}AP"] = number_cell([other.score], [short_share(other.score)])
        row |= _cells_of_difference(other, whose)
        # Intervals of single days are wide, and sections have them.
        row.pop(whose + _ENDS, None)
        row |= _cells_of_cut(other.cut, counts, whose)
    return row


def _against_sentence(answer: FirstAnswer, against: Against) -> str:
    """Return how the score differs from that of an earlier file, at one share of
    positives, or each at its own.
    """
    counts = answer.counts
    basis = _weighted(counts).replace(" ", ", ", 1)
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
    """Return an answer in lines of 79 columns: verdicts, and then the name before the
    other statements.
    """
    lines = [*map(_lines_of, statements)]
    place = len(answer.checks)
    lines[place] = wrapped(f"{printable(answer.name)}: {statements[place].text}")
    return "\n".join(lines)


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


def kept_together(text: str) -> str:
    """Return text whose lines do not end between a number and its sign."""
    return _at_sign.sub("\xa0", text)


def wrapped(text: str, indent: str = "") -> str:
    """Return text in lines of 79 columns; a path and a table may be longer."""
    lines = textwrap.fill(
        kept_together(text),
        _WIDTH,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return lines.replace("\xa0", " ")


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
