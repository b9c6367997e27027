"""The first answer in sentences: scores with their intervals, and what a budget
retrieves.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from math import floor, isfinite, isnan, log10, nan

from .._decisions.budgets import at_prevalence, budget_in_words, weighted_words
from .._decisions.operating_points import threshold_text
from .._shown.numbers import (
    MAX_DECIMALS,
    SIGNIFICANCE_LEVEL,
    format_pvalue,
    interval_texts,
    part_of,
    with_decimals,
)
from .._shown.sources import printable
from .._uncertainty.results import with_interval
from .fields import (
    Against,
    Comparison,
    Counts,
    Difference,
    FirstAnswer,
    Hits,
    Score,
)

_TOO_FEW = "no threshold retrieves so few, since more rows share the highest score."


def sentences_of(answer: FirstAnswer, *, has_tables: bool = True) -> list[str]:
    """Return the sentences of an answer, each a line or two long, and its tables of
    classes and of several models.
    """
    counts = answer.counts
    score = answer.score
    if not score:
        why = f"{counts.no_positives}; average precision is undefined."
        return [printable(f"{answer.name}: {why}")]
    sentences = [
        f"{answer.name}: {count_sentence(counts, len(answer.classes))}."
        + _rows_clause(counts),
        _score_sentence(answer, score),
        *_direction_sentences(answer),
    ]
    if counts.queries_without_positives:
        sentences.append(_without_positives_sentence(counts))
    if answer.cut:
        sentences.append(_budget_sentence(answer.cut, counts))
    if len(answer.comparisons) == 1:
        sentences += _comparison_sentences(answer, answer.comparisons[0])
    sentences = list(map(printable, [*sentences, *_boxes_sentences(answer)]))
    for chosen in answer.thresholds:
        [(option, level)] = chosen.condition.items()
        asked = f"{option.replace('_', '-')}={level}"
        text = f"{asked}: {chosen.threshold or _TOO_FEW}"
        # A table follows the first line of a threshold that was fixed.
        sentence, _, table = text.partition("\n")
        sentences += [printable(sentence), *[table] * bool(table)]
    if not has_tables:
        return sentences
    if answer.classes:
        sentences.append(aligned(parts_table(answer, answer.classes)))
    if len(answer.comparisons) > 1:
        words = adjusted_words(answer, len(answer.comparisons))
        sentences += [printable(words), aligned(models_table(answer))]
    return sentences


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
            "share, such as the day (--per day)."
        )
    return clause


def _boxes_sentences(answer: FirstAnswer) -> list[str]:
    """Return the means that the code of VOC and COCO prints, of each model."""
    if not answer.of_boxes:
        return []
    models = [answer.model, *(other.name for other in answer.comparisons)]
    of_models = f" of {' and '.join(models)}" * (len(models) > 1)
    means = [
        f"{code} {' and '.join(with_decimals(4, *by_model.values()))}"
        for code, by_model in answer.of_boxes.items()
    ]
    return [f"As detection prints the mean{of_models}: {', '.join(means)}."]


def _score_sentence(answer: FirstAnswer, score: Score) -> str:
    """Return the score with its interval, what was drawn for the interval of a mean
    over queries, and the level of chance.
    """
    counts = answer.counts
    clause = score_clause(score)
    n_units = score.n_units
    if (counts.queries or counts.has_units) and n_units and not isnan(score.low):
        left_out = counts.queries_without_positives * isnan(counts.zero_division)
        n_queries = (counts.queries or 0) - left_out
        noun = counts.unit_name
        # Each class has all rows.
        if counts.queries and n_units == counts.rows // max(len(answer.classes), 1):
            noun = "row"
        fixed = ""
        if score.n_fixed_queries:
            fixed = f"{query_words(counts.query_name, n_queries, 'fixed ')}, "
        elif n_units == n_queries:  # queries may also be drawn with their units
            noun = counts.query_name
        clause += f" ({fixed}{query_words(noun, n_units)} drawn)"
    is_said = counts.weight and answer.prevalence is not None
    if not (isnan(answer.chance) or is_said):
        chance = "the prevalence" if counts.weight else "chance"
        clause += f"; {chance} is {short_share(answer.chance)}"
    return f"{score_title(answer)} is {clause}."


def _direction_sentences(answer: FirstAnswer) -> list[str]:
    """Return a sentence where the interval says that scores run the other way or are
    other numbers.
    """
    parts = answer.classes or [answer]
    below = ", ".join(part.name for part in parts if part.is_below_chance)
    if not below:
        return []
    advice = (
        "if low scores are better, pass --lower-is-better, or negate the scores; a "
        "column may also be the probability of another class, or the confidence of a "
        "predicted label"
    )
    if answer.counts.lower_is_better:
        advice = "if high scores are better, leave out --lower-is-better"
    of_classes = f" of {below}" * bool(answer.classes)
    return [f"The whole interval{of_classes} lies below chance: {advice}."]


def score_title(answer: FirstAnswer) -> str:
    """Return the name of the score."""
    counts = answer.counts
    # Trades of search say MAP, and the others AP.
    title = "Average precision (AP)"
    over = ""
    if counts.queries:
        title = "Mean average precision (MAP)"
        over = f" over the {plural(counts.query_name)}"
    weighted = f" {weighted_words(counts.weight_name)}" if counts.weight else ""
    return title + weighted + over + prevalence_words(answer.prevalence)


def prevalence_words(prevalence: float | None) -> str:
    """Return the share of positives that numbers are about, if these rows have
    another.
    """
    return "" if prevalence is None else f" {at_prevalence(prevalence)}"


def score_clause(score: Score) -> str:
    """Return a score or a share, and its interval if there is one."""
    if isnan(score.low):
        return short_share(score.value)
    return with_interval(score.value, score.low, score.high)


def _without_positives_sentence(counts: Counts) -> str:
    """Return how many queries have no positive, which, and what they count as in the
    mean.
    """
    n_without = counts.queries_without_positives
    names = [*counts.first_without_positives]
    if n_without > len(names):
        names.append("...")
    treated = "left out"
    if not isnan(counts.zero_division):
        treated = f"counted as {counts.zero_division:g}"
    queries = query_words(counts.query_name, counts.queries or 0)
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


def count_sentence(counts: Counts, n_classes: int = 0) -> str:
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
    if not counts.weight and counts.all_positives is not None:
        is_missed = counts.all_positives > counts.positives
        sizes += f" of {part_of(counts.all_positives)} in all" * is_missed
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
    if n_classes:  # each has all rows
        sizes = f"{n_rows // n_classes:,} rows, {n_classes} classes"
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
    # Sums of shares are rounded.
    is_mean = abs(cut.positives - round(cut.positives)) > 1e-6
    return hits + ", on average over the orders of tied rows" * is_mean


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
    hits = _hits_clause(cut, counts, least) + _fewer_rows_clause(cut, counts)
    whole = counts.whole[1]
    if not cut.totals:
        whole = f"{counts.weight_name} of positives" if counts.weight else "positives"
    return f"{hits}{end} Share of the {whole}: {score_clause(cut.share)}."


def _fewer_rows_clause(cut: Hits, counts: Counts) -> str:
    """Return that a budget exceeds the rows, of the ranking or of some queries."""
    if not isinstance(cut.k, int):
        return ""
    wanted = cut.k * ((counts.queries or 1) - counts.queries_without_rows)
    who = f"some {plural(counts.query_name)} have" if cut.totals else "there are"
    return f"; {who} no more: {cut.rows:,} in place of {wanted:,}" * (cut.rows < wanted)


def _comparison_sentences(answer: FirstAnswer, second: Comparison) -> list[str]:
    """Return the sentences about a second model: its score, what it finds, and how both
    differ.
    """
    counts = answer.counts
    title = counts.title
    hits = f": {_hits_clause(second.cut, counts)}" if second.cut else ""
    at = prevalence_words(answer.prevalence)
    score = f"{short_share(second.score)}{at and ','}{at}"
    sentences = [f"{second.name} has {title} {score}{hits}."]
    if second.found:
        sentences.append(
            f"Its share of the {counts.whole[1]} {difference_clause(second.found)}."
        )
    return [*sentences, f"Its {title}{at} {difference_clause(second)}."]


def adjusted_words(answer: FirstAnswer, n_differences: int) -> str:
    """Return what the differences of several models are, and how they are tested."""
    return (
        f"Differences are those from {answer.model}"
        f"{prevalence_words(answer.prevalence)}; p (Holm), and intervals of "
        f"differences (Bonferroni), allow for {n_differences} differences."
    )


def models_table(answer: FirstAnswer) -> list[list[str]]:
    """Return the titles of a table of several models, and a row per model."""
    counts = answer.counts
    title = counts.title
    titles = ["model", title, "95 % interval", "difference", "its interval", "p"]
    first = answer.score or Score(nan)
    rows = [[answer.model, *_interval_cells(first), "", "", ""]]
    for other in answer.comparisons:
        cells = [*_interval_cells(other.estimate), *_difference_cells(other)]
        rows.append([other.name, *cells])
    if answer.cut:
        per = f" per {counts.query_name}" * bool(answer.cut.totals)
        titles.append(f"found in {budget_in_words(answer.cut.k)}{per}")
        if counts.amount:
            whole = part_of(counts.amount.positives)
            titles.append(f"{counts.amount_name} found of {whole}")
    cuts = [answer.cut, *(other.cut for other in answer.comparisons)]
    for row, each in zip(rows, cuts, strict=True):
        if each:
            row.append(part_of(each.positives))
        if each and each.amount_found is not None:
            row.append(part_of(each.amount_found))
    return [titles, *rows]


def values_sentences(of_all: FirstAnswer, answers: Sequence[FirstAnswer]) -> list[str]:
    """Return the table of the values of a column, and how its differences are
    tested.
    """
    tests = (other.pvalue for answer in answers for other in answer.comparisons)
    n_tests = sum(not isnan(pvalue) for pvalue in tests)
    words = printable(adjusted_words(of_all, n_tests))
    table = aligned(parts_table(of_all, answers, has_tests=True))
    return [*[words] * (n_tests > 0), table]


def parts_table(
    of_all: FirstAnswer, answers: Sequence[FirstAnswer], *, has_tests: bool = False
) -> list[list[str]]:
    """Return the titles of a table of classes or queries, and a row of each: what it
    has, what the first rows find of it, and the score of each model.
    """
    counts = of_all.counts
    titles = [counts.query_name, "rows", "positives"]
    if of_all.cut:
        titles.append(f"found in {budget_in_words(of_all.cut.k)}")
    titles += ["AP", "95 % interval"]
    # A unit per row needs no column.
    has_units = counts.has_units and any(
        answer.score and answer.score.n_units not in (None, answer.counts.rows)
        for answer in answers
    )
    if has_units:
        titles.append(plural(counts.unit_name))
    for other in of_all.comparisons:
        titles += [f"AP of {other.name}", *["difference", "p"] * has_tests]
    rows = [titles]
    for answer in answers:
        score = answer.score or Score(nan)
        found = answer.counts.positives, answer.counts.all_positives
        positives = part_of(*(number for number in found if number is not None))
        row = [answer.name, f"{answer.counts.rows:,}", positives]
        if of_all.cut:
            row.append(part_of(answer.cut.positives) if answer.cut else "-")
        row += _interval_cells(score) if answer.score else ["-", "-"]
        if has_units:
            row.append("-" if score.n_units is None else f"{score.n_units:,}")
        for other in answer.comparisons:
            value, _, pvalue = _difference_cells(other)
            row += [short_share(other.score), *[value, pvalue] * has_tests]
        rows.append(row + ["-"] * (len(titles) - len(row)))
    return rows


def _difference_cells(other: Comparison) -> list[str]:
    """Return a difference, its interval and its p-value."""
    size = Score(other.difference, other.low, other.high)
    pvalue = "-" if isnan(other.pvalue) else format_pvalue(other.pvalue)
    return [*_interval_cells(size, is_difference=True), pvalue.removeprefix("= ")]


def _interval_cells(score: Score, *, is_difference: bool = False) -> list[str]:
    """Return a score or a difference, and its interval if there is one."""
    row = score.value, score.low, score.high
    value, *ends = interval_texts(*row, is_difference=is_difference)
    if isnan(score.low):
        return [value if is_difference else short_share(score.value), "-"]
    return [value, " to ".join(ends)]


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Return the rows of a table as lines, aligned by the widest cell."""
    cells = [list(map(printable, row)) for row in rows]
    first, *widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(
        "  ".join([name.ljust(first), *map(str.rjust, numbers, widths)]).rstrip()
        for name, *numbers in cells
    )


