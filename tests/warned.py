"""Which libraries began to warn: warnings are errors in all tests, so the end of a run
names each library whose warnings made tests fail.
"""

import re
from collections import Counter
from importlib.metadata import packages_distributions, version

IN_A_LIBRARY = re.compile(r"site-packages[/\\](\w+)")
MESSAGE = re.compile(r"[\w.]*Warning: .*")


def lines_of(reports):
    """Return a line for each library and its warning, from the reports of failures."""
    counts = Counter()
    for report in reports:
        crash = getattr(report.longrepr, "reprcrash", None)
        message = MESSAGE.match(crash.message) if crash else None
        if message:
            counts[_library_of(crash.path), message[0]] += 1
    return [
        f"{library}: {message} (tests: {count})"
        for (library, message), count in counts.most_common()
    ]


def _library_of(path):
    found = IN_A_LIBRARY.search(path)
    if found is None:
        return path
    names = packages_distributions().get(found[1], [])
    return " or ".join(f"{name} {version(name)}" for name in names) or found[1]
