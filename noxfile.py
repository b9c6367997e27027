"""What CI runs: `nox -l` lists the sessions, `nox -s lint site` runs two of them.

`.ci/run` installs nox, and runs sessions side by side.
"""

import os
import shutil
from pathlib import Path

import nox

ROOT = Path(__file__).parent
NOT_COPIED = (
    "sklearn_ap .git .nox .venv .*_cache .hypothesis dist"
    " __pycache__ _build auto_examples generated sg_execution_times.rst"
)
TESTS = (".[test]", "--group", "more-tests")
OLDEST = (
    "scikit-learn==1.5.0 numpy==2.0.0 scipy==1.13.0 pandas==2.2.2 pyarrow==16.0.0"
    " polars==1.3.0 duckdb==2.0.0 pyspark==4.0.0"
)
WITHOUT_GIL = "array-api-strict hypothesis ml-dtypes pandas pyarrow pytest pytest-xdist"
# Long, and about this checkout, disks or digits, which no version changes.
NEWEST_ALONE = (
    "pages",
    "report",
    "compatibility/test_identify.py",
    "distributed/test_distributed_faults.py",
    "project/test_uncertainty_benchmarks.py",
)
nox.options.sessions = ["lint", "newest", "oldest", "rehearsal", "site"]
nox.options.default_venv_backend = "virtualenv"  # uv reads no configuration of pip
nox.options.error_on_missing_interpreters = True


def install(session, *packages):
    """Install, but leave compiling to imports: to compile all takes a minute."""
    session.install("--no-compile", *packages)


def test(session, *options):
    """Run pytest in a copy of the tests, where only the installed package is found."""
    copy = Path(session.virtualenv.location, "checkout")
    shutil.rmtree(copy, ignore_errors=True)
    ignore = shutil.ignore_patterns(*NOT_COPIED.split())
    shutil.copytree(ROOT, copy, ignore=ignore)
    session.chdir(copy)
    where = 'import sklearn_ap; assert "site-packages" in sklearn_ap.__file__'
    session.run("python", "-c", where)
    session.run("pytest", "-n", "2", *options, *session.posargs)


@nox.session
def newest(session):
    """Run all tests with the newest dependencies, and some benchmarks."""
    install(session, *TESTS)
    test(session)
    session.run("sklearn-ap", "--version")
    benchmarks = ["python", "-m", "benchmarks", "--seconds", "0.1"]
    session.run(*benchmarks, "--only", "100 samples")


@nox.session(python="3.11")
def oldest(session):
    """Run the tests that a version may change, with the oldest dependencies."""
    left_out = [Path("tests", name) for name in NEWEST_ALONE]
    assert all((ROOT / path).exists() for path in left_out), left_out
    install(session, *TESTS, *OLDEST.split())
    test(session, *(f"--ignore={path}" for path in left_out))


@nox.session
def coverage(session):
    """Count lines and branches; a new file without tests takes them below the limit."""
    install(session, *TESTS, "--group", "coverage")
    test(session, "--cov=sklearn_ap", "--cov-fail-under=97")


@nox.session(name="free-threaded")
def free_threaded(session):
    """Run tests without DuckDB and polars, which lack wheels, and without the GIL."""
    install(session, ".[plot]", "--prefer-binary", *WITHOUT_GIL.split())
    no_gil = "import sys, sklearn_ap; assert not sys._is_gil_enabled()"
    session.run("python", "-W", "error", "-c", no_gil)
    of_polars = ("queries", "reading", "scikit_learn_parity")
    left_out = [f"--ignore=tests/core/test_{name}.py" for name in of_polars]
    folders = ("core", "decisions", "displays", "uncertainty")
    selected = [f"tests/{name}" for name in folders]
    test(session, "-k", "not beyond_memory", *left_out, *selected)


@nox.session
def lint(session):
    """Check style, layers and types, which all public names must have."""
    install(session, *TESTS, "--group", "lint")
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    session.run("lint-imports")
    session.run("mypy")
    session.run("pyright")
    session.run("pyright", "--verifytypes", "sklearn_ap", "--ignoreexternal")


@nox.session
def rehearsal(session):
    """Check the files of a release, kept in DIST; for a TAG, run README's command."""
    install(session, "--group", "release")
    files = os.environ.get("DIST", str(Path(session.create_tmp(), "dist")))
    tag = os.environ.get("TAG")
    options = ["--tag", tag] if tag else []
    session.run("python", ".ci/rehearse.py", files, *options)


@nox.session
def site(session):
    """Build the site, kept in SITE; warnings are errors, a browser measures pages."""
    install(session, ".", "--group", "docs")
    work = Path(session.create_tmp())
    pages = os.environ.get("SITE", str(work / "site"))
    session.run("python", "-m", "sphinx", "-q", "-W", "docs", pages)
    check = ["python", "docs/scripts/check_site.py", pages]
    if browser := shutil.which("chromium") or shutil.which("google-chrome"):
        check += ["--browser", browser]
        npm = ["npm", "install", "--silent", "--no-save", "--prefix", str(work)]
        no_matter = range(256)  # without a network, axe is left out
        session.run(*npm, "axe-core@4.14.1", external=True, success_codes=no_matter)
        axe = work / "node_modules" / "axe-core" / "axe.min.js"
        if axe.exists():
            check += ["--axe", str(axe)]
    session.run(*check)
