"""The first answer in sentences: how good the scores are, how sure, and what a budget retrieves."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from itertools import chain
from math import floor, log10
from typing import Any

from .._registry import K
from .._rounding import MAX_DECIMALS, decimals_of, format_pvalue, with_decimals
from ._numbers import JsonObject, query_words
from ._rows import RowCounts

_SIGNIFICANCE_LEVEL = 0.05  # a difference with a smaller p-value is called significant
_TOO_FEW = "no threshold retrieves so few, since more rows share the highest score."


def sentences_of(answer: JsonObject) -> list[str]:
    """Return the sentences of an answer, each a line or two long."""
    name, counts, score = answer["name"], answer["counts"], answer["score"]
    if score is None:
        heavy = " of weight above 0" * (counts["weight"] is not None)
        return [_printable(f"{name}: contains no positive rows{heavy}; average precision is undefined.")]
    sentences = [f"{name}: {count_sentence(counts)}.", f"{score_title(answer)} is {_score_clause(answer)}."]
    if counts["without_positives"] is not None:
        sentences.append(_without_positives_sentence(counts["without_positives"], counts))
    if answer["cut"] is not None:
        sentences.append(_budget_sentence(answer["cut"], counts))
    if answer["comparison"] is not None:
        sentences += _comparison_sentences(answer["comparison"], counts)
    sentences += [_threshold_sentence(**condition, counts=counts) for condition in answer["thresholds"]]
    return list(map(_printable, sentences))


def _printable(text: str) -> str:
    """Return text without characters that control a terminal, which names may have."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def score_title(answer: JsonObject) -> str:
    """Return the name of the score."""
    counts, prevalence = answer["counts"], answer["prevalence"]
    # Trades of search say MAP, and the others AP.
    mean = "Mean average precision (MAP) over "
    mean += "the queries" if counts["query_name"] == "query" else f"the values of {counts['query_name']}"
    title = "Average precision (AP)" if counts["queries"] is None else mean
    at = "" if prevalence is None else f" at a prevalence of {prevalence:g}"
    return title + at + " by weight" * (counts["weight"] is not None)


def _score_clause(answer: JsonObject) -> str:
    """Return the score with its interval and chance."""
    numbers, chance = answer["score"], answer["chance"]
    value, *ends = numbers_with_ends(numbers)
    interval = f", 95 % interval {' to '.join(ends)}" * bool(ends)
    # A prevalence that the caller passed is in the title already.
    is_known = chance is None or answer["prevalence"] is not None
    return value + interval + ("" if is_known else f"; {answer['chance_is']} is {short_share(chance)}")


def numbers_with_ends(numbers: JsonObject) -> list[str]:
    """Return a number, and the ends of its interval if there is one, with equal decimals."""
    value, low, high = (numbers[key] for key in ("value", "low", "high"))
    if low is None:
        return [short_share(value)]
    return with_decimals(decimals_of(value, low, high), value, low, high)


def _without_positives_sentence(without: JsonObject, counts: JsonObject) -> str:
    """Return how many queries have no positive, which, and what they count as."""
    n_without, names = without["queries"], ", ".join(without["names"])
    more = ", ..." * (n_without > len(without["names"]))
    is_one, score = n_without == 1, without["score"]
    counted = (
        f"{'is' if is_one else 'are'} left out" if score is None else f"count{'s' * is_one} as {score:g}"
    )
    queries = query_words(counts["query_name"], counts["queries"])
    have = "has" if is_one else "have"
    return f"{n_without:,} of {queries} {have} no positives and {counted}: {names}{more}."


def count_sentence(counts: JsonObject) -> str:
    """Return how many rows and positives there are."""
    queries = "" if (n := counts["queries"]) is None else f" in {query_words(counts['query_name'], n)}"
    total = None if counts["weight"] else counts["all_positives"]
    missed = "" if total is None else f" of {short_count(total)} in all"
    percent, weight = 100 * counts["positives"] / counts["rows"], ""
    if counts["weight"]:
        share = 100 * counts["weight"]["positives"] / counts["weight"]["all"]
        weight = f"; they are {share:.3g} % of the weight"
    sizes = f"{_row_words(counts['rows'])}{queries}, {counts['positives']:,} positive"
    return f"{sizes} ({percent:.3g} %){missed}{weight}"


