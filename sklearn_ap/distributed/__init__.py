"""Average precision of rows that come in parts: batch by batch, day by day, or from several machines.

To read the code, start with `_state` (what the public class does) and `_rows` (what it holds). `_exactly`
finds a type that holds all scores without rounding, `_asked` the definition of a score by its name, and
`_bytes` writes a state down.
"""

from .._public_paths import name_by_package as _name_by_package
from ._state import RankingState

__all__ = ["RankingState"]

_name_by_package(globals())
