"""From scikit-learn's convention to another one, choice by choice: what each of them changes."""

from dataclasses import dataclass

from ._convention import CHOICES, Convention
from ._engine import NoNumberError, value_of
from ._scores import Scores

SCIKIT_LEARN = Convention(name="scikit-learn")


@dataclass(frozen=True)
class Stop:
    """One stop of a walk.

    Attributes
    ----------
    choice : str
        The choice that was changed last; several, where the value has none between them.
    words : str
        What the choice is now.
    convention : Convention
        All choices at this stop.
    value : float
        The number of that convention.
    part : float
        By how much the choice changed the number.
    """

    choice: str
    words: str
    convention: Convention
    value: float
    part: float


def number(convention: Convention, scores: Scores) -> float:
    """Return the convention's number, or raise if its answer is none: an error, NaN or a negative number."""
    choices = convention.choices
    if choices not in scores.numbers:
        scores.numbers[choices] = value_of(convention, scores)
    value = scores.numbers[choices]
    if not value >= 0:
        raise NoNumberError(f"{convention.name!r} answers {value:g} for y_true of one class.")
    return value


def walk(target: Convention, scores: Scores) -> list[Stop]:
    """Change scikit-learn's choices into the target's, one at a time and in the order of `CHOICES`.

    Choices that are the same have no stop. Where a stop would have no number, its choice goes with the next.

    Raises
    ------
    NoNumberError
        If the target has none.
    """
    number(target, scores)
    here, value = SCIKIT_LEARN, number(SCIKIT_LEARN, scores)
    stops: list[Stop] = []
    changed: list[str] = []
    for choice in CHOICES:
        if target.agrees(here, choice):
            continue
        changed.append(choice)
        there = here.with_choices(target, changed, name=f"{target.name}, up to {choice}")
        try:
            reached = number(there, scores)
        except NoNumberError:
            continue
        words = ", ".join(map(target.words, changed))
        stops.append(Stop(" and ".join(changed), words, there, reached, reached - value))
        here, value, changed = there, reached, []
    return stops
