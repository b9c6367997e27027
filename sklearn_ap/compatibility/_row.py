"""One number beside scikit-learn's."""

from dataclasses import dataclass

from ._convention import Convention
from ._ranges import ROUNDING
from ._walk import Stop

__all__ = ["ComparisonRow", "part_of"]


def part_of(value: float) -> str:
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
        return self.note or "; ".join(f"{stop.words} {part_of(stop.part)}" for stop in self.reasons)

    @property
    def reasons(self) -> tuple[Stop, ...]:
        """The stops that change the number by more than the rounding of a sum."""
        return tuple(stop for stop in self.stops if abs(stop.part) > ROUNDING)