def _row_words(n_rows: int) -> str:
    return f"{n_rows:,} row{'s' * (n_rows != 1)}"


def cut_sentence(k: int | float | None) -> str:
    """Return the cut with its unit."""
    words = "rows, the default of -k" if k is None else "of the rows"
    if isinstance(k, int):
        words = "row" if k == 1 else "rows"
    return f"k = {k or K} {words}."


def hits_sentence(cut: JsonObject, counts: JsonObject) -> str:
    """Return the number of positives among the first k rows, and the share of their weight."""
    k, recall, is_share = cut["k"], cut["recall"], not isinstance(cut["k"], int)
    first = f"first {100 * k:g}% of the rows" if is_share else f"first {k:,} rows" if k > 1 else "first row"
    contain = "contains" if first == "first row" or cut["rows"] == 1 else "contain"
    # A budget per query is a sentence that `operating_point` prints, too.
    if cut["totals"] is not None:
        return str(cut["totals"]["text"]).removesuffix(".")
    if counts["queries"] is not None:
        whole = "the weight of its positives" if counts["weight"] else "its positives"
        first += f" of each {counts['query_name']}"
        return f"the {first} {contain} {short_share(recall)} of {whole}, on average"
    if is_share:
        first += f" ({cut['rows']:,})"
    first = f"the {first}" if is_share or k < counts["rows"] else f"all {_row_words(counts['rows'])}"
    if cut["positives"] is None:
        return f"{first} {contain} {short_share(recall)} of the weight of the positives"
    total = (None if counts["weight"] else counts["all_positives"]) or counts["positives"]
    weight = f", {100 * recall:.3g} % of their weight" if counts["weight"] else ""
    return f"{first} {contain} {short_count(cut['positives'])} of {short_count(total)} positives{weight}"


def _budget_sentence(cut: JsonObject, counts: JsonObject) -> str:
    """Return the number of positives among the first k rows, and the threshold that retrieves these rows."""
    sentence, point = hits_sentence(cut, counts), cut["threshold"]
    sentence = sentence[:1].upper() + sentence[1:]  # names of columns keep their letters
    if cut["totals"] is not None:
        return f"{sentence}. {_shares_sentence(cut['totals'], is_weighted=counts['weight'] is not None)}"
    if counts["queries"] is not None:
        return f"{sentence}."
    if point is None:
        return f"{sentence}; {_TOO_FEW}"
    # Tied scores at the cut have no threshold that retrieves exactly k rows.
    if point["rows"] == cut["rows"]:
        these = "these rows score" if cut["rows"] > 1 else "this row scores"
        return f"{sentence}; {these} {point['short']} or more."
    untied = f"a score of {point['short']} or more retrieves {point['rows']:,} of these rows"
    return f"{sentence}; {untied}, and the others are tied."


def conventions_sentence(counts: RowCounts) -> str:
    """Return a sentence for tables of conventions that have another rule for rankings without positives."""
    differs = bool(counts.without_positives) and counts.zero_division != 0
    return "In the table, rankings without positives count as each convention has it." * differs


def _shares_sentence(totals: JsonObject, *, is_weighted: bool) -> str:
    """Return the shares that a budget finds, with their intervals."""
    shares = [totals["share_of_positives"]] + [totals["share_of_weight"]] * is_weighted
    be = f"The share{'s are' if is_weighted else ' is'}"
    numbers = [[share[key] for key in ("value", "low", "high")] for share in shares]
    if None in chain(*numbers):
        return f"{be} {' and '.join(short_share(value) for value, *_ in numbers)}."
    decimals = max(decimals_of(*each) or 0 for each in numbers)
    values, *ends = zip(*(with_decimals(decimals, *each) for each in numbers), strict=True)
    intervals = " and ".join(map(" to ".join, zip(*ends, strict=True)))
    return f"{be} {' and '.join(values)}, 95 % interval{'s' * is_weighted} {intervals}."


