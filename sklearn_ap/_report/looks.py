"""Tests of the rows, called *looks*: each writes a note about a mistake that a
colleague would notice.

A look is a function with one test, which changes no number. Its note names what was
found, the usual cause, and what to write. A look that reports a fact, such as a frequent
positive label, may write its note about a valid sample. Any other look raises a false
alarm in fewer than 1 of 400 valid samples. The notes use the words of Python, which the
command translates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import isnan, sqrt
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

from .._core.reading.ids import distinct_queries
from .._uncertainty.sample import members_of
from .fields import FirstAnswer

if TYPE_CHECKING:
    from .scored_rows import ScoredRows

# Probability that a random ranking is reported as upside down, for all classes
# together. With a smaller probability, the test would overlook most rankings of three
# positives that are upside down.
_RISK = 0.002
# A positive label is frequent if more than this share of the rows have it.
_FREQUENT = 0.9
# With up to ten classes, the confidence of a predicted label is at least this value.
_LEAST_CONFIDENCE = 0.1
# Names of columns that assign rows to parts of the data, such as a test set.
_is_of_part = re.compile(
    "(?i)(data_?)?(split|subset|set|phase|part(ition)?|fold)"
).fullmatch
# Values that mean training, in a column that assigns rows to parts of the data.
_is_training = re.compile("(?i)(?<![a-z])(train(ing|ed)?|fit(ted)?)(?![a-z])").search
# Names of columns of predicted labels.
_is_of_prediction = re.compile("(?i)label|.*(pred|guess|decision|output).*").fullmatch
# Names of columns whose values are repeated runs on the same rows.
_is_of_runs = re.compile(
    "(?i)(random_?)?(seed|run|repeat|rep|repetition|trial|model|prompt|bootstrap)"
    "(_?(id|no|number))?"
).fullmatch


def rows_seen(rows: ScoredRows, answer: FirstAnswer) -> list[str]:
    """Return the notes of the looks that found a possible mistake."""
    if answer.score is None:
        return []
    return [text for look in LOOKS if (text := look(rows, answer))]


def columns_to_look_at(names: Sequence[str], rows: ScoredRows) -> list[str]:
    """Return the columns of a file that looks need, in addition to the labels.

    `names` are the columns that no option names. At most two of them are returned.
    """
    needed = [*filter(_is_of_part, names)][:1]
    predictions = [*filter(_is_of_prediction, names)][:1]
    # The confidence of a predicted label is at least 1 / (number of classes).
    lowest, highest = rows.checked.bounds
    if predictions and _LEAST_CONFIDENCE <= lowest < highest <= 1:
        needed += predictions
    return needed


def _direction_of_scores(rows: ScoredRows, answer: FirstAnswer) -> str:
    """Return a note if all scores are equal, or if low scores seem to be better."""
    lowest, highest = rows.checked.bounds
    if lowest == highest:
        return "All scores are equal, so they rank no row above another."
    if answer.counts.lower_is_better:
        # Scores were negated when they were read, so a low score was high before.
        advice = "if high scores are better, pass the scores as they are"
        side = "higher"
    else:
        advice = "if low scores are better, pass -y_score"
        side = "lower"
    if upside_down := ", ".join(_upside_down(rows, answer)):
        of_classes = f" of {upside_down}" if rows.classes else ""
        return (
            f"Positives{of_classes} have {side} scores than the other rows, by more "
            f"than chance: {advice}; the scores may also be the probability of another "
            "class, or the confidence of a predicted label."
        )
    return ""


def _upside_down(rows: ScoredRows, answer: FirstAnswer) -> Iterator[str]:
    """Yield the names of rankings whose positives have lower scores than the negatives.

    Only rankings whose score is at most the chance level are tested, because the test
    sorts the rows.
    """
    for part in answer.classes if rows.classes else [answer]:
        chance = part.chance
        # For many rows, the chance level is close to the prevalence.
        if isnan(chance):
            chance = part.prevalence or part.counts.prevalence
        if part.score is None or part.score.value > chance:
            continue
        distance = _rank_sum(rows.classes.get(part.name, rows))
        # Each of several classes has an equal part of the risk of a false alarm.
        if distance < ndtri(_RISK / max(len(rows.classes), 1)):
            yield part.name


def _rank_sum(rows: ScoredRows) -> float:
    """Return the rank sum of the positives within their queries, minus the mean of this
    sum for random rankings, in standard errors. Low scores have low ranks.
    """
    query = rows.checked.numbers_of_queries()
    distance = variance = 0.0
    # The mean and the variance are those of the Wilcoxon rank sum test.
    for places in members_of(query):
        positive = rows.y_true[places]
        n_rows = positive.size
        n_positives = np.count_nonzero(positive)
        ranks = rankdata(rows.y_score[places])[positive]
        distance += ranks.sum() - n_positives * (n_rows + 1) / 2
        variance += n_positives * (n_rows - n_positives) * (n_rows + 1) / 12
    # All rows of a unit may be copies of one row. So the variance is that of units: it
    # is multiplied by the mean number of rows per unit.
    if rows.unit_id is not None:
        units, _ = distinct_queries(np.asarray(rows.unit_id))
        variance *= query.size / len(units)
    return distance / sqrt(variance) if variance else 0.0


def _frequent(_: ScoredRows, answer: FirstAnswer) -> str:
    """Return a note if nearly all rows are positive."""
    counts = answer.counts
    share = counts.positives / counts.rows
    # Rows with totals may be the boxes of a detector, and most of them may be correct.
    is_of_rows = not (counts.n_classes or counts.all_positives)
    if not (is_of_rows and _FREQUENT < share < 1):
        return ""
    return (
        f"{100 * share:.3g} % of the rows are positive, so {counts.title} is high for "
        "any scores. If you look for the rare label, pass pos_label. If high scores "
        "mean the frequent label, as those of outlier detectors do (1 is normal, -1 an "
        "anomaly), also pass -y_score."
    )


def _confidence(rows: ScoredRows, answer: FirstAnswer) -> str:
    """Return a note if scores may be the confidence of a predicted label."""
    counts = answer.counts
    labels = {*rows.others.get(counts.label_column, ())}
    least, _ = rows.checked.bounds
    # The predicted label is the most probable of n labels, so its confidence is at
    # least 1 / n.
    for name, values in rows.others.items():
        is_of_labels = len(values) > 1 and labels.issuperset(values)
        if name != counts.label_column and is_of_labels and least >= 1 / len(labels):
            return (
                f"The column {name} has the labels of {counts.label_column}, and no "
                f"score is below {least:.2g}: scores may be the confidence of a "
                "predicted label, not of the positive one. Then use 1 - confidence "
                "where the prediction is negative."
            )
    return ""


def _training(rows: ScoredRows, _: FirstAnswer) -> str:
    """Return a note if the rows contain training rows."""
    for name, values in rows.others.items():
        fitted = [value for value in values if _is_training(str(value))]
        if fitted and _is_of_part(name):
            n_rows = sum(values[value] for value in fitted)
            return (
                f"{n_rows:,} rows of the file have {name} {', '.join(map(str, fitted))}. "
                "How a model ranks the rows that it was fitted on does not show how it "
                "ranks new rows: drop these rows."
            )
    return ""


def _runs(rows: ScoredRows, _answer: FirstAnswer) -> str:
    """Return a note if the name and the sizes of the queries suggest that they are runs
    on the same rows.
    """
    name = rows.query_column
    if rows.unit_id is not None or not _is_of_runs(name):
        return ""
    query = rows.checked.numbers_of_queries()
    sizes, positives = np.bincount(query), np.bincount(query, rows.y_true)
    # Two queries may have equal sizes by chance, so at least three are required.
    if sizes.size < 3 or np.ptp(sizes) or np.ptp(positives):
        return ""
    return (
        f"All values of {name} have the same numbers of rows and of positives. If they "
        "are runs on the same rows, the interval is too narrow, because copies are not "
        "new rows: pass unit_id, an id that the copies of a row share."
    )


LOOKS = (_direction_of_scores, _frequent, _confidence, _training, _runs)
