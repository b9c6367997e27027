"""Rehearse a release: build it in a temporary folder, and name everything that a user
would stumble over.

* ``python .ci/rehearse.py`` builds, checks and prints sizes.
* ``python .ci/rehearse.py dist`` keeps the wheel and the sdist in that folder.
* ``python .ci/rehearse.py dist --tag v0.1.0`` asks also for what only a release must
  have, and runs the first command of README as a user does.

It needs the group `release`.
"""

import argparse
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from datetime import date
from email.parser import Parser
from pathlib import Path
from zipfile import ZipFile

ROOT = Path(__file__).resolve().parent.parent
ABOUT = {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE"}
SUFFIXES = {
    ".py",
    ".toml",
    ".json",
    ".html",
}  # of the package: code, records, the schema and the page of reports
# of the repository's address in pyproject.toml, until there is one
PLACEHOLDER = "OWNER"
# what only a person can give, as contributing lists it: a file, the text that stands
# there until then, and an example
BY_A_PERSON = re.compile(
    r"^\|[^|`]+\| `([^`]+)` \| `([^`]+)` \| `([^`]+)` \|$", re.MULTILINE
)
CHECKOUT = re.compile(
    r".*(?:\bcheckout\b|git clone|pip install (?:-\S+ )*['\"]?\.|\"\.\[|python -m (?:benchmarks|tests)).*",
    re.IGNORECASE,
)
COMMAND = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
RELATIVE = re.compile(
    r"(?:\]\(|^\[[^]]+\]:\s+|(?:href|src)=[\"'])(?!https?://|#)([^)\s\"']+)",
    re.MULTILINE,
)
VERSIONS = {  # file: where it says the version of the next release
    "sklearn_ap/__init__.py": r'^__version__ = "(.+)"$',
    "CHANGELOG.md": r"^## (\S+) \(",
}


def wrong_versions(root: Path, version: str) -> Iterator[str]:
    """Name each file that says another version than the wheel, the changelog in its
    newest section.
    """
    for name, pattern in VERSIONS.items():
        told = re.search(
            pattern, (root / name).read_text(encoding="utf-8"), re.MULTILINE
        )
        if told is None or told[1] != version:
            yield f"{name} says version {told and told[1]}; the wheel says {version}."


def wrong_files(wheel: Path, root: Path) -> Iterator[str]:
    """Name the files that no user needs, and those of the checkout that are not in the
    wheel.
    """
    needed = (
        file
        for file in (root / "sklearn_ap").rglob("*")
        if file.suffix in SUFFIXES or file.name == "py.typed"
    )
    expected = {file.relative_to(root).as_posix() for file in needed}
    with ZipFile(wheel) as archive:
        found = {
            re.sub(r"^sklearn_ap-[^/]+\.dist-info/", "", name)
            for name in archive.namelist()
        }
    for name in sorted(found - expected - ABOUT):
        yield f"{wheel.name} holds {name}, which no user needs."
    for name in sorted((expected | ABOUT) - found):
        yield f"{wheel.name} lacks {name}."


def differences(wheel: Path, other: Path) -> Iterator[str]:
    """Name what the wheel of the sdist holds otherwise than the wheel of the
    checkout.
    """
    with ZipFile(wheel) as ours, ZipFile(other) as theirs:
        for name in sorted({*ours.namelist(), *theirs.namelist()}):
            holders = [one for one in (ours, theirs) if name in one.namelist()]
            if len({one.read(name) for one in holders}) > 1 or len(holders) == 1:
                yield f"{name} of the sdist's wheel is not the checkout's."


def metadata_of(wheel: Path) -> str:
    """Return what a wheel says of itself, with README at its end."""
    with ZipFile(wheel) as archive:
        about = next(
            name for name in archive.namelist() if name.endswith(".dist-info/METADATA")
        )
        return archive.read(about).decode()


def first_command(metadata: str) -> str:
    """Return the first command of README."""
    block = COMMAND.search(metadata)
    return block[1].strip() if block else ""


def wrong_page(metadata: str) -> Iterator[str]:
    """Name what is wrong on the page of an index: links that lead nowhere, and what
    needs a checkout.
    """
    for link in RELATIVE.findall(
        re.sub(r"^```.*?^```$", "", metadata, flags=re.DOTALL | re.MULTILINE)
    ):
        yield f"The index's page has the relative link {link}."
    for line in CHECKOUT.findall(metadata):
        yield f"The index's page tells of a checkout, which its readers do not have: {line.strip()!r}."
    if not first_command(metadata).startswith("pip install sklearn-ap"):
        yield f"The index's page begins with the command {first_command(metadata)!r}; install sklearn-ap."


def not_released(root: Path, version: str, metadata: str, tag: str) -> Iterator[str]:
    """Name what is right in a checkout, but wrong in a release."""
    if tag != f"v{version}":
        yield f"The tag is {tag}; write v{version}."
    day = re.search(
        r"^## \S+ \((.+)\)$",
        (root / "CHANGELOG.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    try:
        date.fromisoformat(day[1] if day else "")
    except ValueError:
        yield f"CHANGELOG.md's newest section is of {day and day[1]}; write the day, such as 2026-01-31."
    if f"/{PLACEHOLDER}/" in metadata:
        yield f"The metadata name the placeholder {PLACEHOLDER}; write the address in pyproject.toml."
    status = ["git", "status", "--porcelain"]
    changed = subprocess.run(
        status, cwd=root, capture_output=True, text=True, check=False
    ).stdout
    if changed:  # the tag would name other files than those that were built
        yield f"The checkout has changes that no commit has; commit them:\n{changed.rstrip()}"


def give_examples(root: Path) -> None:
    """Write into a checkout an example of what only a person can give."""
    page = (root / "docs" / "maintaining.md").read_text(encoding="utf-8")
    for name, text, example in BY_A_PERSON.findall(page):
        path = root / name
        path.write_text(
            path.read_text(encoding="utf-8").replace(text, example), encoding="utf-8"
        )


def missing_beside(sdist: Path, work: Path) -> Iterator[str]:
    """Name what a release lacks beside what only a person can give."""
    with tarfile.open(sdist) as archive:
        archive.extractall(work, filter="data")
    (root,) = work.iterdir()
    (root / "PKG-INFO").unlink()  # hatchling would read the address from it
    give_examples(root)
    yield from run("build", "--wheel", root)
    for wheel in (root / "dist").glob("*.whl"):
        metadata = metadata_of(wheel)
        version = Parser().parsestr(metadata)["Version"]
        yield from wrong_page(metadata)
        yield from not_released(root, version, metadata, f"v{version}")
        yield from run("twine", "check", "--strict", wheel)


def run(*command: object) -> Iterator[str]:
    """Run a module of this interpreter, and yield what it printed if it failed."""
    done = subprocess.run(
        [sys.executable, "-m", *map(str, command)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        yield f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}"


def command_fails(metadata: str, wheel: Path, work: Path) -> Iterator[str]:
    """Run the first command of README in a new environment, where a constraint makes
    pip take the wheel in place of the index.
    """
    constraint = work / "constraint.txt"
    constraint.write_text(f"sklearn-ap @ {wheel.as_uri()}\n")
    yield from run("venv", work / "user")
    path = f"{work / 'user' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-exc", first_command(metadata)],
        cwd=work,
        env={**os.environ, "PATH": path, "PIP_CONSTRAINT": str(constraint)},
        check=False,
    )
    if done.returncode:
        yield "README's first command fails as a user runs it."


def complaints(work: Path, dist: Path, tag: str | None) -> Iterator[str]:
    """Yield what is wrong with the files that `python -m build` makes: the sdist, and
    the wheel from it.
    """
    yield from run("build", "--outdir", dist)
    yield from run("build", "--wheel", "--outdir", work / "checkout")
    (sdist,), (wheel,), (other,) = (
        list(folder.glob(kind))
        for folder, kind in [
            (dist, "*.tar.gz"),
            (dist, "*.whl"),
            (work / "checkout", "*.whl"),
        ]
    )
    metadata = metadata_of(wheel)
    version = Parser().parsestr(metadata)["Version"]
    yield from wrong_versions(ROOT, version)
    yield from wrong_files(wheel, ROOT)
    yield from differences(wheel, other)
    yield from wrong_page(metadata)
    yield from run("check_wheel_contents", wheel)
    yield from run("twine", "check", "--strict", sdist, wheel)
    yield from run("validate_pyproject", "pyproject.toml")
    if tag is None:
        yield from missing_beside(sdist, work / "with_examples")
    else:
        yield from not_released(ROOT, version, metadata, tag)
        yield from command_fails(metadata, wheel, work)
    for built in (wheel, sdist):
        print(f"{built.name}: {built.stat().st_size / 1e3:,.0f} kB")
    with ZipFile(wheel) as archive:
        files = archive.infolist()
        print(
            f"installed: {len(files)} files, {sum(one.file_size for one in files) / 1e3:,.0f} kB"
        )


def main() -> None:
    """Print what is wrong, and fail if anything is."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "dist", nargs="?", type=Path, help="folder to keep the files in"
    )
    parser.add_argument("--tag", help="the tag that releases it, such as v0.1.0")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        dist = (arguments.dist or work / "dist").resolve()
        found = list(complaints(work, dist, arguments.tag))
    print("\n".join(found) or "nothing is wrong with this release")
    raise SystemExit(bool(found))


if __name__ == "__main__":
    main()
