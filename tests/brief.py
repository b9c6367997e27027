"""How much of a law README's command tests: few examples, and one case of each pair of
choices. With HYPOTHESIS_PROFILE=repeatable, as in the session `newest`, or =explore, as each
night, the laws have all of their examples and cases.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations, product
from typing import Any

import pytest
from hypothesis import settings

PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "brief")
IS_BRIEF = PROFILE == "brief"
not_in_brief = pytest.mark.skipif(
    IS_BRIEF, reason="HYPOTHESIS_PROFILE=repeatable runs it"
)


def examples(in_brief: int, in_all: int) -> settings:
    """Return the number of examples of a property test."""
    return settings(max_examples=in_brief if IS_BRIEF else in_all)


def pairs_of(case: Iterable[Any]) -> set[Any]:
    """Return the values of a case, each with its column, and all pairs of them; for a
    case without values, None.
    """
    values = [*enumerate(case)]
    return {*values, *combinations(values, 2)} or {None}


def covering(
    cases: Sequence[Any],
    choices: Callable[[Any], Iterable[Any]] = pairs_of,
    *,
    is_brief: bool = IS_BRIEF,
) -> Sequence[Any]:
    """Return all cases. In brief, return few cases that together have all choices of
    the cases: by default, each pair of values in two columns.

    The case with the most choices that are left is taken next.
    """
    if not is_brief:
        return cases
    of_cases = [{*choices(case)} for case in cases]
    left, chosen = set().union(*of_cases), []
    while left:
        place = max(range(len(cases)), key=lambda i: len(left & of_cases[i]))
        left -= of_cases[place]
        chosen.append(place)
    return [cases[place] for place in sorted(chosen)]


def values_of(case: Iterable[Any]) -> set[Any]:
    """Return the values of a case, each with its column."""
    return {*enumerate(case)}


def each_pair(**choices: Sequence[Any]) -> pytest.MarkDecorator:
    """Run a test for all combinations of these values of its arguments; in brief, for
    few that together have each pair of values.
    """
    cases = covering([*product(*(range(len(values)) for values in choices.values()))])
    return pytest.mark.parametrize(
        tuple(choices),
        [
            tuple(values[i] for i, values in zip(case, choices.values(), strict=True))
            for case in cases
        ],
    )


def one_in(step: int, cases: Iterable[Any]) -> list[Any]:
    """Return all cases; in brief, each case whose place is a multiple of `step`."""
    return [*cases][:: step if IS_BRIEF else 1]


def every_third(cases: Iterable[Any]) -> list[Any]:
    """Return all cases; in brief, a third of them."""
    return one_in(3, cases)
