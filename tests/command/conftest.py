"""Files that the tests of the command read."""

import pandas as pd
import pytest


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
