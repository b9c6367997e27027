"""Rehearse a release: build it, let the tools of packaging check it, and name what a
user would stumble over on the page of the index.

* ``python .ci/rehearse.py dist`` keeps the wheel and the sdist in that folder.
* ``python .ci/rehearse.py dist v0.1.0`` asks also for what the release of a tag must
  have, and runs the first command of README as a user does.

It needs the group `release`.
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
COMMAND = r"(?ms)^```console\n(pip install sklearn-ap.*?)^```$"


def wrong(metadata: str, changes: str, tag: str) -> Iterator[str]:
    """Name what a release must not say, and what it must: metadata end with the page of
    the index, which no checkout stands next to.
    """
    version = re.escape(tag.removeprefix("v"))
    forbidden, wanted = [CHECKOUT, RELATIVE], [(COMMAND, metadata)]
    if tag:
        forbidden.append("/OWNER/")
        day = rf"\A# .*\n+## {version} \(\d{{4}}-\d\d-\d\d\)"
        wanted += [(rf"(?m)^Version: {version}$", metadata), (day, changes)]
    for pattern in forbidden:
        for found in re.finditer(pattern, metadata):
            yield f"The metadata have {found[0].strip()!r}."
    for pattern, text in wanted:
        if not re.search(pattern, text):
            yield f"The metadata or the change log lack {pattern}."


def install(command: str, wheel: Path) -> None:
    """Run a command in a new environment, where pip takes the wheel for the index."""
    with TemporaryDirectory() as user:
        constraint = Path(user, "constraint.txt")
        constraint.write_text(f"sklearn-ap @ {wheel.as_uri()}\n")
        run("venv", user)
        path = f"{user}/bin{os.pathsep}{os.environ['PATH']}"
        changed = {"PATH": path, "PIP_CONSTRAINT": str(constraint)}
        shell = ["bash", "-exc", command]
        subprocess.run(shell, cwd=user, env=os.environ | changed, check=True)


def run(*command: object) -> None:
    """Run a module of this interpreter, whose failure ends the rehearsal."""
    subprocess.run([sys.executable, "-m", *map(str, command)], cwd=ROOT, check=True)


def main(folder: str, tag: str = "") -> None:
    """Build, check, and fail with all that is wrong."""
    dist = Path(folder).resolve()
    run("build", "--outdir", dist)
    [sdist], [wheel] = dist.glob("*.tar.gz"), dist.glob("*.whl")
    run("twine", "check", "--strict", sdist, wheel)
    run("check_wheel_contents", wheel)
    run("validate_pyproject", "pyproject.toml")
    [about] = zipfile.Path(wheel).glob("*.dist-info/METADATA")
    metadata = about.read_text("utf-8")
    if found := [*wrong(metadata, (ROOT / "CHANGELOG.md").read_text("utf-8"), tag)]:
        sys.exit("\n".join(found))
    if tag:
        install(re.search(COMMAND, metadata)[1], wheel)


if __name__ == "__main__":
    main(*sys.argv[1:])
