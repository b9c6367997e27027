#!/usr/bin/env -S uv run --script
# /// script
# dependencies = ["nox>=2024.4.15"]
# ///
"""One word for each task: `nox -s tests`, and `nox -l` for the others."""

import nox

nox.needs_version = ">=2024.4.15"
nox.options.default_venv_backend = "venv"


@nox.session(python=["3.11", "3.12", "3.13", "3.14"], default=False)
def matrix(session: nox.Session) -> None:
    """Test by every supported interpreter that is installed."""
    session.install(".[test]")
    session.run("pytest", "-n", "2", *session.posargs)


@nox.session
def tests(session: nox.Session) -> None:
    """Test with the newest dependencies; arguments behind `--` are those of pytest."""
    session.install("-e", ".[test]")
    session.run("pytest", "-n", "2", *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Check the style, and write nothing."""
    extra = nox.project.load_toml("pyproject.toml")["project"]["optional-dependencies"]["test"]
    session.install(*(one for one in extra if one.startswith("ruff")))  # the others take 1.6 GB
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")


@nox.session
def types(session: nox.Session) -> None:
    """Check the types."""
    session.install("-e", ".[test,types]")
    session.run("mypy")
    session.run("pyright")
    session.run("pyright", "--verifytypes", "sklearn_ap", "--ignoreexternal")


@nox.session(default=False)
def docs(session: nox.Session) -> None:
    """Build the site, and check it."""
    session.install("-e", ".[docs]")
    session.run("python", "-m", "sphinx", "-W", "docs", "docs/_build/html")
    session.run("python", "docs/scripts/check_site.py", "docs/_build/html", *session.posargs)


@nox.session(default=False)
def benchmarks(session: nox.Session) -> None:
    """Measure; `nox -s benchmarks -- --goals` prints the goals."""
    session.install("-e", ".[benchmark,files]")
    session.run("python", "-m", "benchmarks", *session.posargs)


@nox.session(default=False)
def mutation(session: nox.Session) -> None:
    """Plant faults, and find those that no test sees: `nox -s mutation -- run results.jsonl --count 30`."""
    session.install("-e", ".[test]")
    session.run("python", "-m", "tests.mutation", *(session.posargs or ["list"]))


@nox.session(default=False)
def rehearse(session: nox.Session) -> None:
    """Rehearse a release; `-- --tag v0.1.0` asks for what only a release must have."""
    session.install(".[release]")
    session.run("python", ".ci/rehearse.py", *session.posargs)


if __name__ == "__main__":
    nox.main()
