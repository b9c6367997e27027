"""The map from files of the package to their tests has no stale entry."""

from fnmatch import fnmatch
from pathlib import Path

import pytest

import sklearn_ap
from tests.of import ROOT, TESTS, suites_of

PACKAGE = Path(sklearn_ap.__file__).parent
FILES = {
    path.relative_to(PACKAGE).with_suffix("").as_posix(): path
    for path in PACKAGE.rglob("*.py")
}


@pytest.mark.parametrize("pattern", TESTS)
def test_a_pattern_has_files_and_tests(pattern):
    assert any(fnmatch(file, pattern) for file in FILES)
    for name in TESTS[pattern]:
        assert list((ROOT / "tests").glob(f"*/test_{name}.py")), name


def test_the_tests_of_a_file():
    of_blocks = suites_of(ROOT / "sklearn_ap" / "_core" / "ranking" / "blocks.py")
    assert "tests/core/test_kernels.py" in of_blocks
    of_types = suites_of(ROOT / "sklearn_ap" / "_core" / "typing.py")
    assert "tests/core/test_against_oracle.py" in of_types
    assert {Path(one).parent.name for one in of_types} == {"core"}
