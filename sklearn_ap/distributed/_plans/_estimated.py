"""Standard errors of scores of rows that may not fit into memory, from the walk that computes the score."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..._definition import Definition
from ..._ranking._rankings import Rankings
from ..._typing import FloatArray, ScoreFunction
from ..._uncertainty._estimates import estimate_of_ranking
from ..._uncertainty._influence import has_slopes
from ..._uncertainty._results import ScoreEstimate
from ..._uncertainty._spread import HEAVY, warn_of_few, warn_of_late
from .._question import Question, question_of

_METHODS = ("auto", "influence")
_OF_DRAWS = ("method", "unit_id", "n_resamples", "random_state")  # a state has one method
_OF_MORE = ("average", "query_id", "sample_weight")


@dataclass(frozen=True, eq=False, kw_only=True)
class _WithError(Definition):
    """A definition that records the standard error beside the number."""

    plain: Definition
    noted: list[ScoreEstimate] = field(default_factory=list)  # one per walk, beside the number it returns

    @property
    def is_plain_sum(self) -> bool:
        """Return False: the short way to a number knows no errors."""
        return False

    def of(self, rankings: Rankings) -> FloatArray:
        """Return the number of a lone ranking, by the walk that also adds up its influences."""
        if not rankings.n_found.item():
            raise ValueError("y_true must hold a positive: without one, nothing says how sure the score is.")
        # One walk gives the score and the moments of its influences; a second one would scan again.
        self.noted.append(estimate_of_ranking(self.plain, rankings))
        # One number per ranking, as every definition returns.
        return np.array([self.noted[-1].score])


def estimated(score_func: str | ScoreFunction, method: object, params: Mapping[str, Any]) -> Question:
    """Read what is asked; all but influences of rows that are a single ranking is refused."""
    if not isinstance(method, str) or method not in _METHODS:
        raise ValueError(
            "method must be 'auto' or 'influence' for rows that come in parts, since a bootstrap draws all "
            f"rows again and again; got {method!r}."
        )
    # Refused by name, each with its reason, before the score says that it takes no such argument.
    for name in params:
        if name in _OF_DRAWS:
            raise TypeError(
                f"{name} is not supported with rows that come in parts: each row is a unit, and nothing is "
                f"drawn; got {params[name]!r}. Remove {name}."
            )
        if name in _OF_MORE:
            raise TypeError(
                f"{name} is not supported with rows that come in parts: estimates are those of a single "
                f"ranking of rows that weigh the same; got {params[name]!r}. Remove {name}."
            )
    question = question_of(score_func, params)
    if not has_slopes(question.definition):
        raise ValueError(
            "score_func must be the area of a whole ranking, such as 'average_precision' or 'pr_auc', since "
            f"others have no influences; got {question.name!r}, which is {question.definition}."
        )
    plain = question.definition
    # The plan scores it like any other definition, and so need not know about errors.
    return question._replace(
        definition=_WithError(plain.area, ties=plain.ties, prevalence=plain.prevalence, plain=plain)
    )


def estimate_of(question: Question) -> ScoreEstimate:
    """Return how sure an `estimated` score is; warn of few or late positives and few heavy negatives."""
    definition: Any = question.definition
    estimate: ScoreEstimate = definition.noted[-1]
    warn_of_few(estimate.n_positives, "positives")
    heavy_negatives = estimate._limits[0]["heavy_negatives"]
    warn_of_few(heavy_negatives, HEAVY)
    warn_of_late(estimate.n_positives, float(estimate.score), heavy_negatives)
    return estimate
