"""The one room that sorts: rows in, `Rankings` out, metrics as sums over their `Steps`."""

from ._rank import rank
from ._steps import Points, Rankings, Steps, envelope, ratio, total

__all__ = ["Points", "Rankings", "Steps", "envelope", "rank", "ratio", "total"]
