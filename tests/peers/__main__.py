"""`python -m tests.peers [NAME ...]`: run the packages that are installed, and store what they print.

Values of packages that are not installed stay as they are, so those that exclude each other can be run from
different environments. `--check` runs none, and compares the records with what is stored.
"""

import argparse
import sys

from . import golden_values


def main() -> None:
    """Read the command line, and run or check."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.peers",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", metavar="NAME", nargs="*", help="of a convention; all by default")
    parser.add_argument("--check", action="store_true", help="compare the records with the stored values")
    options = parser.parse_args()
    if options.check:
        _check(options.names)
    else:
        _run(options.names)


def _run(names: list[str]) -> None:
    from .registry import PEERS

    golden = golden_values.load()
    for name in names or PEERS:
        version = golden_values.version(PEERS[name])
        if version is None:
            print(f"{name}: {PEERS[name].package} is not installed", file=sys.stderr)
            continue
        golden[name] = golden_values.run(PEERS[name], version)
        golden_values.store(golden)
        print(f"{name}: {len(golden[name]['values'])} inputs, {PEERS[name].package} {version}")


def _check(names: list[str]) -> None:
    from sklearn_ap.compatibility import CONVENTIONS

    from .agreement import Agreement, agreement

    golden = golden_values.load()
    totals = dict.fromkeys(Agreement._fields, 0)
    for name in names or golden:
        found = agreement(CONVENTIONS[name], golden[name])
        for kind, inputs in found._asdict().items():
            totals[kind] += len(inputs)
        print(f"{name}, {golden[name]['package']} {golden[name]['version']}: {len(found.same)} values match")
        print(*found.different, sep="\n", end="\n" if found.different else "")
    print(", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in totals.items()))


if __name__ == "__main__":
    main()
