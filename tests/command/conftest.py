"""Files that the tests of the command read."""

import pandas as pd
import pytest

from shell import ROWS


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
