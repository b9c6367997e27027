#!/usr/bin/env -S uv run --script
# /// script
# dependencies = ["nox>=2024.10.9"]
# ///
"""What CI runs: `nox -l` lists the sessions, `nox -s lint site` runs two of them.

`.ci/run` installs nox, and runs sessions side by side.
"""

import os
import shutil
from pathlib import Path

import nox

ROOT = Path(__file__).parent
BUILT = "sklearn_ap .git .nox .venv .*_cache .hypothesis dist __pycache__ _build"
BUILT += " auto_examples generated sg_execution_times.rst"
TESTS = (".[test]", "--group", "more-tests")
# Builds of torch for the CPU. The other ones for Linux take gigabytes, so torch is
# installed before the packages that require it.
TORCH = "--index-url", "https://download.pytorch.org/whl/cpu", "torch"
OLDEST = (
    "scikit-learn==1.5.0 numpy==2.0.0 scipy==1.13.0 pandas==2.2.2 pyarrow==16.0.0"
    " polars==1.34.0 duckdb==2.0.0 pyspark==4.0.0"
)
# These tests take long, and check this checkout, disks or digits. No version changes
# what they find.
NEWEST_ALONE = (
    "pages report/test_page.py compatibility/test_identify.py"
    " project/test_uncertainty_benchmarks.py"
)
# Also scikit-learn's own tests of its display, which take up to a minute.
WITH_SCIKIT_LEARN = "-m", "not peers and not clients and not slow"
WITHOUT_GIL = "array-api-strict hypothesis ml-dtypes pandas pyarrow pytest pytest-xdist"
nox.needs_version = ">=2024.10.9"
nox.options.sessions = ["lint", "types", "newest", "oldest", "rehearsal", "site"]
# uv would ignore the configuration of pip.
nox.options.default_venv_backend = "virtualenv"
nox.options.error_on_missing_interpreters = True


def test(session, packages, *options):
    """Run pytest in a copy of the tests, where only the installed package is found."""
    # Compiling all files takes a minute, and imports compile the files that they need.
    session.install("--no-compile", *packages)
    copy = Path(session.virtualenv.location, "checkout")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*BUILT.split()))
    session.chdir(copy)
    session.env.setdefault("HYPOTHESIS_PROFILE", "repeatable")
    session.run("pytest", "-n", "2", *options, *session.posargs)


@nox.session
def core(session):
    """Run the tests of scores and of other packages' numbers, in less than a minute."""
    session.env["HYPOTHESIS_PROFILE"] = "brief"
    test(session, TESTS, "tests/core", "tests/compatibility")


@nox.session
def newest(session):
    """Run all tests and some benchmarks with the newest dependencies."""
    # Where pip does not reach its index, tests of tensors are skipped, except in the
    # workflow.
    codes = [0] if "GITHUB_ACTIONS" in os.environ else [0, 1]
    session.install(*TORCH, success_codes=codes)
    test(session, TESTS, *WITH_SCIKIT_LEARN)
    session.run("sklearn-ap", "--version")
    few = "--seconds=0.1", "--only=100 rows"
    session.run("python", "-m", "benchmarks", *few)


@nox.session(python="3.11")
def oldest(session):
    """Run the tests that depend on versions, with the oldest dependencies.

    A version changes what a call does, and few examples show that.
    """
    session.env.setdefault("HYPOTHESIS_PROFILE", "brief")
    left_out = [f"--ignore=tests/{name}" for name in NEWEST_ALONE.split()]
    packages = (*TESTS, *OLDEST.split())
    test(session, packages, *WITH_SCIKIT_LEARN, *left_out)


@nox.session
def nightly(session):
    """Run slow tests, too, and let hypothesis draw new examples."""
    session.env["HYPOTHESIS_PROFILE"] = "explore"
    test(session, TESTS, "-m", "not peers and not clients")


@nox.session
def faults(session):
    """Plant faults in the package, and fail if tests of a folder do not find one."""
    session.env["PYTHONPATH"] = "tests"
    session.env["HYPOTHESIS_PROFILE"] = "brief"
    test(session, TESTS, "-q", "-n", "0", "-p", "faults")


@nox.session
@nox.parametrize("group", ["clients", "more-clients"])
def clients(session, group):
    """Run the code of docs/in_other_libraries.md with the newest packages."""
    session.install(*TORCH)
    packages = ".[test]", "--group", group
    test(session, packages, "-m", "clients", "tests/pages/test_clients.py")


@nox.session
def peers(session):
    """Compare records, a table of README and a recipe with the newest packages."""
    session.install(*TORCH, "torchvision")
    packages = ".[test]", "--group", "peers"
    files = (
        "tests/compatibility/test_peers.py",
        "tests/pages/test_comparison.py",
        "tests/pages/test_trec_recipe.py",
    )
    test(session, packages, "-m", "peers", *files)


@nox.session
def coverage(session):
    """Fail if the tests run less than 97 % of the lines and branches."""
    limits = "--cov=sklearn_ap", "--cov-fail-under=97"
    test(session, (*TESTS, "--group", "coverage"), *limits)


@nox.session(name="free-threaded")
def free_threaded(session):
    """Run tests without the GIL, DuckDB and polars, which have no wheels."""
    packages = ".[plot]", "--prefer-binary", *WITHOUT_GIL.split()
    of_polars = ("errors", "names", "reading")
    options = [f"--ignore=tests/core/test_{name}.py" for name in of_polars]
    folders = ("core", "decisions", "displays", "uncertainty")
    options += [f"tests/{name}" for name in folders]
    test(session, packages, *options)
    no_gil = "import sys, sklearn_ap; assert not sys._is_gil_enabled()"
    session.run("python", "-W", "error", "-c", no_gil)


@nox.session
def lint(session):
    """Check the style, the layers, and that all public names have types."""
    session.install("--no-compile", *TESTS, "--group", "lint")
    of_names = "pyright --verifytypes sklearn_ap --ignoreexternal"
    checks = "ruff check", "ruff format --check", "lint-imports", "mypy", "pyright"
    for command in (*checks, of_names):
        session.run(*command.split())


@nox.session(python="3.11")
def types(session):
    """Check types on the oldest Python, where the newest numpy has other types."""
    session.install("--no-compile", *TESTS, "--group", "lint")
    session.run("mypy")


@nox.session
def rehearsal(session):
    """Check the files of a release in DIST. With a TAG, run the command of README."""
    session.install("--no-compile", "--group", "release")
    files = os.environ.get("DIST", f"{session.create_tmp()}/dist")
    tag = os.environ.get("TAG", "")
    session.run("bash", ".ci/rehearse", files, tag, external=True)


@nox.session
def site(session):
    """Build the site in SITE with warnings as errors, and measure it in a browser."""
    session.run("python", "docs/scripts/check_names.py")
    session.install("--no-compile", ".", "--group", "docs")
    work = session.create_tmp()
    pages = os.environ.get("SITE", f"{work}/site")
    session.run("python", "-m", "sphinx", "-q", "-W", "docs", pages)
    check = ["python", "docs/scripts/check_site.py", pages]
    if browser := shutil.which("chromium") or shutil.which("google-chrome"):
        check += ["--browser", browser]
        shutil.copy(ROOT / "docs" / "scripts" / "package.json", work)
        session.run("npm", "install", "--silent", "--prefix", work, external=True)
        check += ["--axe", f"{work}/node_modules/axe-core/axe.min.js"]
    session.run(*check)


if __name__ == "__main__":
    nox.main()
