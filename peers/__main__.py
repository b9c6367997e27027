"""`python -m peers [NAME ...]`: run the peers that are installed, and store what they print.

Values of peers that are not installed stay as they are, so that packages which exclude each other can be run
from different environments.
"""

import argparse
import sys

from . import golden_values
from .registry import PEERS


def main() -> None:
    """Run, peer by peer; names are printed with how many inputs each was run on."""
    parser = argparse.ArgumentParser(prog="python -m peers", description=__doc__.split("\n\n")[1])
    parser.add_argument("names", metavar="NAME", nargs="*", help="of a convention; all by default")
    names = parser.parse_args().names or list(PEERS)
    golden = golden_values.load()
    for name in names:
        version = golden_values.version(PEERS[name])
        if version is None:
            print(f"{name}: {PEERS[name].package} is not installed", file=sys.stderr)
            continue
        golden[name] = golden_values.run(PEERS[name], version)
        golden_values.store(golden)
        print(f"{name}: {len(golden[name]['values'])} inputs, {PEERS[name].package} {version}")


if __name__ == "__main__":
    main()
