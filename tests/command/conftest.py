"""Files that the tests of the command read."""

import numpy as np
import pandas as pd
import pytest

from shell import ROWS
from trec_files import write_trec


@pytest.fixture
def saved(tmp_path):
    """Write rows, or their text, into a file; return its path."""

    def write(rows, name="a.csv"):
        path = tmp_path / name
        if isinstance(rows, pd.DataFrame):
            rows.to_csv(path, index=False)
        else:
            path.write_text(rows)
        return path

    return write


@pytest.fixture(scope="session")
def path(tmp_path_factory):
    """The rows of most tests."""
    path = tmp_path_factory.mktemp("rows") / "scores.csv"
    ROWS.to_csv(path, index=False)
    return path


@pytest.fixture(scope="session")
def runs(tmp_path_factory):
    """Judgements of sixty queries, and three runs, of which `new` finds the most."""
    rng = np.random.default_rng(0)
    qrels = [
        (f"q{query}", f"d{document}", int(rng.random() < 0.3))
        for query in range(60)
        for document in range(20)
    ]
    gains = {"old": 0.5, "new": 1.5, "third": 1.0}
    rows = {
        name: [(*ids, rng.normal() + gain * level) for *ids, level in qrels]
        for name, gain in gains.items()
    }
    return write_trec(tmp_path_factory.mktemp("runs"), qrels, **rows)
