"""Families of rows that ordinary distributions do not have: steps, zeros, one digit,
hidden positives, many classes, units of unequal sizes, and others.

A population has some 200,000 rows, and a sample draws its units with replacement. So
the true score is that of all rows.
"""

import zlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import stats
from scipy.special import expit, ndtri

import sklearn_ap
from sklearn_ap import compare_scores, estimate_score

from .families_of_rows import FAMILIES
from .populations import generators
from .tables import lines_of, number_of

N_ROWS = 200_000
FEWEST = 2  # positives of a class or query; a sample with fewer is drawn again
LINES = FAMILIES.strip().splitlines()
SCORES_OF = {
    name: (written, of_positives, of_negatives.strip())
    for (name, written, of_positives), of_negatives in zip(
        lines_of("\n".join(LINES[::2])), LINES[1::2], strict=True
    )
}
WRITTEN = {
    "exact": np.asarray,
    "whole": np.floor,
    "positive": lambda scores: np.maximum(scores, 0),
    "digit": lambda scores: np.round(expit(scores), 1),
}
# Arguments of a score; all others of a setting are those of its population.
OF_SCORE = "k", "recall", "average", "prevalence", "recall_levels", "interpolation"


def mixture(rng, text, size):
    """Draw from shares of distributions, such as ".9 norm + .1 norm 3 2"."""
    parts = [[*map(number_of, part.split())] for part in text.split(" + ")]
    which = rng.choice(len(parts), size, p=[weight for weight, *_ in parts])
    drawn = np.empty(size)
    for i, (_, name, *numbers) in enumerate(parts):
        rows = which == i
        of_part = getattr(stats, name)(*numbers)
        drawn[rows] = of_part.rvs(size=rows.sum(), random_state=rng)
    return drawn


def labels_of(rng, unit, share, more):
    """Return the labels of rows, and whether a row is positive, by class or column."""
    if "classes" in more:
        shares = rng.dirichlet(np.full(more["classes"], share))
        label = rng.choice(shares.size, unit.size, p=shares)
        return label, label[:, np.newaxis] == np.arange(shares.size)
    shares = np.geomspace(share, max(share, 0.3), more.get("columns", 1))
    common = rng.normal(size=(unit[-1] + 1, 1))[unit]
    own = rng.normal(size=(unit.size, shares.size))
    alike = more.get("alike", 0)
    positive = np.sqrt(alike) * common + np.sqrt(1 - alike) * own < ndtri(shares)
    return np.squeeze(positive.astype(int)), positive


def scores_of(rng, family, positive, effect, more):
    """Return the scores of each model."""
    written, *of_classes = SCORES_OF[family]
    scores = np.empty(positive.shape)
    for text, rows in zip(of_classes, (positive, ~positive), strict=True):
        scores[rows] = mixture(rng, text, rows.sum())
    noises = map(float, str(more.get("noise", 0)).split(","))
    return [
        np.squeeze(WRITTEN[written](scores + effect + noise * own))
        for noise in noises
        for own in [rng.normal(size=scores.shape)]
    ]


def population_of(rng, family, share, more):
    """Return the columns of a population, in the order of units."""
    sizes = [*map(int, str(more.get("sizes", 1)).split(","))]
    n_columns = more.get("classes", more.get("columns", 1))
    n_units = round(N_ROWS / np.mean(sizes) / np.sqrt(n_columns))
    unit = np.repeat(np.arange(n_units), rng.choice(sizes, n_units))
    query = rng.integers(more["queries"], size=unit.size) if "queries" in more else unit
    label, positive = labels_of(rng, unit, share, more)
    of_units, of_queries = rng.normal(size=(2, n_units, 1))
    effect = more.get("effect", 0) * of_units[unit]
    effect = effect + more.get("spread", 0) * positive * of_queries[query]
    scores = scores_of(rng, family, positive, effect, more)
    columns = {"y_true": label, "unit_id": unit, "query_id": query}
    names = ["y_score_a", "y_score_b"] if len(scores) == 2 else ["y_score"]
    columns |= zip(names, scores, strict=True)
    if {"sigma", "heavy"} & more.keys():
        weight = np.exp(more.get("sigma", 0) * rng.normal(size=unit.size))
        columns["sample_weight"] = weight * np.where(label, 1, more.get("heavy", 1))
    if "missed" in more:
        columns["is_missed"] = (rng.random(unit.size) < more["missed"]) & (label == 1)
    return columns


