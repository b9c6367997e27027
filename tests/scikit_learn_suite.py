"""Runs tests that scikit-learn installs, with our functions and classes in the place of
its own.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from scoring import VERSION

HERE = Path(__file__).parent
PAGES = HERE.parent / "docs" / "deviations.md", HERE / "deviations.txt"
NEWEST = VERSION >= (1, 9)
# The only reasons why a test of scikit-learn may be skipped: packages of arrays that
# are not installed, and metrics that require several columns.
MAY_SKIP = re.compile(
    "torch|cupy|dpnp|array_api_compat|can not deal with 1d inputs", re.IGNORECASE
)


def run(chosen, modules, deviations, folder):
    """Run the chosen tests of some modules of scikit-learn, and return the number of
    tests that call each of our names, by the name of scikit-learn.

    `deviations` contains, by version of scikit-learn, the tests that must fail: the
    beginnings of their names, and the entry of the page with the reason. A list applies
    from its version on, until that of the next list. All other tests must pass.
    """
    listed = deviations[max(version for version in deviations if version <= VERSION)]
    (folder / "deviations.json").write_text(json.dumps(listed))
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(HERE), *sys.path]),
        "SUITE_FOLDER": str(folder),
    }
    if NEWEST:
        # Before 1.9, its own score does not take arrays of other namespaces.
        environment["SCIPY_ARRAY_API"] = "1"
    options = ["-p", "use_sklearn_ap", "-p", "no:cacheprovider", "-q", "-k", chosen]
    finished = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "--pyargs", *modules],
        capture_output=True,
        check=False,
        cwd=folder,
        env=environment,
        text=True,
    )
    # The status is not 0 either where a module is missing, as in a wheel without tests.
    assert finished.returncode == 0, finished.stdout[-5000:] + finished.stderr[-1000:]
    report = json.loads((folder / "report.json").read_text())
    # Each beginning is that of one test, which exists and was run.
    assert sorted(report["deviating"]) == sorted(listed), report["deviating"]
    for test, reason in report["skipped"].items():
        assert MAY_SKIP.search(reason), f"{test}: {reason}"
    page = "".join(file.read_text() for file in PAGES)
    for entry in listed.values():
        assert f"\n**{entry}**" in page or f"\n| {entry}" in page, entry
    return report["n_callers"]