def against_sentence(against: Against, counts: Counts) -> str:
    """Return how the score differs from that of an earlier file, at one share of
    positives.
    """
    basis = f", {weighted_words(counts.weight_name)}" if counts.weight else ""
    per = f" in each {counts.query_name}" if counts.queries else ""
    dropped = ""
    if against.rows_dropped:
        dropped = f" It has {dropped_words(against)}, not counted."
    return printable(
        f"Against {against.name}, which has {short_share(against.score)} at "
        f"{100 * against.prevalence:.3g} % positive (here {100 * against.share:.3g} % "
        f"positive{basis}), {counts.title} at that share{per} "
        f"{difference_clause(against)}.{dropped}"
    )


def difference_clause(numbers: Difference) -> str:
    """Return a difference in words, with its interval, its p-value, and whether it is
    significant.
    """
    if numbers.difference == 0:
        return "is the same"
    by = "is higher by"
    sign = 1
    if numbers.difference < 0:
        by = "is lower by"
        sign = -1
    difference = sign * numbers.difference
    low, high = sorted((sign * numbers.low, sign * numbers.high))
    pvalue = numbers.pvalue
    if not isfinite(low + pvalue):
        return f"{by} {difference:.4g}; the uncertainty is undefined for these rows"
    interval = with_interval(difference, low, high, pvalue=pvalue)
    verdict = "statistically" if pvalue <= SIGNIFICANCE_LEVEL else "not"
    return f"{by} {interval}, {verdict} significant"


def in_lines(sentences: Sequence[str]) -> str:
    """Return sentences in lines of 79 columns."""
    return "\n".join(map(wrapped, sentences))


def wrapped(text: str, indent: str = "") -> str:
    """Return text in lines of 79 columns; a path and a table may be longer."""
    if "\n" in text:
        return text
    return textwrap.fill(
        text,
        79,
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
