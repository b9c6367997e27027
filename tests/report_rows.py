"""The rows of most tests of reports and of the command."""

import numpy as np
import pandas as pd

RNG = np.random.default_rng(0)
POSITIVE = RNG.random(300) < 0.2
NEW = (RNG.normal(size=300) + 1.5 * POSITIVE).round(3)
ROWS = pd.DataFrame(
    {
        "label": POSITIVE.astype(int),
        "score": NEW,
        "old": (NEW + RNG.normal(size=300)).round(3),
        "day": RNG.integers(0, 20, 300),
        "customer": RNG.integers(0, 90, 300),
        "weight": RNG.integers(1, 4, 300),
    }
)
