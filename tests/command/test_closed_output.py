"""An answer that cannot be written is an error."""

import subprocess
import sys

import pytest

from brief import not_in_brief


@not_in_brief
@pytest.mark.skipif(sys.platform == "win32", reason="its shell is another")
def test_a_closed_standard_output_is_an_error(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("label,score\n1,2\n0,1\n1,3\n")
    command = f'"{sys.executable}" -m sklearn_ap "{path}"'
    run = subprocess.run(
        f"{command} >&-", shell=True, check=False, capture_output=True, text=True
    )
    assert run.returncode == 2
    assert "standard output is closed" in run.stderr
