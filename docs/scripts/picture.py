"""Draw docs/family.png, the picture in the README: `python docs/scripts/picture.py`."""

import runpy
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt

mpl.use("Agg")  # without a screen
plt.show = lambda: None

DOCS = Path(__file__).parents[1]
runpy.run_path(str(DOCS / "gallery" / "plot_1_family.py"))
plt.figure(1).savefig(DOCS / "family.png", dpi=110)
