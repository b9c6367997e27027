"""The rehearsal of a release names what was spoiled, and nothing else; `nox -s
rehearsal` runs it on real files.
"""

import re
import runpy
import subprocess
import tomllib
from pathlib import Path
from types import SimpleNamespace
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CHECKS, BUILD = (
    SimpleNamespace(**runpy.run_path(str(ROOT / ".ci" / name)))
    for name in ("rehearse.py", "metadata.py")
)


@pytest.fixture
def release(tmp_path):
    """Write what the checks read of a checkout."""
    texts = {
        "sklearn_ap/__init__.py": '__version__ = "1.2.0"\n',
        "sklearn_ap/py.typed": "",
        "CHANGELOG.md": "# Changelog\n\n## 1.2.0 (2026-01-31)\n\n## 1.1.0 (2025-01-31)\n",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def faults_of(root, names, page, tag):
    """What is said of a wheel with these files and of this checkout."""
    wheel = root.parent / "a.whl"
    about = [f"sklearn_ap-1.2.0.dist-info/{name}" for name in CHECKS.ABOUT]
    with ZipFile(wheel, "w") as archive:
        for name in [*names, *about]:
            archive.writestr(name, "")
    return [
        *CHECKS.wrong_versions(root, "1.2.0"),
        *CHECKS.wrong_files(wheel, root),
        *CHECKS.not_released(root, "1.2.0", page, tag),
        *CHECKS.wrong_page(page),
    ]


def test_a_rehearsal_names_what_is_spoiled_and_nothing_else(release):
    names = ["sklearn_ap/__init__.py", "sklearn_ap/py.typed"]
    page = "```console\npip install sklearn-ap\n```\n[a](https://example.org/a.md)\n"
    assert faults_of(release, names, page, "v1.2.0") == []
    for name in CHECKS.VERSIONS:
        path = release / name
        text = path.read_text().replace("1.2.0", "1.3.0")
        path.write_text(text.replace("2026-01-31", "unreleased"))
    subprocess.run(["git", "init", "--quiet"], cwd=release, check=True)
    page += '\npip install ".[plot]"\npython -m benchmarks\n[b]: docs/b.md\n/OWNER/'
    found = faults_of(release, [*names[1:], "tests/test_a.py"], page, "v1.1")
    expected = [
        "sklearn_ap/__init__.py says version 1.3.0;",
        "CHANGELOG.md says version 1.3.0;",
        "a.whl holds tests/test_a.py, which no user needs.",
        "a.whl lacks sklearn_ap/__init__.py.",
        "The tag is v1.1; write v1.2.0.",
        "CHANGELOG.md's newest section is of unreleased;",
        "The metadata name the placeholder OWNER;",
        "The checkout has changes that no commit has; commit them:\n?? CHANGELOG.md",
        "The index's page has the relative link docs/b.md.",
        *["The index's page tells of a checkout"] * 2,
    ]
    for fault, start in zip(found, expected, strict=True):
        assert fault.startswith(start)


@pytest.mark.parametrize("name", ["index", "data_that_does_not_fit", "reference/index"])
def test_pages_for_users_have_two_forms(name):
    [text] = [path.read_text() for path in ROOT.glob(f"docs/{name}.*")]
    assert CHECKS.CHECKOUT.search(text)
    assert not CHECKS.CHECKOUT.search(BUILD.installed(text))
    assert f'"{name}"' in (ROOT / "docs" / "conf.py").read_text()


def test_every_python_that_is_promised_is_tested():
    promised = re.findall(r"Python :: (3\.\d+)\b", "\n".join(PROJECT["classifiers"]))
    assert PROJECT["requires-python"] == f">={promised[0]}"
    for name, line in {
        ".github/workflows/tests.yml": f"python: {promised}".replace("'", '"'),
        ".ci/run": f"for version in {' '.join(promised[::-1])};",
        "noxfile.py": f'python="{promised[0]}"',
    }.items():
        assert line in (ROOT / name).read_text(), name


def test_extras_are_what_users_install():
    """Each is a command of README or of a page; groups are for developers."""
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    texts = "".join(page.read_text() for page in pages)
    named = ",".join(re.findall(r'"\.\[([\w,]+)\]"', texts))
    assert PROJECT["optional-dependencies"].keys() == {*named.split(",")}


@pytest.mark.parametrize("name", ["release.yml", "site.yml", "tests.yml"])
def test_actions_of_others_are_pinned_by_their_commit(name):
    workflow = (ROOT / ".github" / "workflows" / name).read_text()
    used = re.findall(r"uses: (\S+)", workflow)
    assert used
    for action in used:
        assert re.fullmatch(r"\./\S+|\S+@[0-9a-f]{40}", action), action
