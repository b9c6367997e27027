"""The rehearsal of a release reports faults. `nox -s rehearsal` runs it on real files."""

import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parents[2]
CHECKS = SimpleNamespace(**runpy.run_path(str(ROOT / ".ci" / "rehearse.py")))


METADATA = "Version: 1.2.0\n\n```console\npip install sklearn-ap\n```\n"
CHANGES = "# Changelog\n\n## 1.2.0 (2026-01-31)\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        *(("Version: 1.2.0", "Version: 1.3.0"), ("sklearn-ap\n", "numpy\n")),
        *(("```\n", "[b](docs/b.md)"), ("```\n", "in a checkout"), ("\n\n", "/OWNER/")),
        *(("## 1.2.0", "## 1.3.0"), ("2026-01-31", "unreleased")),
    ],
)
def test_a_rehearsal_reports_a_fault(old, new):
    sound = METADATA, CHANGES
    assert [*CHECKS.wrong(*sound, "v1.2.0")] == []
    broken = [text.replace(old, new) for text in sound]
    assert [*CHECKS.wrong(*broken, "v1.2.0")]
