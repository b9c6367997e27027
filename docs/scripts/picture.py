"""Draw docs/family.png, a picture of README: `python docs/scripts/picture.py`.

`--report chromium` draws docs/report.png instead, in a Chromium of this name. The
picture shows the page that the command of docs/command.md writes with `--report`.
"""

import re
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).parents[1]
# Most code hosts show pictures of this width without shrinking them. The picture is cut
# below the page.
SIZE = 700, 1600


def lines_of_page() -> str:
    """Return the lines of the page that write its file and its answer, as those of a
    shell, with this Python and with a page.
    """
    page = (DOCS / "command.md").read_text()
    [write] = re.findall(r"^python (-c '[^']*')$", page, re.MULTILINE)
    ask, *_ = re.findall(r"^\$ sklearn-ap (.*)$", page, re.MULTILINE)
    python = f"'{sys.executable}'"
    return f"{python} {write}\n{python} -m sklearn_ap {ask} --report report.html"


def draw_family() -> None:
    """Draw the first picture of the gallery."""
    import matplotlib as mpl  # the other picture needs none
    import matplotlib.pyplot as plt  # the same

    mpl.use("Agg")  # without a screen
    plt.show = lambda: None
    runpy.run_path(str(DOCS / "gallery" / "plot_1_family.py"))
    plt.figure(1).savefig(DOCS / "family.png", dpi=110)


def draw_report(browser: str) -> None:
    """Draw the page of the file of docs/command.md."""
    import numpy as np  # noqa: PLC0415  # the same
    from PIL import Image  # noqa: PLC0415  # the same

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        shell = ["bash", "-ec", lines_of_page()]
        subprocess.run(shell, cwd=folder, check=True)
        page, drawn = Path(folder) / "report.html", DOCS / "report.png"
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
