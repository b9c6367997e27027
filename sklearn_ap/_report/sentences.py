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
)
from .._shown.sources import printable
from .._uncertainty.results import ScoreEstimate, with_interval
from .fields import (
    ANOTHER_CLASS,
    CONFIDENCE,
    HIGHER,
    LOWER,
    Against,
    Comparison,
    Counts,
    Difference,
    FirstAnswer,
    Hits,
    Score,
    has_low_name,
)

# What may put a score below chance, and what to do.
_CAUSES = {
    LOWER: "low scores are better, pass --lower-is-better, or negate the scores",
    HIGHER: "high scores are better, leave out --lower-is-better",
    ANOTHER_CLASS: "the column is the probability of another class, pass that of the "
    "positive one, or name the other label by --pos-label",
    CONFIDENCE: "it is the confidence of a predicted label, whichever that is, pass the "
    "probability of the positive class",
}
_TOO_FEW = "no threshold retrieves so few, since more rows share the highest score."


def sentences_of(answer: FirstAnswer, *, has_table: bool = True) -> list[str]:
    """Return the sentences of an answer, each a line or two long, and its table of
    several models.
    """
    name = answer.name
    counts = answer.counts
    score = answer.score
    if not score:
        why = f"{counts.no_positives}; average precision is undefined."
        return [printable(f"{name}: {why}")]
    sentences = [f"{name}: {count_sentence(counts, len(answer.classes))}."]
    if counts.pos_label is not None:
        sentences[0] += f" The positive label is {counts.pos_label!r}."
    # Then at least half of them have a single row.
    n_missing = counts.queries_without_rows
    if counts.queries and counts.rows < 1.5 * (counts.queries - n_missing):
        queries = query_words(counts.query_name, counts.queries)
        sentences[0] += (
            f" Most of the {queries} have a single row, so a mean over them says "
            "little: name a column that rows share, such as the day (--per day)."
        )
    sentences += [_score_sentence(answer, score), *_direction_sentences(answer)]
    if counts.queries_without_positives:
        sentences.append(_without_positives_sentence(counts, score.value))
    if answer.cut:
        sentences.append(_budget_sentence(answer.cut, counts))
    table = list[str]()
    if len(answer.comparisons) == 1:
        sentences += _comparison_sentences(answer, answer.comparisons[0])
    elif answer.comparisons and has_table:
        table = [
            printable(adjusted_words(answer, len(answer.comparisons))),
            aligned(models_table(answer)),
        ]
    sentences += _boxes_sentences(answer)
    sentences = list(map(printable, sentences))
    for chosen in answer.thresholds:
        [(option, level)] = chosen.condition.items()
        asked = f"{option.replace('_', '-')}={level}"
        text = f"{asked}: {chosen.threshold or _TOO_FEW}"
        # A table follows the first line of a threshold that was fixed.
        sentence, *lines = map(printable, text.split("\n"))
        sentences += [sentence, *filter(None, ["\n".join(lines)])]
    classes = map(_class_sentence, answer.classes)
    return [*sentences, *map(printable, classes), *table]


def _boxes_sentences(answer: FirstAnswer) -> list[str]:
    """Return the means that the code of VOC and COCO prints, of each model."""
    means = []
    for name, by_model in answer.of_boxes.items():
        (_, first), *others = by_model.items()
        listed = "".join(f" ({model} {mean:.4f})" for model, mean in others)
        means.append(f"{name} {first:.4f}{listed}")
    return [f"As detection prints the mean: {', '.join(means)}."] if means else []


def _class_sentence(answer: FirstAnswer) -> str:
    """Return the score of a class, what is found of it, and the score of a second
    model.
    """
    title = score_title(answer).replace("Average precision (AP)", "AP")
    hits = _hits_clause(answer.cut, answer.counts)
    others = "".join(
        f"; {other.name} has {short_share(other.score)}" for other in answer.comparisons
    )
    return f"{answer.name}: {title} is {score_clause(answer.score)}{others}; {hits}."


