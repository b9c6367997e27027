"""The picture in the README: `python docs/picture.py` draws docs/family.png."""

from pathlib import Path

import matplotlib as mpl

from sklearn_ap import AveragePrecisionComparisonDisplay

mpl.use("Agg")  # without a screen

y_true = [1, 0, 1, 1, 0, 0, 1, 0, 0, 1]
y_score = [0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
display = AveragePrecisionComparisonDisplay.from_predictions(y_true, y_score)
display.figure_.savefig(Path(__file__).parent / "family.png", dpi=120, bbox_inches="tight")
