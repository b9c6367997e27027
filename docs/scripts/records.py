"""Write the pages of records, the list of scores in the reference, and the types of the
scores: `python docs/scripts/records.py`.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))  # the checkout, installed or not

from docs.scripts.calls import our_call  # found by the line above
from docs.scripts.stub import STUB, stub
from sklearn_ap._core.registry import SCORES
from sklearn_ap.compatibility import CONVENTIONS
from sklearn_ap.compatibility._records import (  # all private
    FAMILIES,
    SKLEARN_AP_CONVENTIONS,
    Convention,
    package_of,
    read_file,
)

DOCS = Path(__file__).parents[1]
REFERENCE = DOCS / "reference" / "index.rst"
LISTS = re.compile(
    r"(\.\. scores, written by `python docs/scripts/records\.py`\n\n"
    r"\.\. autosummary::\n(?:   :.*\n)+\n)"
    r"[^.]*(\.\. end of scores)"
)
NOTE = (
    "<!-- Written from the records by `python docs/scripts/records.py`. Edit those, "
    "and run it again. -->"
)

# --- texts ----------------------------------------------------------------------------

INDEX = """\
# Packages and their conventions

{note}

How does another package compute its AP? We call its definition a *convention*. The
entry of a convention shows which call of sklearn_ap computes the same number, and for
which inputs. [Which AP?](which_ap.md#ask-the-number) finds the convention of a number.

Tests compare {n_run} of the {n_records} entries with numbers that packages printed. The
other {n_not_run} (†) follow source code or a paper.

```{{toctree}}
:maxdepth: 1

{contents}
```

## Index of packages

{index}

<span id="choices"></span><span id="not-reproduced"></span>

[Choices](compatibility/choices.md) explains the words of the entries, and lists
[numbers that are not reproduced](compatibility/choices.md#not-reproduced).
"""
CHOICES = """\
# Choices of a convention

{note}

Which choices make a convention? The value of scikit-learn is the first in each list.

{choices}## How a difference is split into parts

`compare_conventions` changes one choice of scikit-learn's convention at a time, in the
order above, so the parts add up to the difference.

The table omits choices that do not change the number: they are in
`compare_conventions(...).rows[0].changes`. It shows no difference for precision or
recall at a cut, a rank, and a point of the curve, which are not averages of precision.

## Not reproduced

{not_reproduced}
"""
PAGES = {  # family: title, and the question of its reader
    "Classification": (
        "Packages of classification",
        """
Which AP does a package of classification print? Most of them rank all rows together,
and equal scores are one threshold. They differ in how the points of the curve are
joined, in how scores are rounded, and in what they return without positives.
torchmetrics and torcheval compare scores in the type of the tensor. If it is float32,
pass `y_score.astype("float32")`.
""",
    ),
    "R": (
        "Packages of R",
        """
Which AP does a package of R print? Most of them measure an area under the
precision-recall curve. They differ in how its points are joined, and in where it
begins.
""",
    ),
    "Object detection": (
        "Packages of object detection",
        """
Which AP does a package of object detection print? Most of them use the best precision
at each recall or beyond, and count the objects that were missed. They differ in the
recall levels, and in the order of equal scores.
""",
    ),
    "Retrieval and recommendation": (
        "Packages of retrieval and recommendation",
        """
Which MAP does a package of retrieval or recommendation print? Most of them take the
mean over queries. They differ in the divisor of a cut ranking, in the order of equal
scores, and in queries without positives.
""",
    ),
}
FAMILY_PAGE = """\
# {title}

{note}
{question}
A record lists the choices that differ from [those of
scikit-learn](choices.md). *Here* is the call of sklearn_ap that
computes the same number, where `...` is your own input. `score_as` also computes it, by
the name of the convention. The [index](../compatibility.md#index-of-packages) lists all
packages.

{cards}"""
FREE = {  # fields without a list of options: {value as written: meaning}
    "thresholds": {
        "None": "every distinct score",
        "{ count = 100, rule = ... }": "even thresholds that scores reach or exceed, "
        "or merged scores",
    },
    "grid": {
        "None": "every recall",
        "{ levels = [...], met_by = ... }": "recall levels, which recalls meet them, "
        "and their weights",
    },
    "without_positives": {"0.0": "the answer; it can also be 1, NaN, -1 or 'error'"},
    "without_negatives": {
        "None": "the number as usual; it can also be an answer as above"
    },
}

_NO_TEXTS = ("None", "False", "True")  # values that keys of TOML write as text
_OF_QUERIES = read_file()["choices"]["queries"]["queries"]

# --- pages ----------------------------------------------------------------------------


def write(folder: Path = DOCS) -> None:
    """Write every page into a folder, and delete pages that are no longer made."""
    made = pages()
    (folder / "compatibility").mkdir(exist_ok=True)
    for page in (folder / "compatibility").glob("*.md"):
        if page.relative_to(folder) not in made:
            page.unlink()
    for path, text in made.items():
        (folder / path).write_text(text)


def reference() -> str:
    """Return the text of the reference, whose list names every public score."""
    listed = "\n".join(f"   {score.__name__}" for score in SCORES)
    return LISTS.sub(
        lambda match: f"{match[1]}{listed}\n\n{match[2]}", REFERENCE.read_text()
    )


def pages() -> dict[Path, str]:
    """Return {path relative to docs: text} of every page."""
    texts = {
        FAMILIES[family]: FAMILY_PAGE.format(
            note=NOTE,
            title=title,
            question=question,
            cards="\n".join(map(_record, _records(family))),
        )
        for family, (title, question) in PAGES.items()
    }
    below = {Path("compatibility") / f"{file}.md": text for file, text in texts.items()}
    not_reproduced = [
        f"- *{name}* ({entry['versions']}): {entry['reason']}"
        for name, entry in read_file()["not_reproduced"].items()
    ]
    choices = CHOICES.format(
        note=NOTE,
        choices="".join(_choices()),
        not_reproduced="\n".join(not_reproduced),
    )
    below[Path("compatibility") / "choices.md"] = choices
    return {Path("compatibility.md"): _index(), **below}


def _index() -> str:
    records = [*CONVENTIONS.keys() - {one.name for one in SKLEARN_AP_CONVENTIONS}]
    return INDEX.format(
        note=NOTE,
        n_records=len(records),
        n_run=sum(CONVENTIONS[name].run for name in records),
        n_not_run=sum(not CONVENTIONS[name].run for name in records),
        index="\n".join(_packages()),
        contents="\n".join(
            f"compatibility/{page}"
            for page in (*(FAMILIES[family] for family in PAGES), "choices")
        ),
    )


def _packages() -> list[str]:
    """Return a line per package: its names, and its records."""
    links: dict[str, list[str]] = {}
    for record in CONVENTIONS.values():
        names = _package_names(record)
        if names:
            package = names.partition(";")[0]
            name = record.name
            if name.casefold().startswith(f"{package.casefold()} "):
                name = name[len(package) + 1 :]
            mark = "" if record.run else "†"
            links.setdefault(names, []).append(f"[{name}]({link_of(record)}){mark}")
    return [
        f"- {names}: {', '.join(sorted(links[names], key=str.casefold))}"
        for names in sorted(links, key=lambda names: names.casefold().strip("`"))
    ]


def _package_names(record: Convention) -> str:
    """Return the package of a record and its other names; of a record of ours, only the
    packages that print its number.
    """
    if record in SKLEARN_AP_CONVENTIONS:
        return "; ".join(_told(record))
    package = _package(record.source) + (" (R)" if record.family == "R" else "")
    others = _other_names(record).keys() - {package}
    return "; ".join([package, *sorted(others, key=str.casefold)])


def link_of(record: Convention) -> str:
    """Return the place of a record in the documentation, or of the table that leads to
    our functions.
    """
    if record in SKLEARN_AP_CONVENTIONS:
        return "which_ap.md#where-does-your-number-come-from"
    # as GitHub and MyST make it
    anchor = re.sub(r"[^\w\- ]", "", record.name.lower()).replace(" ", "-")
    return f"compatibility/{FAMILIES[record.family]}.md#{anchor}"


def _package(source: str) -> str:
    """Return the package that a source begins with, without its version or the name of
    a file, or the first author of a paper.
    """
    if author := re.match(r"[A-Z]\. (\w+ et al\.)", source):
        return author[1]
    return package_of(source)


# --- cards ----------------------------------------------------------------------------


def _records(family: str) -> list[Convention]:
    return [record for record in CONVENTIONS.values() if record.family == family]


def _record(one: Convention) -> str:
    """Return a record as a card: a sentence, and a list that fits any width."""
    ours = our_call(one)
    here = f"`{_call(one)}`"
    if ours and ours.conditions:
        *first, last = ours.conditions
        here += f", if {', '.join(first)}{' and ' if first else ''}{last}"
    facts = {
        "Here": here,
        "Choices": "; ".join(one.changes.values()) or "scikit-learn's",
        "Queries": _OF_QUERIES["pooled"] if one.queries == "pooled" else "",
        "Other names": "; ".join(_told(one)),
        "Versions": one.versions,
        "Source": one.source + ("" if one.run else " (not run)"),
        "Not reproduced": one.not_reproduced,
    }
    return _card(f"## {one.name}", one.peculiarity, facts)


def _other_names(one: Convention) -> dict[str, dict[str, Any]]:
    return {
        name: alias
        for name, alias in read_file()["alias"].items()
        if alias["convention"] == one.name
    }


def _told(one: Convention) -> Iterator[str]:
    """Yield the other names of a record with their versions, grouped by their note."""
    by_note: dict[str, list[str]] = {}
    for name, alias in _other_names(one).items():
        told = [
            alias["version"].removeprefix(name).strip(", "),
            "" if alias.get("run", True) else "not run",
        ]
        by_note.setdefault(alias.get("note", ""), []).append(
            f"`{name}` ({', '.join(filter(None, told))})"
        )
    for note, names in by_note.items():
        yield ", ".join(names) + (f": {note.rstrip('.')}" if note else "")


def _call(one: Convention) -> str:
    ours = our_call(one)
    return f"score_as({json.dumps(one.name)}, ...)" if ours is None else ours.text()


def _choices() -> Iterator[str]:
    for choice, fields in read_file()["choices"].items():
        yield f"## {_capital(choice)}\n\n"
        for name, values in fields.items():
            options = {
                value if value in _NO_TEXTS else repr(value): words
                for value, words in values.items()
            } or FREE[name]
            if len(options) <= 4:
                listed = (f"`{option}` ({words})" for option, words in options.items())
                yield f"`{name}`: {', '.join(listed)}.\n\n"
            else:
                lines = (f"- `{option}`: {words}" for option, words in options.items())
                yield f"`{name}`:\n\n" + "\n".join(lines) + "\n\n"


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _card(heading: str, text: str, facts: dict[str, str]) -> str:
    listed = "\n".join(f"- **{name}:** {fact}" for name, fact in facts.items() if fact)
    return "\n\n".join(filter(None, [heading, text, listed])) + "\n"


if __name__ == "__main__":
    STUB.write_text(stub())
    write()
    REFERENCE.write_text(reference())
