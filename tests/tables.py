"""The tables of worked examples in docstrings."""

import re


def number(text):
    """Return a number such as 3, 3/2 or -.02/3."""
    top, _, bottom = text.partition("/")
    return float(top) / float(bottom or 1)


def cells_below(module, head):
    """Return the cells of the lines of a docstring from this line to an empty one."""
    lines = [line.split() for line in module.__doc__.splitlines()]
    first = lines.index(head.split()) + 1
    texts = [line.strip() for line in module.__doc__.splitlines()[first:]]
    end = texts.index("") if "" in texts else len(texts)
    return [re.split("  +", text) for text in texts[:end]]