def _threshold_sentence(condition: dict[str, Any], threshold: JsonObject | None, counts: JsonObject) -> str:
    ((name, level),) = condition.items()
    if threshold is None:
        return f"{name}={level:g}: {_TOO_FEW}"
    by = " by weight" if counts["weight"] else ""
    within = f" (no {counts['query_name']} has more than {level:g})" * (counts["queries"] is not None)
    precision, recall = (short_share(threshold[share]) for share in ("precision", "recall"))
    # Of the thresholds that have the one share or more, this one has the best other share.
    of_best = {"recall": f"the best precision, {precision}, and recall {recall}"}
    of_best["precision"] = f"precision {precision} and the best recall, {recall}"
    quality = of_best.get(name, f"precision {precision}, recall {recall}") + by
    retrieved = f"a score of {threshold['short']} or more retrieves {_row_words(threshold['rows'])}{within}"
    return f"{name}={level:g}: {retrieved}, with {quality}."


def _comparison_sentences(comparison: JsonObject, counts: JsonObject) -> list[str]:
    """Return the score of the second model and its difference to the first, with its significance."""
    name, difference = comparison["name"], comparison["difference"]
    if difference == 0:
        return [f"{name} has the same."]
    score, cut = short_share(comparison["score"]), comparison["cut"]
    if cut is not None:
        hits = hits_sentence(cut, counts)
        if cut["totals"] is not None:  # the budget itself was just named
            hits = f"it finds {hits.rpartition(' find')[2].removeprefix('s').lstrip()}"
        score += f": {hits}"
    title = "AP" if counts["queries"] is None else "MAP"
    return [f"{name} has {score}.", f"Its {title} is {difference_clause(comparison)}."]


def difference_clause(comparison: JsonObject) -> str:
    """Return a difference that is not 0 in words, with its interval and p-value."""
    difference, low, high = (comparison[key] for key in ("difference", "low", "high"))
    # "lower by 0.2" has an interval of losses, so its ends change sides.
    if difference < 0 and low is not None:
        low, high = -high, -low
    size, interval = f"{abs(difference):.2g}", ""
    if low is not None:
        decimals = decimals_of(abs(difference), low, high, is_difference=True)
        size, *ends = with_decimals(decimals, abs(difference), low, high)
        interval = f"95 % interval {' to '.join(ends)}, "
    pvalue = float("nan") if comparison["pvalue"] is None else comparison["pvalue"]
    verdict = "statistically significant" if pvalue < _SIGNIFICANCE_LEVEL else "not significant"
    direction = "lower" if difference < 0 else "higher"
    return f"{direction} by {size} ({interval}p {format_pvalue(pvalue)}), {verdict}"


def in_lines(sentences: Sequence[str]) -> str:
    """Return sentences in lines of 80 columns; the first may be longer, since paths have any length."""
    first, *others = sentences
    return "\n".join([first, *map(wrapped, others)])


def wrapped(text: str, indent: str = "") -> str:
    """Return text in lines of 80 columns."""
    return textwrap.fill(text, 80, subsequent_indent=indent, break_on_hyphens=False)


def short_share(value: float) -> str:
    """Return a share with two digits of its distance from 0 or from 1, whichever is nearer."""
    nearest = min(abs(value), abs(1 - value))
    if nearest <= 10.0**-MAX_DECIMALS:
        return f"{value:.2g}" if 0 < value < 0.5 else f"{value:.2f}"
    return f"{value:.{max(2, min(MAX_DECIMALS, 1 - floor(log10(nearest))))}f}"


def short_count(value: float) -> str:
    """Return a count with a decimal if it is not whole: tied scores at the cut share its last rows."""
    nearest = round(value)
    return f"{nearest:,}" if abs(value - nearest) < 1e-6 else f"{value:,.1f}"