def with_models_exchanged(columns):
    """Return a population of twice the units, in which both models are equal."""
    swapped = {"y_score_a": columns["y_score_b"], "y_score_b": columns["y_score_a"]}
    swapped["unit_id"] = columns["unit_id"] + columns["unit_id"][-1] + 1
    return {
        key: np.concatenate((values, swapped.get(key, values)))
        for key, values in columns.items()
    }


@dataclass(frozen=True)
class FamilySetting:
    """A score, a family, the number of units of a sample, the share of positives (of
    classes: the concentration of a Dirichlet distribution), and other arguments.

    Those of the population are the `sizes` of units, the `effect` of a unit on its
    scores, the part of the labels of a unit that is `alike`, the number of `classes`,
    `columns` or fixed `queries`, the `spread` of queries, the standard deviation
    `sigma` of log weights, the weight of `heavy` negatives, the share of `missed`
    positives, and the `noise` of two models. With the same noise, they are equal.
    Without a number, queries are drawn.
    """

    kind: str
    text: str

    @property
    def name(self):
        return f"{self.kind}: {self.text}"

    @cached_property
    def fields(self):
        """The score, the family, the units, the share, and other arguments by name."""
        score, family, n, share, *others = map(number_of, self.text.split())
        pairs = (other.partition("=")[::2] for other in others)
        return score, family, n, share, {key: number_of(value) for key, value in pairs}

    @cached_property
    def population(self):
        """The columns of the population, and the first row of each unit."""
        rng = np.random.default_rng(zlib.crc32(self.name.encode()))
        _, family, _, share, more = self.fields
        columns = population_of(rng, family, share, more)
        first, comma, second = str(more.get("noise")).partition(",")
        if comma and first == second:
            columns = with_models_exchanged(columns)
        unit = columns["unit_id"]
        return columns, unit.searchsorted(np.arange(unit[-1] + 2))

    def rows_of(self, units):
        """Return the rows of these units, as a score takes them."""
        more, (columns, ends) = self.fields[-1], self.population
        first, sizes = ends[units], ends[units + 1] - ends[units]
        unit = np.repeat(np.arange(units.size), sizes)
        rows = first[unit] + np.arange(unit.size) - (np.cumsum(sizes) - sizes)[unit]
        drawn = {key: values[rows] for key, values in columns.items()}
        drawn["unit_id"] = unit
        if "missed" in more:
            kept, n_positives = ~drawn.pop("is_missed"), drawn["y_true"].sum()
            drawn = {key: values[kept] for key, values in drawn.items()}
            drawn["n_positives"] = n_positives
        if "queries" in more:
            return drawn
        del drawn["query_id"]
        if "spread" in more:
            return drawn | {"query_id": drawn.pop("unit_id")}
        if "sizes" not in more:
            del drawn["unit_id"]
        return drawn

    def arguments(self, ratio=1.0):
        """Return the arguments of the score for samples of `ratio` times the size."""
        more = self.fields[-1]
        given = {key: more[key] for key in OF_SCORE if key in more}
        is_count = isinstance(given.get("k"), int)
        if is_count and ("queries" in more or "spread" not in more):
            given["k"] = round(ratio * given["k"])
        return given

    @cached_property
    def function(self):
        return getattr(sklearn_ap, f"{self.fields[0]}_score")

    @cached_property
    def value(self):
        """The score of the population, or the difference of two models."""
        n_units = self.population[1].size - 1
        rows = self.rows_of(np.arange(n_units))
        rows.pop("unit_id", None)
        models = [rows.pop(key) for key in [*rows] if key.startswith("y_score")]
        given = rows | self.arguments(n_units / self.fields[2])
        first, *second = (self.function(y_score=model, **given) for model in models)
        return float(first - sum(second))

    def samples(self, replications, first=0):
        """Yield samples. One with too few positives of a class or query is drawn
        again.
        """
        n_units = self.population[1].size - 1
        for rng in generators(self.name, replications, first):
            drawn = None
            while drawn is None or self.fewest(drawn) < FEWEST:
                drawn = self.rows_of(rng.integers(n_units, size=self.fields[2]))
            yield drawn

    def fewest(self, drawn):
        """Return the fewest positives of a class, a column or a fixed query."""
        more, y_true = self.fields[-1], drawn["y_true"]
        if "classes" in more:
            return np.bincount(y_true, minlength=more["classes"]).min()
        if "queries" in more:
            return np.bincount(drawn["query_id"], y_true, more["queries"]).min()
        return y_true.sum(axis=0).min()

    def ask(self, drawn):
        """Return the estimate, or the comparison."""
        call = compare_scores if "y_score_a" in drawn else estimate_score
        return call(self.function, **drawn, **self.arguments())
