"""The picture in the README: `python docs/picture.py` draws docs/family.png, the first one of the gallery."""

import runpy
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt

mpl.use("Agg")  # without a screen
plt.show = lambda: None

DOCS = Path(__file__).parent
runpy.run_path(str(DOCS / "gallery" / "plot_1_family.py"))
plt.figure(1).savefig(DOCS / "family.png", dpi=110)
