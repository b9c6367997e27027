"""The end of a run names the libraries that began to warn."""

from types import SimpleNamespace

import pandas

import warned


def failed(path, message):
    crash = SimpleNamespace(path=path, message=message)
    return SimpleNamespace(longrepr=SimpleNamespace(reprcrash=crash))


def test_warnings_are_counted_by_library(monkeypatch):
    # This takes a second.
    monkeypatch.setattr(
        warned, "packages_distributions", lambda: {"pandas": ["pandas"]}
    )
    message = "pandas.errors.Pandas4Warning: gone soon"
    reports = [failed(pandas.__file__, f"{message}\nand more")] * 2
    reports += [failed("a.py", "UserWarning: own"), failed("a.py", "assert 1 == 2")]
    # A failure may have no place, as if a fixture is missing.
    reports.append(SimpleNamespace(longrepr="text"))
    assert warned.lines_of(reports) == [
        f"pandas {pandas.__version__}: {message} (tests: 2)",
        "a.py: UserWarning: own (tests: 1)",
    ]
