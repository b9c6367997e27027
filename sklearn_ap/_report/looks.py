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
from collections import Counter
from collections.abc import Iterator, Sequence
from math import isnan, sqrt
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import bdtrc, ndtri
from scipy.stats import rankdata

from .._core.reading.ids import as_list, distinct_queries
from .._uncertainty.sample import members_of
from .fields import FirstAnswer

if TYPE_CHECKING:
    from .scored_rows import ScoredRows

# Probability that a random ranking is reported as upside down, for all classes
# together. With a smaller probability, the test would overlook most rankings of three
# positives that are upside down.
_RISK = 0.002
# At least this number of units, or of queries with both classes, show how alike the
# rows of a unit or a query are.
_FEWEST_GROUPS = 10
# With fewer values, a column of ids may be that of something else than rows.
_FEWEST_IDS = 20
# With fewer distinct scores, several rows share each of them.
_FEWEST_SCORES = 20
# A score that stands for a missing one is in at least this number of rows.
_FEWEST_TIED = 3
# The only score that many rows have is in more than this share and this number of
# rows, and any other score is in at most the second share.
_MANY, _FEW = 0.05, 0.005
_FEWEST_OF_MANY = 9
# The scores of classes may be logits if the variance of their mean exceeds this share
# of their mean variance. For n classes whose scores are independent, it is 1 / n.
_ALIKE = 0.75
# A positive label is frequent if more than this share of the rows have it.
_FREQUENT = 0.9
# With up to ten classes, the confidence of a predicted label is at least this value.
_LEAST_CONFIDENCE = 0.1
# Names of columns that assign rows to parts of the data, such as a test set.
_is_of_part = re.compile(
    "(?i)(data_?)?(split|subset|set|phase|part(ition)?|fold|sample|cohort)"
).fullmatch
# Values that mean training, in a column that assigns rows to parts of the data.
_is_training = re.compile(
    "(?i)(?<![a-z])(train(ing|ed)?|fit(ted)?|derivation)(?![a-z])"
).search
# Names of columns that are true for training rows, and their values there.
_is_of_training = re.compile("(?i)((is|in)_?)?train(ing)?(_?set)?").fullmatch
_is_true = re.compile(r"(?i)1(\.0)?|true|t|yes|y").fullmatch
# Names of columns of predicted labels. A decision may be that of a person.
_is_of_prediction = re.compile("(?i)label|y_?hat|.*(pred|guess|output).*").fullmatch
# Names of columns of ids of rows.
_is_of_ids = re.compile("(?i)((row|sample|example|record|case)_?)?(id|index)").fullmatch
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
    """Return the columns of a file that looks may need. Their values decide whether
    there is a note. `names` are the columns that no option names.
    """
    low, high = rows.y_score.min(), rows.y_score.max()
    scale = _scale(rows)
    # The confidence of a predicted label is at least 1 / (number of classes).
    may_be_confidence = low / scale >= _LEAST_CONFIDENCE and low < high <= scale
    needed = [
        name
        for name in names
        if _is_of_part(name)
        or _is_of_training(name)
        or (rows.unit_id is None and _is_of_ids(name))
    ]
    if may_be_confidence and (predictions := [*filter(_is_of_prediction, names)]):
        needed += [rows.counts.label_column, *predictions]
    return needed


def _scale(rows: ScoredRows) -> int:
    """Return 100 if scores may be shares in percent, else 1."""
    return 100 if rows.y_score.max() > 1 else 1


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
    # The contributions of all rows, whose sum is the distance of the rank sum from its
    # mean. The variance is that of the Wilcoxon rank sum test.
    distances = np.zeros(query.size)
    variance = 0.0
    for places in members_of(query):
        positive = rows.y_true[places]
        n_rows = positive.size
        n_positives = np.count_nonzero(positive)
        ranks = rankdata(rows.y_score[places]) - (n_rows + 1) / 2
        distances[places] = ranks * (positive - n_positives / n_rows)
        variance += n_positives * (n_rows - n_positives) * (n_rows + 1) / 12
    group = query
    if rows.unit_id is not None:
        _, group = distinct_queries(np.asarray(rows.unit_id))
    # Enough units, or queries with both classes, show how alike their rows are. With
    # few units, all rows of a unit may be copies of one row.
    of_groups = np.bincount(group, distances)
    if np.count_nonzero(of_groups) >= _FEWEST_GROUPS:
        variance = max(variance, np.square(of_groups).sum())
    elif rows.unit_id is not None:
        variance *= np.square(np.bincount(group)).sum() / group.size
    return distances.sum() / sqrt(variance) if variance else 0.0


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
        is_other = _is_of_prediction(name) and name != counts.label_column
        if is_other and is_of_labels and least >= _scale(rows) / len(labels):
            return (
                f"The column {name} has the labels of {counts.label_column}, and no "
                f"score is below {least:.2g}: scores may be the confidence of a "
                "predicted label, not of the positive one. Then use 1 - confidence "
                "where the prediction is negative."
            )
    return ""


