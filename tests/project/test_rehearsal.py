"""The rehearsal of a release names what was spoiled, and nothing else; `.ci/run` runs
it on real files.
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
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = PYPROJECT["project"]
CHECKS, BUILD = (
    SimpleNamespace(**runpy.run_path(str(ROOT / ".ci" / name)))
    for name in ("rehearse.py", "metadata.py")
)


@pytest.fixture
def release(tmp_path):
    """Write what the checks read of a checkout, and a wheel of it."""
    texts = {
        "sklearn_ap/__init__.py": '__version__ = "1.2.0"\n',
        "sklearn_ap/py.typed": "",
        "sklearn_ap/records.toml": "",
        "CHANGELOG.md": "# Changelog\n\n## 1.2.0 (2026-01-31)\n\n## 1.1.0 (2025-01-31)\n",
        "CITATION.cff": "version: 1.2.0\n",
        "docs/citation.md": "  version = {1.2.0},\n",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    about = [f"sklearn_ap-1.2.0.dist-info/{name}" for name in sorted(CHECKS.ABOUT)]
    package = [name for name in texts if "sklearn_ap" in name]
    return SimpleNamespace(
        root=tmp_path, names=[*package, *about], wheel=tmp_path / "a.whl"
    )


def written(wheel, names, text=""):
    with ZipFile(wheel, "w") as archive:
        for name in names:
            archive.writestr(name, text)
    return wheel


@pytest.mark.parametrize("name", CHECKS.VERSIONS)
def test_each_file_says_the_version_of_the_wheel(release, name):
    assert list(CHECKS.wrong_versions(release.root, "1.2.0")) == []
    path = release.root / name
    path.write_text(path.read_text().replace("1.2.0", "1.3.0"))
    found = list(CHECKS.wrong_versions(release.root, "1.2.0"))
    assert found == [f"{name} says version 1.3.0; the wheel says 1.2.0."]


def test_wheel_holds_the_package_alone(release):
    assert (
        list(CHECKS.wrong_files(written(release.wheel, release.names), release.root))
        == []
    )
    names = [*release.names[1:], "tests/test_a.py"]
    assert list(CHECKS.wrong_files(written(release.wheel, names), release.root)) == [
        "a.whl holds tests/test_a.py, which no user needs.",
        "a.whl lacks sklearn_ap/__init__.py.",
    ]


def test_a_release_needs_its_tag_a_day_and_an_address(release):
    page = "Source, https://example.org/someone/sklearn_ap"
    assert list(CHECKS.not_released(release.root, "1.2.0", page, "v1.2.0")) == []
    path = release.root / "CHANGELOG.md"
    path.write_text(path.read_text().replace("2026-01-31", "unreleased"))
    found = list(
        CHECKS.not_released(
            release.root, "1.2.0", page.replace("someone", "OWNER"), "v1.1"
        )
    )
    said = [
        re.match(r"The tag is v1.1|CHANGELOG|The metadata", one)[0] for one in found
    ]
    assert said == ["The tag is v1.1", "CHANGELOG", "The metadata"]
    subprocess.run(["git", "init", "--quiet"], cwd=release.root, check=True)
    *_, changed = CHECKS.not_released(release.root, "1.2.0", page, "v1.2.0")
    assert re.search(
        r"no commit has; commit them:\n.*\?\? CHANGELOG.md$",
        changed,
        re.DOTALL | re.MULTILINE,
    )


def test_readme_has_two_forms():
    readme = (ROOT / "README.md").read_text()
    links = re.findall(r"\]\(((?:docs/|LICENSE)\S*)\)", readme)
    faults = list(CHECKS.wrong_page(readme))
    assert len([one for one in faults if "relative link" in one]) == len(links) > 10
    assert [one for one in faults if "checkout" in one and "pytest" in one]
    page = BUILD.on_the_index(readme, "https://example.org/someone/sklearn_ap", "1.2.0")
    assert list(CHECKS.wrong_page(page)) == []
    command = CHECKS.first_command(page)
    assert command == "pip install sklearn-ap\nsklearn-ap --example"
    assert "](https://someone.github.io/sklearn_ap/v1.2.0/fraud.html)" in page
    assert (
        "](https://example.org/someone/sklearn_ap/raw/v1.2.0/docs/family.png)" in page
    )


def test_page_of_an_index_is_for_those_without_a_checkout():
    page = (
        "```console\npip install sklearn-ap\n```\n"
        "[a](https://example.org/a.md), [b](#b)\n```\n[c](d)\n```\n"
    )
    assert list(CHECKS.wrong_page(page)) == []
    of_checkout = (
        "a checkout of this repository",
        "git clone x",
        "pip install .",
        'install ".[plot]"',
    )
    of_checkout += (
        "pip install '.[plot]'",
        "python -m benchmarks",
        '<a href="docs/a.md">',
        "[a]: docs/a.md",
    )
    for line in of_checkout:
        assert len(list(CHECKS.wrong_page(page + line))) == 1


@pytest.mark.parametrize("name", ["index", "data_that_does_not_fit", "reference/index"])
def test_pages_for_users_have_two_forms(name):
    [text] = [path.read_text() for path in ROOT.glob(f"docs/{name}.*")]
    assert CHECKS.CHECKOUT.search(text)
    assert not CHECKS.CHECKOUT.search(BUILD.installed(text))
    assert f'"{name}"' in (ROOT / "docs" / "conf.py").read_text()


def test_a_release_lacks_nothing_beside_what_only_a_person_can_give(tmp_path):
    """The list on maintaining leads to the text that it names, until it is given."""
    names = {"docs/maintaining.md"}
    page = (ROOT / "docs" / "maintaining.md").read_text()
    by_a_person = CHECKS.BY_A_PERSON.findall(page)
    names |= {name for name, _, _ in by_a_person}
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text((ROOT / name).read_text())
    is_owned = f"/{CHECKS.PLACEHOLDER}/" not in (ROOT / "pyproject.toml").read_text()
    CHECKS.give_examples(tmp_path)
    for name, text, example in by_a_person:
        assert is_owned or example in (tmp_path / name).read_text(), text
    address = (tmp_path / "pyproject.toml").read_text()
    version = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(), re.M)
    found = CHECKS.not_released(tmp_path, version[1], address, f"v{version[1]}")
    assert list(found) == []


def test_every_python_that_is_promised_is_tested():
    promised = re.findall(r"Python :: (3\.\d+)\b", "\n".join(PROJECT["classifiers"]))
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text()
    assert (
        re.findall(r"3\.\d+", re.search(r"python: \[(.*)\]", workflow)[1]) == promised
    )
    assert f">={promised[0]}" == PROJECT["requires-python"]
    script = (ROOT / ".ci" / "run").read_text()
    newest, oldest = re.findall(r"\$\(interpreter ([\d. ]+)\)", script)
    assert newest.split()[::-1] == promised
    assert oldest == promised[0]


def test_extras_are_what_users_install():
    """Each is a command of README or of a page; groups are for developers."""
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    texts = "".join(page.read_text() for page in pages)
    named = re.findall(r'"\.\[([\w,]+)\]"', texts)
    extras = {extra for names in named for extra in names.split(",")}
    assert sorted(PROJECT["optional-dependencies"]) == sorted(extras)


@pytest.mark.parametrize("name", ["release.yml", "site.yml", "tests.yml"])
def test_actions_of_others_are_pinned_by_their_commit(name):
    used = re.findall(
        r"uses: (\S+)", (ROOT / ".github" / "workflows" / name).read_text()
    )
    assert used
    assert [
        one for one in used if not re.fullmatch(r"\./\S+|\S+@[0-9a-f]{40}", one)
    ] == []
