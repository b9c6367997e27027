"""Runs tests on faults, in forks of a process that has loaded what they need.

A mutant then costs the import of the package and its tests alone, about half a second.
This module imports nothing of the package: each fork finds it in a copy of the
checkout.
"""

import math
import os
import resource
import shutil
import signal
import sys
import time
from collections import Counter
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import hypothesis
import pytest

from .faults import Mutant

__all__ = [
    "CPU_SECONDS",
    "LOADED",
    "PATIENCE",
    "WHOLE_SECONDS",
    "Copy",
    "Outcome",
    "warm_up",
]

CPU_SECONDS = 60  # a fault that hangs counts as killed after this, or after ...
PATIENCE = 4  # ... times what the same tests take without a fault, whichever is longer
WHOLE_SECONDS = 600  # for whole test files, and for tests without a fault
WALL_SECONDS = 7  # per CPU second: other processes may keep the machine busy
# of a property test, at most, while the first test that fails is looked for
EXAMPLES = 30
MANY = 160  # cases of one test; about a quarter of more is run
# tests that start another Python: it would not see the limits of time
NEEDS_A_PROCESS = ["without_simd"]
SLOW = [
    *NEEDS_A_PROCESS,
    "side_by_side",
    "every_length",
    "edges_of_blocks",
    "extreme_weights",
]
COPIED = ["tests", "benchmarks", "docs", "README.md", "CHANGELOG.md", "pyproject.toml"]
MODULES = "calibration datasets ensemble linear_model metrics model_selection multiclass naive_bayes svm"
LOADED = [
    *("numpy", "pandas", "polars", "pyarrow", "scipy.special", "matplotlib.pyplot"),
    *(f"sklearn.{name}" for name in MODULES.split()),
]
WARNINGS = [  # of what is loaded before pytest, or first in a fork
    "ignore::pytest.PytestAssertRewriteWarning",
    "ignore:the matrix subclass:PendingDeprecationWarning",
]
NOT_THE_PACKAGE = 97  # exit code of a fork that would test another copy of the package


class Outcome(NamedTuple):
    """What came of a fault: a `verdict`, "survived" or "killed ...", and the test that
    has `seen` it.
    """

    verdict: str
    seconds: float
    seen: str = ""


def warm_up(modules: list[str]) -> None:
    """Load modules that the tests need, where they are installed, and let property
    tests not shrink.
    """
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[variable] = "1"
    os.environ["HYPOTHESIS_PROFILE"] = "mutation"
    os.environ["MPLBACKEND"] = "agg"
    for name in modules:
        if find_spec(name.partition(".")[0]) is not None:
            import_module(name)


