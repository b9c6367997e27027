"""The one room that sorts: rows in, `Rankings` out, metrics as sums over their `Steps`."""

from ._cut import cut_depth
from ._rank import rank
from ._steps import Points, Rankings, Steps, envelope, ratio, total

__all__ = ["Points", "Rankings", "Steps", "cut_depth", "envelope", "rank", "ratio", "total"]
