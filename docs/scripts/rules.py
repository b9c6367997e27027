"""Write the rules of intervals into the page *Intervals*: what the functions that make
ends return, and the reasons that stand beside their ifs.

Run after a change of `sklearn_ap/_uncertainty/ends.py`: `python docs/scripts/rules.py`.
"""

import ast
import re
from inspect import getsource
from pathlib import Path

from sklearn_ap._uncertainty import ends

PAGE = Path(__file__).parents[1] / "intervals.md"
BEGIN, END = "<!-- rules, by docs/scripts/rules.py -->\n", "<!-- end of rules -->\n"


def rows() -> list[tuple[str, str]]:
    """Return what each function of facts returns, and its reasons in order."""
    source = getsource(ends)
    found = []
    for node in ast.parse(source).body:
        if not isinstance(node, ast.FunctionDef) or node.args.args[0].arg != "facts":
            continue
        docstring = " ".join((ast.get_docstring(node) or "").split())
        what, _, why = docstring.removeprefix("Return ").partition(". ")
        code = ast.get_source_segment(source, node) or ""
        # Comments that are sentences stand on lines of their own.
        of_lines = re.sub(r"(?m)^(?! *# ).*\n?", "\n", code)
        comments = [
            " ".join(text.replace("# ", "").split())
            for text in re.findall(r"(?: *# .*\n)+", of_lines)
        ]
        sentences = [text for text in comments if text[0].isupper()]
        if sentences or why:
            what = what[0].upper() + what[1:].rstrip(".")
            found.append((what, " ".join([*sentences, why]).strip()))
    return found


def page() -> str:
    """Return the page with the table that the code says."""
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    lines = ["| what | why |", "|---|---|"]
    lines += [f"| {what} | {why} |" for what, why in rows()]
    return before + BEGIN + "\n" + "\n".join(lines) + "\n\n" + END + after


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