def _score_sentence(answer: FirstAnswer, score: Score) -> str:
    """Return the score with its interval, what was drawn for the interval of a mean
    over queries, and the level of chance.
    """
    counts = answer.counts
    clause = score_clause(score)
    n_units = score.n_units
    if (counts.queries or counts.has_units) and n_units and not isnan(score.low):
        drawn = query_words(counts.unit_name, n_units)
        n_rows = counts.rows // max(len(answer.classes), 1)  # each class has all rows
        left_out = counts.queries_without_positives * isnan(counts.zero_division)
        n_queries = (counts.queries or 0) - left_out
        if counts.queries and n_units == n_rows:
            drawn = query_words("row", n_units)
        if score.n_fixed_queries:
            drawn = f"{query_words(counts.query_name, n_queries, 'fixed ')}, {drawn}"
        elif n_units == n_queries:
            # Queries may also be drawn with their units.
            drawn = query_words(counts.query_name, n_units)
        clause += f" ({drawn} drawn)"
    is_said = counts.weight and answer.prevalence is not None
    if not (isnan(answer.chance) or is_said):
        chance = "the prevalence" if counts.weight else "chance"
        clause += f"; {chance} is {short_share(answer.chance)}"
    return f"{score_title(answer)} is {clause}."


def _direction_sentences(answer: FirstAnswer) -> list[str]:
    """Return a sentence where scores seem to run the other way or to be other numbers,
    by the interval or by their name.
    """
    counts = answer.counts
    below = [part for part in answer.classes or [answer] if part.causes]
    if below:
        names = ", ".join(part.name for part in below)
        causes = below[0].causes
        of_classes = f" of {names}" * bool(answer.classes)
        order = ". Likeliest first" * (len(causes) > 1)
        advice = "; if ".join(_CAUSES[cause] for cause in causes)
        return [
            f"The whole interval{of_classes} lies below chance{order}: if {advice}."
        ]
    if has_low_name(counts.score_name) and not counts.lower_is_better:
        return [f"The scores are called {counts.score_name}: if {_CAUSES[LOWER]}."]
    return []


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


def short_title(counts: Counts) -> str:
    """Return the short name of the score."""
    return "MAP" if counts.queries else "AP"


def prevalence_words(prevalence: float | None) -> str:
    """Return the share of positives that numbers are about, if these rows have
    another.
    """
    return "" if prevalence is None else f" {at_prevalence(prevalence)}"


def score_clause(score: Score | None) -> str:
    """Return a score or a share, and its interval if there is one."""
    if not score:
        return "undefined"
    if isnan(score.low):
        return short_share(score.value)
    return with_interval(score.value, score.low, score.high)


def _without_positives_sentence(counts: Counts, mean: float) -> str:
    """Return how many queries have no positive, which, what they count as in the mean,
    and the mean by the other rule.
    """
    n_without = counts.queries_without_positives
    names = [*counts.first_without_positives]
    if n_without > len(names):
        names.append("...")
    score = counts.zero_division
    n_queries = counts.queries or 0
    n_with = n_queries - n_without
    queries = query_words(counts.query_name, n_queries)
    if isnan(score):
        counted = "left out"
        others = f"Counted as 0, MAP over all {queries}"
        other = mean * n_with / n_queries
    else:
        counted = f"counted as {score:g}"
        others = query_words(counts.query_name, n_with, "other ")
        others = f"Left out, MAP over the {others}"
        other = (mean * n_queries - score * n_without) / n_with
    verbs = "has no positive and is" if n_without == 1 else "have no positive and are"
    return (
        f"{n_without:,} of {queries} {verbs} {counted}: {', '.join(names)}. "
        f"{others} is {short_share(other)}."
    )


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
    sizes = f"{query_words('row', n_rows)}{queries}, {counts.positives:,} positive ({share})"
    if not counts.weight and counts.all_positives is not None:
        in_all = part_of(counts.all_positives)
        is_missed = counts.all_positives > counts.positives
        sizes += f" of {in_all} in all" if is_missed else ", none missed"
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
        if counts.queries_without_weight:
            n_queries = counts.queries_without_weight
            sizes += f", all rows of {query_words(counts.query_name, n_queries)}"
    if counts.rows_dropped:
        sizes += f"; not counting {dropped_words(counts)}"
    return sizes


