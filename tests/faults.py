"""A plugin that plants each fault of `faults.txt`, in place of a run of the tests, and
fails if the tests of its folder do not find it:
`PYTHONPATH=tests pytest -q -n 0 -p faults`.

The tests are collected once. For each fault, a fork gives the functions of a file the
code of its changed text, and runs tests until one fails: tables of rows first, and
stored numbers last.
"""

import gc
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from types import FunctionType

import sklearn_ap

PACKAGE, STORED = Path(sklearn_ap.__file__).parent, "uncertainty/test_numbers.py"
LINES = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines()
# The file, the text, the text with the fault, and why it is wrong.
FAULTS = [line.split(" :: ") for line in LINES]
ITEMS = []


def codes_in(code):
    """Yield the code of each function and class, with its name and line."""
    for inner in code.co_consts:
        if isinstance(inner, type(code)):
            yield (inner.co_qualname, inner.co_firstlineno), inner
            yield from codes_in(inner)


def plant(path, text):
    """Give the functions of a file the code of another text."""
    codes = dict(codes_in(compile(text, path, "exec")))
    for function in gc.get_objects():
        if isinstance(function, FunctionType):
            code = function.__code__
            if code.co_filename == path:
                place = code.co_qualname, code.co_firstlineno
                function.__code__ = codes.get(place, code)


def verdict_of(fault):
    """Return `dies` if a test fails, or the reason why none does."""
    name, old, new, why = fault
    text = (PACKAGE / name).read_text(encoding="utf-8")
    if text.count(old) != 1:
        return "moved"
    if why.startswith("equal: "):
        return "equal"
    # A test may be the first that imports the file.
    import_module("sklearn_ap." + name.removesuffix(".py").replace("/", "."))
    plant(str(PACKAGE / name), text.replace(old, new))
    for item in ITEMS:
        if item.path.parent.name == name.split("/")[0].strip("_"):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
            if item.session.testsfailed:
                return "stored" if STORED in item.nodeid else "dies"
    return "lives"


def place_of(item):
    return STORED in item.nodeid, "rows.py" not in item.nodeid


def pytest_runtestloop(session):
    # The collector lists no objects that are frozen.
    gc.unfreeze()
    # A fork starts no session of Spark, so these tests would fail without a fault.
    items = (item for item in session.items if "spark" not in item.nodeid)
    ITEMS.extend(sorted(items, key=place_of))
    n_wrong = 0
    with get_context("fork").Pool(2, maxtasksperchild=1) as pool:
        for fault, verdict in zip(FAULTS, pool.imap(verdict_of, FAULTS), strict=True):
            if verdict != "dies" and not fault[-1].startswith(verdict):
                n_wrong += 1
                print(verdict, *fault, sep=" :: ", flush=True)
    print(f"{len(FAULTS)} faults; {n_wrong} are not as they are marked.")
    session.testsfailed = n_wrong
    return True
