"""The gallery is ordered by the numbers in the names of its scripts."""

import re

__all__ = ["ByNumber"]


class ByNumber:
    """Sort key for sphinx-gallery. Sorted by name, script 10 would come before script
    1.
    """

    def __init__(self, src_dir: str) -> None:
        self.src_dir = src_dir

    def __call__(self, filename: str) -> int:
        """Return the number of a script such as ``plot_8_two_engines.py``."""
        return int(re.search(r"\d+", str(filename))[0])
