"""Settings that need a rule of intervals: `python -m benchmarks.coverage --table
rules`.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sklearn_ap import ConfidenceInterval, ScoreEstimate
from sklearn_ap._uncertainty.ends import Facts, Negatives, ends_of

# What turns a rule off.
RULES: dict[str, Callable[[Facts], Facts]] = {
    "missing negatives": lambda facts: facts._replace(negatives=Negatives()),
    "of them, heavy ones": lambda facts: facts._replace(
        negatives=facts.negatives._replace(outweighed=1.0)
    ),
    "step AP at most": lambda facts: facts._replace(step=None),
    "near chance": lambda facts: facts._replace(share=None, prevalence=None),
    "perfect samples": lambda facts: facts._replace(perfect=()),
    "ends of columns": lambda facts: facts._replace(columns=None),
    "bias of a mean": lambda facts: facts._replace(known_bias=facts.known_bias and 0.0),
    "few hits or misses": lambda facts: facts._replace(cut=None),
    "few amounts": lambda facts: facts._replace(amounts=None),
}


@contextmanager
def without(rule: str) -> Iterator[None]:
    """Turn a rule off."""
    interval = ScoreEstimate._interval

    def changed(estimate: ScoreEstimate, level: float) -> ConfidenceInterval:
        return ConfidenceInterval(*ends_of(RULES[rule](estimate._known), level))

    ScoreEstimate._interval = changed
    try:
        yield
    finally:
        ScoreEstimate._interval = interval
