"""Draw docs/family.png, a picture in the README: `python docs/scripts/picture.py`.

`--report chromium` draws docs/report.png instead, the page of the README's rows, in a
Chromium of this name.
"""

import runpy
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np

from sklearn_ap import report

mpl.use("Agg")  # without a screen
plt.show = lambda: None

DOCS = Path(__file__).parents[1]
if sys.argv[1:2] == ["--report"]:
    rng = np.random.default_rng(0)
    rows = (rng.random(500) < 0.1).astype(int)
    new = rng.normal(size=500) + 1.5 * rows
    old = new + rng.normal(size=500)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        report(rows, new, compare={"old": old}, k=20, name="new").save(
            f"{folder}/report.html"
        )
        flags = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            "--window-size=1120,960",
        ]
        flags += [
            f"--user-data-dir={folder}/profile",
            f"--screenshot={DOCS / 'report.png'}",
        ]
        subprocess.run(
            [sys.argv[2], *flags, f"file://{folder}/report.html"], check=True
        )
    sys.exit()
runpy.run_path(str(DOCS / "gallery" / "plot_1_family.py"))
plt.figure(1).savefig(DOCS / "family.png", dpi=110)
