"""Draw docs/family.png, a picture in the README: `python docs/scripts/picture.py`.

`--report chromium` draws docs/report.png instead, in a Chromium of this name. The
picture shows the report that the command of docs/index.md writes.
"""

import contextlib
import re
import runpy
import shlex
import subprocess
import sys
import tempfile
from doctest import DocTestParser
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[1]
SIZE = 940, 1600  # about the width at which a code host shows it; cut below
FIRST_TWO = "<style>section.hero + section ~ * { display: none !important }</style>"


def write_rows(folder: Path) -> str:
    """Write the rows of docs/index.md into a file, as its reader does, and return the
    arguments of the command that reads it.
    """
    page = (DOCS / "index.md").read_text()
    rows = page.partition("## How sure")[2].partition("## A file")[0]
    [command] = re.findall(
        r"^sklearn-ap (scores\.csv(?:.*\\\n)*.*)$", page, re.MULTILINE
    )
    [save] = re.findall(r"^`(np\.savetxt\(.*\))`", page, re.MULTILINE)
    names: dict[str, Any] = {}
    with contextlib.chdir(folder):
        for example in DocTestParser().get_examples(rows):
            exec(example.source, names)
        exec(save, names)
    return command.replace("\\\n", "")


def draw_family() -> None:
    """Draw the first picture of the gallery."""
    import matplotlib as mpl  # tests that write rows need none
    import matplotlib.pyplot as plt

    mpl.use("Agg")  # without a screen
    plt.show = lambda: None
    runpy.run_path(str(DOCS / "gallery" / "plot_1_family.py"))
    plt.figure(1).savefig(DOCS / "family.png", dpi=110)


def draw_report(browser: str) -> None:
    """Draw the first two tiles of the report of the rows."""
    import numpy as np  # noqa: PLC0415  # the same
    from PIL import Image  # noqa: PLC0415  # the same

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        arguments = shlex.split(write_rows(Path(folder)))
        module = [sys.executable, "-m", "sklearn_ap"]
        subprocess.run([*module, *arguments], cwd=folder, check=True)
        page, drawn = Path(folder) / "report.html", DOCS / "report.png"
        page.write_text(page.read_text() + FIRST_TWO)
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        flags += ["--no-first-run", "--disable-background-networking", "--disable-sync"]
        flags += ["--disable-component-update", "--disable-quic"]
        flags += [
            f"--window-size={SIZE[0]},{SIZE[1]}",
            f"--user-data-dir={folder}/profile",
            f"--screenshot={drawn}",
            "--virtual-time-budget=5000",  # until all is painted
        ]
        subprocess.run([browser, *flags, page.as_uri()], check=True)
    picture = Image.open(drawn)
    # The background begins where all rows to the end equal the last one.
    pixels = np.asarray(picture)
    last = np.flatnonzero((pixels != pixels[-1]).any(axis=(1, 2)))[-1]
    picture.crop((0, 0, SIZE[0], last + 16)).save(drawn)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--report"]:
        draw_report(sys.argv[2])
    else:
        draw_family()