def dropped_words(counts: Counts | Against) -> str:
    """Return how many rows were dropped, and how many lack a value of each column."""
    by_column = [f"{name}: {n:,}" for name, n in counts.missing_values.items()]
    rows = query_words("row", counts.rows_dropped)
    return f"{rows} without a value ({', '.join(by_column)})"


def _hits_clause(cut: Hits | None, counts: Counts, least: str = "") -> str:
    """Return the number of positives among the first k rows, with the `least` score of
    these; without k, that of all.
    """
    if not cut:
        return f"{counts.positives:,} positive"
    found, amount = cut.found
    if cut.totals:
        hits = str(cut.totals).removesuffix(".")
    else:
        share = ""
        total = counts.total
        if counts.weight:  # which missed positives have, and their number not
            total = counts.positives
            share = f" ({100 * cut.share.value:.3g} % of the {counts.weight_name} of all positives)"
        rows = "row" if cut.rows == 1 else query_words("row", cut.rows or 0)
        verb = "is" if found == 1 else "are"
        hits = f"{part_of(found, total)} positives{share} {verb} in the first {rows}{least}"
        if counts.amount:
            hits += counts.basis.amount_clause(amount, counts.amount.positives)
    # Sums of shares are rounded.
    is_mean = abs(found - round(found)) > 1e-6
    return hits + ", on average over the orders of tied rows" * is_mean


def _budget_sentence(cut: Hits, counts: Counts) -> str:
    """Return the number of positives among the first k rows, and the threshold that
    retrieves these rows.
    """
    point = cut.threshold
    fewer = _fewer_rows_clause(cut, counts)
    hits = _hits_clause(cut, counts) + fewer
    if totals := cut.totals:
        shares = [_share_clause(totals.share_of_positives)]
        if counts.weight:
            share = _share_clause(totals.share_of_weight)
            shares.append(f"of the {counts.weight_name} {share}")
        if totals.share_of_amount:
            share = _share_clause(totals.share_of_amount)
            shares.append(f"of the {counts.amount_name} {share}")
        return f"{hits}. Share: {'; '.join(shares)}."
    # Tied scores at the cut have no threshold that retrieves exactly k rows.
    if not point or point.n_retrieved != cut.rows:
        return f"{hits}; {point or _TOO_FEW}"
    sign = "<=" if counts.lower_is_better else ">="
    least = f" (score {sign} {threshold_text(point)})"
    return f"{_hits_clause(cut, counts, least)}{fewer}."


def _share_clause(share: ScoreEstimate) -> str:
    """Return a share that a budget finds, and its interval if there is one."""
    return score_clause(Score(float(share.score), *share._shown_interval()))


def _fewer_rows_clause(cut: Hits, counts: Counts) -> str:
    """Return that a budget exceeds the rows, of the ranking or of some queries."""
    if not isinstance(cut.k, int):
        return ""
    if cut.totals is None:
        return f"; these are all, fewer than {cut.k:,}" * (counts.rows < cut.k)
    n_queries = (counts.queries or 0) - counts.queries_without_rows
    wanted = cut.k * n_queries
    taken = cut.totals.n_retrieved
    some = (
        f"some {plural(counts.query_name)} have fewer than {query_words('row', cut.k)}"
    )
    return f" ({some}: {taken:,} in place of {wanted:,})" * (taken < wanted)


def _comparison_sentences(answer: FirstAnswer, second: Comparison) -> list[str]:
    """Return the sentences about a second model: its score, what it finds, and how both
    differ.
    """
    counts = answer.counts
    title = short_title(counts)
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
        f"Differences are those from {answer.model}{prevalence_words(answer.prevalence)}; "
        f"p (Holm) and their intervals (Bonferroni) allow for {n_differences} differences."
    )


