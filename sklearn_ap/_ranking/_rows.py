"""Rows put together by ranking: what goes into the room that sorts."""

from typing import NamedTuple

from .._typing import AnyArray, BoolArray, FloatArray, IntArray

__all__ = ["Rows"]


class Rows(NamedTuple):
    """Labels, scores and weights of one shape, which in C order hold ranking after ranking.

    Weights are above 0, since a kernel may keep the label as their sign; they are None where they do not
    differ inside a ranking. Equal neighbours among the offsets are a ranking without rows, but there is some
    row.
    """

    positive: BoolArray
    score: AnyArray  # finite, native byte order
    weight: FloatArray | None
    offsets: IntArray  # of shape (n_rankings + 1,): where each ranking begins

    @property
    def is_lone(self) -> bool:
        """Whether there is a single ranking."""
        return self.offsets.size == 2
