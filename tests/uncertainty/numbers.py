"""Store the numbers of the calls of `numbers.txt` anew, and print how many digits
changed: `python tests/uncertainty/numbers.py`.

For a new call, write a line with its name, and an empty line below it.
"""

import sys
import warnings
from math import floor, log10
from pathlib import Path

DIGITS = 6


def digits_changed(found, stored):
    """Return how many digits of the stored numbers changed at most."""
    most = DIGITS if len(found) != len(stored) else 0
    for new, old in zip(found, stored, strict=False):
        # This is NaN if one of the numbers is infinite or NaN.
        change = abs(new - old) / max(abs(new), abs(old), sys.float_info.min)
        if str(new) != str(old) and change:
            kept = floor(-log10(change)) if change <= 1 else 0
            most = max(most, DIGITS - kept)
    return most


def store(file, numbers_of, approximately):
    """Write the numbers into a file. Lines that are still right stay as they are."""
    lines = file.read_text().splitlines()
    changed = []
    for at in range(0, len(lines), 2):
        found = numbers_of(*lines[at].split())
        stored = [float(number) for number in lines[at + 1].split()]
        if found != approximately(stored):
            changed.append(digits_changed(found, stored))
            text = " ".join(f"{number:.{DIGITS}g}" for number in found)
            lines[at + 1] = f"    {text}"
            print(f"{changed[-1]} of {DIGITS} digits: {lines[at]}")
    file.write_text("".join(f"{line}\n" for line in lines))
    most = max(changed, default=0)
    print(f"{len(changed)} calls changed, by at most {most} of {DIGITS} digits.")


if __name__ == "__main__":
    tests = Path(__file__).parents[1]
    # The folder of this file would hide the module `numbers` of Python.
    sys.path[:1] = [str(tests), str(tests.parent)]
    from uncertainty import test_numbers

    warnings.simplefilter("ignore")
    store(test_numbers.FILE, test_numbers.numbers_of, test_numbers.approximately)
