"""`python -m tests.peers [NAME ...]`: run the packages that are installed, and store
what they print.

Values of packages that are not installed stay as they are, so those that exclude each
other can be run from different environments. `tests/compatibility/test_peers.py` compares the records
with what is stored.
"""

import json
import sys

from . import golden_values
from .registry import PEERS


def main() -> None:
    """Run the packages of the conventions that are named, or all."""
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