def _training(rows: ScoredRows, _: FirstAnswer) -> str:
    """Return a note if the rows contain training rows."""
    columns = {**rows.others}
    if _is_of_part(rows.query_column) or _is_of_training(rows.query_column):
        columns[rows.query_column] = Counter(as_list(np.asarray(rows.query_id)))
    for name, values in columns.items():
        fitted = []
        if _is_of_part(name):
            fitted = [value for value in values if _is_training(str(value))]
        elif _is_of_training(name) and len(values) <= 2:
            fitted = [value for value in values if _is_true(str(value))]
        if fitted:
            n_rows = sum(values[value] for value in fitted)
            return (
                f"{n_rows:,} rows of the file have {name} {', '.join(map(str, fitted))}. "
                "How a model ranks the rows that it was fitted on does not show how it "
                "ranks new rows: drop these rows."
            )
    return ""


def _copies(rows: ScoredRows, _: FirstAnswer) -> str:
    """Return a note if each id of a row is in the same number of rows."""
    for name, values in rows.others.items():
        n_rows, *others = {*values.values()}
        if (
            _is_of_ids(name)
            and len(values) >= _FEWEST_IDS
            and n_rows > 1
            and not others
        ):
            return (
                f"Each {name} is in {n_rows:,} rows. If they are copies of a row, such as "
                "those of several seeds, intervals are too narrow, because copies are "
                f"not new rows: pass unit_id={name}."
            )
    return ""


def _placeholder(rows: ScoredRows, answer: FirstAnswer) -> str:
    """Return a note if a score of several rows may stand for a missing score: it is
    farther from all others than these are from one another; or it is between others,
    and is the only score that many rows have.
    """
    n_rows = rows.y_score.size
    # Differences of halves cannot overflow.
    halves, counts = np.unique(rows.y_score / 2, return_counts=True)
    if halves.size < _FEWEST_SCORES:
        return ""
    gaps = np.diff(halves)
    place, last = int(counts.argmax()), gaps.size
    if 2 * max(gaps[0], gaps[-1]) > gaps.sum():
        # A gap is wider than the distance of all other scores from one another.
        place = 0 if gaps[0] > gaps[-1] else last
    elif (
        place in (0, last)
        or counts[place] <= max(_MANY * n_rows, _FEWEST_OF_MANY)
        or np.partition(counts, -2)[-2] > max(_FEW * n_rows, 1)
    ):
        # Many rows may have the lowest score if it is a limit, such as a share of 0.
        return ""
    if not _FEWEST_TIED <= counts[place] < n_rows / 2:
        return ""
    share = f"{100 * counts[place] / n_rows:.2g} %"
    return (
        f"{share} of the rows have the score {2 * answer.counts.sign * halves[place]:g}, "
        "unlike all others: if it means that they were not scored, drop them, or pass "
        "n_positives, which counts their positives as missed."
    )


def _logits(rows: ScoredRows, _: FirstAnswer) -> str:
    """Return a note if the scores of several classes may be logits, whose level differs
    from row to row.
    """
    parts = rows.classes.values()
    if not parts:
        return ""
    score = np.array([part.y_score for part in parts], float)
    largest = abs(score).max()
    # In each row, one label of several classes is positive. Of labels that are columns,
    # any number is.
    n_positive = sum(part.y_true * 1 for part in parts)
    if np.ptp(n_positive) or largest <= 1:
        return ""
    covariance = np.cov(score / largest)
    if covariance.mean() <= _ALIKE * np.diag(covariance).mean():
        return ""
    return (
        "The scores of all classes are high in the same rows, as logits are, which cannot "
        "be compared between rows: pass their softmax."
    )


def _dropped(_: ScoredRows, answer: FirstAnswer) -> str:
    """Return a note if rows were dropped that lack a value, and a larger share of them
    is positive than of the others, by more than chance.
    """
    counts = answer.counts
    dropped = counts.positives_dropped
    is_known = counts.n_classes or counts.all_positives is not None
    share = counts.positives / counts.rows
    # The probability of this number of positives, or of more.
    if is_known or not bdtrc(dropped - 1, counts.rows_dropped, share) < _RISK:
        return ""
    return (
        f"{dropped:,} of {counts.rows_dropped:,} rows without a value are positive, a "
        "larger share than of the others. If they have no score because the model missed "
        f"them, pass n_positives={counts.positives + dropped}, which counts them."
    )


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


LOOKS = (
    _direction_of_scores,
    _frequent,
    _confidence,
    _training,
    _runs,
    _copies,
    _placeholder,
    _logits,
    _dropped,
)