def models_table(answer: FirstAnswer) -> list[list[str]]:
    """Return the titles of a table of several models, and a row per model."""
    counts = answer.counts
    title = short_title(counts)
    titles = ["model", title, "95 % interval", "difference", "its interval", "p"]
    first = answer.score or Score(nan)
    rows = [[answer.model, *_interval_cells(first), "", "", ""]]
    for other in answer.comparisons:
        cells = [*_interval_cells(other.estimate), *_difference_cells(other)]
        rows.append([other.name, *cells])
    if cut := answer.cut:
        budget = budget_in_words(cut.rows or 0)
        if cut.totals:
            budget = f"{budget_in_words(cut.k)} per {counts.query_name}"
        titles.append(f"found in {budget}")
        if counts.amount:
            whole = part_of(counts.amount.positives)
            titles.append(f"{counts.amount_name} found of {whole}")
    cuts = [answer.cut, *(other.cut for other in answer.comparisons)]
    for row, each in zip(rows, cuts, strict=True):
        if each:
            row += [part_of(value) for value in each.found if value is not None]
    return [titles, *rows]


def values_sentences(of_all: FirstAnswer, answers: Sequence[FirstAnswer]) -> list[str]:
    """Return a table of the values of a column, with the difference between each other
    model and the first, and how these are tested.
    """
    counts = of_all.counts
    titles = [counts.query_name, "rows", "positives", "AP", "95 % interval"]
    # A unit per row needs no column.
    has_units = counts.has_units and any(
        answer.score and answer.score.n_units not in (None, answer.counts.rows)
        for answer in answers
    )
    if has_units:
        titles.append(plural(counts.unit_name))
    for other in of_all.comparisons:
        titles += [other.name, "difference", "p"]
    rows = [titles]
    for answer in answers:
        score = answer.score or Score(nan)
        found = answer.counts.positives, answer.counts.all_positives
        positives = part_of(*(number for number in found if number is not None))
        row = [answer.name, f"{answer.counts.rows:,}", positives]
        row += _interval_cells(score) if answer.score else ["-", "-"]
        if has_units:
            row.append("-" if score.n_units is None else f"{score.n_units:,}")
        for other in answer.comparisons:
            value, _, pvalue = _difference_cells(other)
            row += [short_share(other.score), value, pvalue]
        rows.append(row + ["-"] * (len(titles) - len(row)))
    tests = (other.pvalue for answer in answers for other in answer.comparisons)
    n_tests = sum(not isnan(pvalue) for pvalue in tests)
    words = (
        f"Differences are those from {of_all.model}{prevalence_words(of_all.prevalence)}; "
        f"p (Holm) allows for {n_tests} tests."
    )
    return [*[printable(words)] * (n_tests > 0), aligned(rows)]


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


def against_sentences(against: Against, counts: Counts) -> str:
    """Return how the score differs from that of an earlier file, at its share of
    positives and at the share that each file has.
    """
    own = against.at_own_shares
    end = "."
    earlier = f"Against {against.name}, which has {short_share((own or against).score)}"
    title = short_title(counts)
    if own is None:
        title += prevalence_words(against.prevalence)
    else:
        share = f"{100 * against.prevalence:.3g} % positive"
        basis = f", {weighted_words(counts.weight_name)}" if counts.weight else ""
        earlier += f" and {share} (here {100 * against.share:.3g} % positive{basis})"
        per = f" in each {counts.query_name}" if counts.queries else ""
        title += f" at {share}{per}"
        end = f"; at the share of each file, it {difference_clause(own)}."
        if against.share < against.prevalence:
            end += " Labels that come late look like a lower share of positives."
    if against.rows_dropped:
        end += f" It has {dropped_words(against)}, not counted."
    return printable(f"{earlier}, {title} {difference_clause(against)}{end}")


def difference_clause(numbers: Difference) -> str:
    """Return a difference in words, with its interval, its p-value, and whether it is
    significant.
    """
    if numbers.difference == 0:
        return "is the same"
    by = "is higher by"
    size = numbers
    if numbers.difference < 0:
        by = "is lower by"
        size = numbers.reversed()
    difference = size.difference
    pvalue = size.pvalue
    if not isfinite(size.low + pvalue):
        return f"{by} {difference:.4g}; the uncertainty is undefined for these rows"
    interval = with_interval(difference, size.low, size.high, pvalue=pvalue)
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
