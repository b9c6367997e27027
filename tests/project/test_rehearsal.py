"""The rehearsal of a release names what was spoiled; `nox -s rehearsal` runs it on
real files.
"""

import re
import runpy
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CHECKS, BUILD = (
    SimpleNamespace(**runpy.run_path(str(ROOT / ".ci" / name)))
    for name in ("rehearse.py", "metadata.py")
)


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
def test_a_rehearsal_names_what_is_spoiled(old, new):
    sound = METADATA, CHANGES
    assert [*CHECKS.wrong(*sound, "v1.2.0")] == []
    spoiled = [text.replace(old, new) for text in sound]
    assert [*CHECKS.wrong(*spoiled, "v1.2.0")]


@pytest.mark.parametrize("name", ["index", "data_that_does_not_fit", "reference/index"])
def test_pages_for_users_have_two_forms(name):
    [text] = [path.read_text() for path in ROOT.glob(f"docs/{name}.*")]
    assert re.search(CHECKS.CHECKOUT, text)
    assert not re.search(CHECKS.CHECKOUT, BUILD.installed(text))
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
