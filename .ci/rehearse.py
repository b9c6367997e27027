"""Rehearse a release: build it, check it with the tools of packaging, and report texts
that would be wrong on the page of the index.

* ``python .ci/rehearse.py dist`` writes the wheel and the sdist into that folder.
* ``python .ci/rehearse.py dist v0.1.0`` also checks the version, the day in the change
  log and the owner, and runs the first command of README as a user does.

This requires the group `release`.
"""

import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
CHECKOUT = r"(?i)\bcheckout\b|git clone|pip install (-\S+ )*['\"]?\.|\"\.\[|-m (benchmarks|tests)"
RELATIVE = r"(?:\]\(|(?:href|src)=\")(?!https?://|#)[^)\"]+"
COMMAND = r"^```console\n(pip install sklearn-ap(?:.|\n)*?)^```$"


def wrong(metadata: str, changes: str, tag: str) -> Iterator[str]:
    """Yield the faults of a release: texts that are missing, and texts that only hold
    for a checkout. The metadata end with the page of the index.
    """
    version = re.escape(tag.removeprefix("v"))
    unwanted, wanted = [CHECKOUT, RELATIVE], [COMMAND]
    if tag:
        unwanted.append("/OWNER/")
        day = rf"^# Changelog\n+## {version} \(\d{{4}}-\d\d-\d\d\)"
        wanted += [rf"^Version: {version}$", day]
    text = f"{changes}\n{metadata}"
    yield from (f"lacks {one}" for one in wanted if not re.search(one, text, re.M))
    for pattern in unwanted:
        if found := re.search(pattern, metadata):
            yield f"has {found[0]!r}"


def run(script: str, folder: Path, **environment: str) -> None:
    """Run the lines of a script. The first line that fails ends the rehearsal."""
    shell = ["bash", "-exc", script]
    subprocess.run(shell, cwd=folder, env=os.environ | environment, check=True)


TOOLS = """
python -m build --outdir "$DIST"
twine check --strict "$DIST"/*
check-wheel-contents "$DIST"/*.whl
validate-pyproject pyproject.toml
"""
USER = "python -m venv . && PATH=$PWD/bin:$PATH\n"


def main(folder: str, tag: str = "") -> None:
    """Build and check a release, and exit with all faults."""
    dist = Path(folder).resolve()
    run(TOOLS, ROOT, DIST=str(dist))
    [wheel] = dist.glob("*.whl")
    [about] = zipfile.Path(wheel).glob("*.dist-info/METADATA")
    metadata, changes = about.read_text("utf-8"), ROOT / "CHANGELOG.md"
    if faults := [*wrong(metadata, changes.read_text("utf-8"), tag)]:
        sys.exit("\n".join(["The metadata, or the change log:", *faults]))
    if tag:
        # pip finds the wheel in addition to the packages of the index.
        command = re.search(COMMAND, metadata, re.M)[1]
        with TemporaryDirectory() as user:
            run(USER + command, Path(user), PIP_FIND_LINKS=str(dist))


if __name__ == "__main__":
    main(*sys.argv[1:])
