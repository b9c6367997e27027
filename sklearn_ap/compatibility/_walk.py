"""One number beside scikit-learn's: the walk to it, and by how much each choice changes the number."""

from dataclasses import dataclass

from ._convention import CHOICES, Convention
from ._engine import ROUNDING, NoNumberError, answer_of
from ._scores import Scores

SCIKIT_LEARN = Convention(name="scikit-learn")


@dataclass(frozen=True)
class Stop:
    """One stop of a walk.

    Attributes
    ----------
    choice : str
        The choice that was changed last; several choices if a stop between them has no number.
    words : str
        The choice's new value, in words.
    convention : Convention
        All choices at this stop.
    value : float
        The number of that convention.
    part : float
        By how much the choice changed the number.

    Examples
    --------
    >>> from sklearn_ap.compatibility import compare
    >>> (row,) = compare([0, 1, 0, 1, 1], [5, 4, 3, 2, 1], conventions="VOC 2010").rows
    >>> [stop.choice for stop in row.stops]
    ['queries', 'ties', 'weights', 'area', 'stated total', 'without positives']
    """

    choice: str
    words: str
    convention: Convention
    value: float
    part: float


class Walker:
    """Walks over the same scores; a convention that several walks share is computed only once."""

    def __init__(self, scores: Scores) -> None:
        self._scores = scores
        self._answers: dict[tuple[object, ...], float] = {}

    def answer(self, convention: Convention) -> float:
        """Return the answer of the convention, which may be NaN or negative if it has no number."""
        choices = convention.choices  # not the convention itself: its name does not change the number
        if choices not in self._answers:
            self._answers[choices] = answer_of(convention, self._scores)
        return self._answers[choices]

    def number(self, convention: Convention) -> float:
        """Return the convention's number, or raise if its answer is not a number of at least 0."""
        answer = self.answer(convention)
        if not answer >= 0:  # also true for NaN, unlike `answer < 0`; COCO answers -1
            raise NoNumberError(
                f"{convention.name!r} answers {answer:g}, since a ranking holds no positive, or nothing "
                "else.",
                reason="a ranking without a positive, or without a negative, has no number there",
            )
        return answer

    def walk(self, target: Convention) -> list[Stop]:
        """Change scikit-learn's choices into the target's, one at a time and in the order of `CHOICES`.

        Choices that both conventions share have no stop. If a stop would have no number, its choice is
        changed together with the next one. A target without a number is an error.
        """
        self.number(target)  # raises before the walk: its last stop then has a number
        at, value = SCIKIT_LEARN, self.number(SCIKIT_LEARN)
        stops: list[Stop] = []
        changed: list[str] = []
        for choice in CHOICES:
            if target.agrees(at, choice):
                continue
            changed.append(choice)
            following = at.with_choices(target, changed, name=f"{target.name}, up to {choice}")
            try:
                reached = self.number(following)
            except NoNumberError:  # no stop here: the choice stays in `changed`, for the next one
                continue
            words = ", ".join(map(target.words, changed))
            stops.append(Stop(" and ".join(changed), words, following, reached, reached - value))
            at, value, changed = following, reached, []
        return stops


def share_of_difference(value: float) -> str:
    """Return a part of a difference as text: four decimals, or one digit if they would all be 0."""
    # "+0.0000" beside a choice would look as if the choice changed nothing.
    return f"{value:+.4f}" if abs(value) >= 0.00005 else f"{value:+.0e}"


@dataclass(frozen=True)
class ComparisonRow:
    """One number beside scikit-learn's.

    Attributes
    ----------
    name : str
        Name of the convention, with the cut in place of k.
    convention : Convention
        How the number is computed.
    value : float or None
        The number; None if the convention has no number for these scores.
    scikit_learn : float
        ``sklearn.metrics.average_precision_score`` of the same scores.
    stops : tuple of Stop
        The walk from scikit-learn's convention to this one. Their parts add up to the difference.
    note : str
        Why there is no number; empty if there is one.
    low, high : float or None
        The least and the greatest number over all orders of equal scores; None unless their order is unknown
        and changes the number.

    Examples
    --------
    >>> from sklearn_ap.compatibility import compare
    >>> (row,) = compare([0, 1, 0, 1, 1], [5, 4, 3, 2, 1], conventions="VOC 2010").rows
    >>> row.why
    'best precision at each recall or beyond +0.0667'
    """

    name: str
    convention: Convention
    value: float | None
    scikit_learn: float
    stops: tuple[Stop, ...] = ()
    note: str = ""
    low: float | None = None
    high: float | None = None

    @property
    def difference(self) -> float | None:
        """By how much the number exceeds scikit-learn's."""
        return None if self.value is None else self.value - self.scikit_learn

    @property
    def why(self) -> str:
        """The choices that make the difference, each with its part; or why there is no number."""
        return self.note or "; ".join(
            f"{stop.words} {share_of_difference(stop.part)}" for stop in self.reasons
        )

    @property
    def reasons(self) -> tuple[Stop, ...]:
        """The stops that change the number by more than the rounding of a sum."""
        return tuple(stop for stop in self.stops if abs(stop.part) > ROUNDING)
