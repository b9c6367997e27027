"""Store the numbers of the calls of `numbers.txt` anew, and print the calls whose numbers
changed: `python tests/uncertainty/numbers.py`.

For a new call, write a line with its name and ` # ` with what only it holds, and an empty
line below it.
"""

import sys
import warnings
from pathlib import Path


def store(file, numbers_of, approximately):
    """Write the numbers into a file. Lines that are still right stay as they are."""
    lines = file.read_text().splitlines()
    for at in range(0, len(lines), 2):
        found = numbers_of(lines[at])
        if found != approximately([float(number) for number in lines[at + 1].split()]):
            text = " ".join(f"{number:.6g}" for number in found)
            lines[at + 1] = f"    {text}"
            print(lines[at])
    file.write_text("".join(f"{line}\n" for line in lines))


if __name__ == "__main__":
    tests = Path(__file__).parents[1]
    # The folder of this file would hide the module `numbers` of Python.
    sys.path[:1] = [str(tests), str(tests.parent)]
    from uncertainty import test_numbers

    warnings.simplefilter("ignore")
    store(test_numbers.FILE, test_numbers.numbers_of, test_numbers.approximately)
