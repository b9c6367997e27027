"""What imports cost beside that of `sklearn.metrics`: `python -m benchmarks.imports`."""

import compileall
import re
import subprocess
import sys
from pathlib import Path
from statistics import median

import sklearn_ap

from .tables import table

BEFORE = "sklearn.metrics"
GOALS = {"import sklearn_ap": 60.0}  # milliseconds on top of `import sklearn.metrics`, which takes some 1,100
STATEMENTS = ("import sklearn_ap",)  # which loads every file but the evaluator for Spark
HEADERS = ("statement", "milliseconds", "goal", f"share of `import {BEFORE}`", "modules", "most expensive")
_LINE = re.compile(r"^import time: +(\d+) \| +(\d+) \| +(\S+)$", re.MULTILINE)


def rows(repeats: int = 9) -> list[list[str]]:
    """Return the median costs in fresh processes, by `-X importtime`, with compiled bytecode at hand."""
    compileall.compile_dir(Path(sklearn_ap.__file__).parent, quiet=1)
    runs = [(one, *cost_of(one)) for _ in range(repeats) for one in STATEMENTS]
    before = median(cost for _, cost, _ in runs)
    made = [[f"import {BEFORE}", f"{before:.1f}", "", "", "", ""]]
    for statement in STATEMENTS:
        ours = [added for one, _, added in runs if one == statement]
        cost = {name: median(one[name] for one in ours) for name in ours[0]}
        most = ", ".join(f"{name} {cost[name]:.1f}" for name in sorted(cost, key=cost.__getitem__)[:-4:-1])
        total = median(sum(one.values()) for one in ours)
        goal = f"{GOALS[statement]:.0f}" if statement in GOALS else ""
        made.append([statement, f"{total:.1f}", goal, f"{total / before:.3f}", f"{len(cost)}", most])
    return made


def cost_of(statement: str) -> tuple[float, dict[str, float]]:
    """Return the milliseconds of `sklearn.metrics`, and those of each module that a statement adds."""
    command = [sys.executable, "-X", "importtime", "-c", f"import {BEFORE}\n{statement}"]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    lines = [(name, int(own) / 1e3, int(total) / 1e3) for own, total, name in _LINE.findall(said)]
    place = [name for name, *_ in lines].index(BEFORE)
    return lines[place][2], {name: own for name, own, _ in lines[place + 1 :]}


if __name__ == "__main__":
    print(table(HEADERS, rows()))
