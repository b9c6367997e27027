"""The lists of public scores in pages that are otherwise written by hand."""

import re
from pathlib import Path
from textwrap import fill

from sklearn_ap._family import SCORES

__all__ = ["PAGES", "with_lists"]

ROOT = Path(__file__).parents[1]
_NAMES = [score.__name__ for score in SCORES]
# How each page lists them; a list stands between two comments of the page, which say who writes it.
PAGES = {
    ROOT / "README.md": fill(", ".join(f"`{name}`" for name in _NAMES), width=118),
    ROOT / "docs" / "reference" / "index.rst": "\n".join(f"   {name}" for name in _NAMES),
}
_LIST = re.compile(
    r"( scores, written by `python docs/records\.py`(?: -->)?\n\n(?:\.\. .*\n(?:   :.*\n)+\n)?)"
    r"[^.<]*((?:<!--|\.\.) end of scores)"
)


def with_lists(page: Path) -> str:
    """Return the text of a page with its list as it should be."""
    text, found = _LIST.subn(lambda match: f"{match[1]}{PAGES[page]}\n\n{match[2]}", page.read_text())
    if not found:
        raise ValueError(f"{page} must hold a list of scores; found none.")
    return text
