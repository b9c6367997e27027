"""`python -m tests.mutation COMMAND RESULTS.jsonl`: plant small faults, and see which
tests notice.

    run      draw mutants, and run the tests that should see each until one fails
    again    run whole test files (--tests) on the survivors so far
    show     a table by file, and the difference of each survivor

Faults are planted in temporary copies of the checkout, never in its own files. So that
a survivor is cheap too, `run` leaves slow tests out, lets property tests draw few cases
and thins large tables; `again` does not. A `run` into a file that exists leaves out
what the file holds, and `again` replaces the verdicts.
"""

import argparse
import heapq
import json
import multiprocessing
import random
import sys
from collections import Counter
from dataclasses import asdict
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from .faults import Mutant, mutants_of
from .rooms import files_of, is_known, suites_of
from .server import CPU_SECONDS, LOADED, PATIENCE, WHOLE_SECONDS, Copy, warm_up

HERE, PACKAGE = Path(__file__).resolve().parents[2], "sklearn_ap"


def main() -> None:
    """Read the command line, and do what it asks."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        "python -m tests.mutation", description=__doc__, formatter_class=raw
    )
    parser.add_argument("command", choices=list(COMMANDS))
    parser.add_argument("results", type=Path, help="JSON lines, one for each mutant")
    parser.add_argument(
        "--count", type=int, default=300, help="mutants to draw in all (default: 300)"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the draw (default: 0)")
    parser.add_argument(
        "--jobs",
        type=int,
        default=1,
        help="processes, each with its own copy (default: 1)",
    )
    parser.add_argument("--only", default="", help="files whose path holds this text")
    parser.add_argument(
        "--tests",
        nargs="*",
        default=[],
        help="names of test files, such as test_at_k.py",
    )
    parser.add_argument("--checkout", type=Path, default=HERE, help="another checkout")
    parser.add_argument("--package", default=PACKAGE, help="its package")
    options = parser.parse_args()
    options.checkout = options.checkout.resolve()
    COMMANDS[options.command](options)


def _run(options: argparse.Namespace) -> None:
    done = (
        {_key(row) for row in _rows(options.results)}
        if options.results.exists()
        else set()
    )
    mutants = [
        one
        for one in _draw(_mutants(options), options.count, options.seed)
        if _key(one) not in done
    ]
    _warm_up(options)
    _in_processes(options, mutants)


def _judge(options: argparse.Namespace, mutants: list[Mutant]) -> None:
    """Judge mutants in a copy of their own, and append a line for each to the
    results.
    """
    with TemporaryDirectory() as folder, options.results.open("a") as results:
        copy = Copy(options.checkout, options.package, Path(folder))
        limits = dict[
            tuple[str, ...], float
        ]()  # CPU seconds of the tests that passed without a fault
        for mutant in mutants:
            diff = mutant.diff((copy.package / f"{mutant.file}.py").read_bytes())
            tests = _tests(options, mutant.file)
            limit = limits.get(tuple(tests), WHOLE_SECONDS)
            outcome = copy.judge(mutant, tests, cpu_seconds=limit)
            if outcome.verdict != "survived" and tuple(tests) not in limits:
                # Only now: a test that fails without a fault would kill all mutants.
                limits[tuple(tests)] = max(
                    CPU_SECONDS, PATIENCE * _seconds_without_fault(copy, tests)
                )
            results.write(
                json.dumps(
                    {"mutant": asdict(mutant), "diff": diff, **outcome._asdict()}
                )
                + "\n"
            )
            # one line at a time: other processes append to the same file
            results.flush()


def _seconds_without_fault(copy: Copy, tests: list[str]) -> float:
    """Return the CPU seconds that tests take without a fault; end the command where
    they fail.
    """
    outcome = copy.run(tests)
    if outcome.verdict != "survived":
        raise SystemExit(
            f"the tests fail without a fault: {outcome.verdict} {outcome.seen}"
        )
    return float(outcome.seconds)


def _in_processes(options: argparse.Namespace, mutants: list[Mutant]) -> None:
    context = multiprocessing.get_context("fork")  # a fork has everything loaded
    shares = [mutants[job :: options.jobs] for job in range(options.jobs)]
    processes = [
        context.Process(target=_judge, args=(options, share))
        for share in shares
        if share
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    if any(process.exitcode for process in processes):
        raise SystemExit(
            "a process ended early; the same command goes on where it stopped"
        )


def _again(options: argparse.Namespace) -> None:
    rows = _rows(options.results)
    _warm_up(options)
    with TemporaryDirectory() as folder:
        copy = Copy(options.checkout, options.package, Path(folder))
        for row in rows:
            mutant = Mutant(**row["mutant"])
            if row["verdict"] != "survived" or options.only not in mutant.file:
                continue
            path = copy.package / f"{mutant.file}.py"
            if not path.exists() or mutant.diff(path.read_bytes()) != row["diff"]:
                print(
                    f"{mutant.file}:{mutant.line} has changed since; left as it was",
                    file=sys.stderr,
                )
                continue
            outcome = copy.judge(mutant, _tests(options, mutant.file), whole=True)
            row.update(outcome._asdict())
            print(
                f"{outcome.verdict:20}  {mutant.file}:{mutant.line}  {outcome.seen}",
                flush=True,
            )
            options.results.write_text("".join(json.dumps(one) + "\n" for one in rows))


def _show(options: argparse.Namespace) -> None:
    rows = [
        row for row in _rows(options.results) if options.only in row["mutant"]["file"]
    ]
    table = Counter(
        (row["mutant"]["file"], row["verdict"] == "survived") for row in rows
    )
    for file in sorted({file for file, _ in table}):
        print(
            f"{file:32} killed {table[file, False]:4}  survived {table[file, True]:4}"
        )
    survived = [row for row in rows if row["verdict"] == "survived"]
    print(
        f"{'in all':32} killed {len(rows) - len(survived):4}  survived {len(survived):4}"
    )
    for row in survived:
        mutant = Mutant(**row["mutant"])
        print(
            f"\n{mutant.file}:{mutant.line} ({mutant.operator})", *row["diff"], sep="\n"
        )


def _mutants(options: argparse.Namespace) -> dict[str, list[Mutant]]:
    """Return the mutants of every file, and say which files have none or the tests of
    the spine.
    """
    package = options.checkout / options.package
    files, left_out = files_of(package)
    for file, reason in left_out.items():
        print(f"left out: {file} ({reason})", file=sys.stderr)
    for file in files:
        if not is_known(file):
            print(
                f"not in tests/mutation/rooms.py, so all fast tests: {file}",
                file=sys.stderr,
            )
    return {file: mutants_of(package, file) for file in files if options.only in file}


def _draw(files: dict[str, list[Mutant]], count: int, seed: int) -> list[Mutant]:
    """Draw so many mutants over all files, of each in proportion to the square root of
    how many it has.
    """
    rng = random.Random(seed)
    # The greatest powers u ** (1 / weight) of random numbers are a draw by weight.
    keys = [
        (rng.random() ** len(of_file) ** 0.5, mutant)
        for of_file in files.values()
        for mutant in of_file
    ]
    drawn = [mutant for _, mutant in heapq.nlargest(count, keys, key=itemgetter(0))]
    rng.shuffle(drawn)  # so that a run that is cut short is a fair sample
    return drawn


def _warm_up(options: argparse.Namespace) -> None:
    warm_up(LOADED if options.package == PACKAGE else [])


def _tests(options: argparse.Namespace, file: str) -> list[str]:
    return options.tests or suites_of(options.checkout / "tests", file)


def _rows(results: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in results.read_text().splitlines()]


def _key(one: Mutant | dict[str, Any]) -> tuple[Any, ...]:
    return tuple((asdict(one) if isinstance(one, Mutant) else one["mutant"]).values())


COMMANDS = {"run": _run, "again": _again, "show": _show}

if __name__ == "__main__":
    main()