class Copy:
    """A copy of a checkout in a folder of its own, where faults are planted."""

    def __init__(self, checkout: Path, package: str, folder: Path) -> None:
        self.checkout, self.folder, self._name = checkout, folder, package
        self.package = folder / package
        self._log = folder / "mutation.log"
        for name in (package, *COPIED):
            source = checkout / name
            if source.is_dir():
                shutil.copytree(
                    source,
                    folder / name,
                    ignore=shutil.ignore_patterns("__pycache__", "_build"),
                )
            elif source.exists():
                shutil.copy(source, folder / name)

    def judge(
        self,
        mutant: Mutant,
        tests: list[str],
        *,
        whole: bool = False,
        cpu_seconds: float = WHOLE_SECONDS,
    ) -> Outcome:
        """Plant a fault, run tests on it, and take it out again."""
        path = self.package / f"{mutant.file}.py"
        source = path.read_bytes()
        self._write(path, mutant.of(source))
        try:
            return self.run(tests, whole=whole, cpu_seconds=cpu_seconds)
        finally:
            self._write(path, source)

    def _write(self, path: Path, source: bytes) -> None:
        path.write_bytes(source)
        for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
            # a file of the same size and second would pass for the same
            compiled.unlink()

    def run(
        self,
        tests: list[str],
        *,
        whole: bool = False,
        cpu_seconds: float = WHOLE_SECONDS,
    ) -> Outcome:
        """Run test files until a test fails: `whole` ones, or without slow tests and
        with fewer cases.
        """
        pid = os.fork()
        if pid == 0:
            self._run_in_fork(tests, whole, math.ceil(cpu_seconds))
        status, seconds, in_time = _wait(pid, WALL_SECONDS * cpu_seconds)
        verdict = _verdict(status) if in_time else "killed by time"
        if verdict == "":
            raise RuntimeError(
                f"no verdict on {tests}: {self._log.read_text(errors='replace')[-2000:]}"
            )
        lines = self._log.read_text(errors="replace").splitlines()
        seen = next(
            (line for line in lines if line.startswith(("FAILED", "ERROR"))), ""
        )
        return Outcome(verdict, round(seconds, 1), seen[:200])

    def _run_in_fork(self, tests: list[str], whole: bool, cpu: int) -> None:
        code = NOT_THE_PACKAGE
        try:
            os.setpgid(0, 0)
            resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 5))
            out = os.open(self._log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(out, 1)
            os.dup2(out, 2)
            self._enter()
            if not whole:
                _draw_fewer_examples()
            options = _options(NEEDS_A_PROCESS if whole else SLOW)
            paths = [f"tests/{name}" for name in tests]
            code = int(
                pytest.main([*options, *paths], plugins=[] if whole else [_Thin()])
            )
        finally:
            os._exit(code)

    def _enter(self) -> None:
        """Let the package and the tests be those of this copy."""
        os.chdir(self.folder)
        os.environ["PYTHONPATH"] = str(self.folder)  # of processes that tests start
        others = [
            one for one in sys.path if one and Path(one).resolve() != self.checkout
        ]
        sys.path[:] = [str(self.folder), *others]
        for name in [
            name
            for name in sys.modules
            if name.partition(".")[0] in ("tests", self._name)
        ]:
            del sys.modules[name]
        found = find_spec(self._name)
        if found is None or not Path(str(found.origin)).is_relative_to(self.folder):
            raise RuntimeError(
                f"{self._name} would be imported from {found}, not from {self.folder}"
            )


def _options(leave: list[str]) -> list[str]:
    options = [
        "-x",
        "-q",
        "--tb=line",
        "-k",
        " and ".join(f"not {name}" for name in leave),
    ]
    for warning in WARNINGS:
        options += ["-W", warning]
    for plugin in ("xdist", "cacheprovider", "faulthandler"):
        options += ["-p", f"no:{plugin}"]
    return options


def _wait(pid: int, wall_seconds: float) -> tuple[int, float, bool]:
    """Wait for a fork; return its status, its CPU seconds, and whether it ended by
    itself.
    """
    started, in_time = time.monotonic(), True
    while True:
        done, status, usage = os.wait4(pid, os.WNOHANG)
        if done:
            return status, usage.ru_utime + usage.ru_stime, in_time
        if in_time and time.monotonic() - started > wall_seconds:
            in_time = False
            os.killpg(pid, signal.SIGKILL)
        time.sleep(0.02)


def _verdict(status: int) -> str:
    """Return what the end of a fork says; nothing where no test was run."""
    if os.WIFSIGNALED(status):
        by_time = os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL)
        return "killed by time" if by_time else "killed by a crash"
    return {
        0: "survived",
        1: "killed",
        2: "killed at collection",
        3: "killed inside pytest",
    }.get(os.WEXITSTATUS(status), "")


def _draw_fewer_examples() -> None:
    made = hypothesis.settings.__init__

    def capped(self: Any, *parents: Any, **given: Any) -> None:
        given["max_examples"] = min(given.get("max_examples", EXAMPLES), EXAMPLES)
        made(self, *parents, **given)

    hypothesis.settings.__init__ = capped


class _Thin:
    """Keeps about a quarter of the cases of a test that has many.

    A checksum says which ones: every fourth would be the same layout each time.
    """

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        tests = [item.location[2].partition("[")[0] for item in items]
        cases = Counter(tests)
        items[:] = [
            item
            for item, test in zip(items, tests, strict=True)
            if cases[test] <= MANY or crc32(item.nodeid.encode()) % 4 == 0
        ]
