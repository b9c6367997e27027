"""`python -m tests.peers [NAME ...]`: run the packages that are installed, and store
their numbers.

Values of other packages do not change, so packages that exclude each other can be run
in different environments. `tests/compatibility/test_peers.py` compares the records with
the stored values.
"""

import json
import sys

from . import golden_values
from .registry import PEERS


def main():
    """Run the packages of these conventions, or of all conventions."""
    golden = golden_values.load()
    for name in sys.argv[1:] or PEERS:
        printed = golden_values.run(PEERS[name])
        if printed is None:
            print(f"{name}: {PEERS[name].package} is not installed", file=sys.stderr)
            continue
        golden[name] = printed
        text = json.dumps(dict(sorted(golden.items())), indent=1)
        golden_values.PATH.write_text(f"{text}\n")
        print(f"{name}: {len(printed['values'])} inputs, {printed['version']}")


if __name__ == "__main__":
    main()
