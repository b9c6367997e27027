"""Public names, signatures, and the examples of docstrings.

`nox -s site` checks by numpydoc that docstrings describe all parameters, in sections in
its order.
"""

import doctest
import inspect
import re
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import get_args, get_type_hints
from unittest.mock import patch

import pytest
import sklearn.metrics
from matplotlib import pyplot

import sklearn_ap
from docs.scripts.stub import STUB, stub
from doors import MODULES
from sklearn_ap._core import typing as _typing
from surface import FILE, surface

PUBLIC = {name: getattr(sklearn_ap, name) for name in sklearn_ap.__all__}
DISPLAYS = {name: member for name, member in PUBLIC.items() if name.endswith("Display")}
CLASSES = {name for name, member in PUBLIC.items() if inspect.isclass(member)}
OF_MODULES = {
    name: member
    for module in MODULES
    for name in module.__all__
    if callable(member := getattr(module, name))
}


def test_the_surface_changes_only_on_purpose():
    assert surface(*MODULES) == FILE.read_text(), (
        "if this is meant, write it anew: python tests/surface.py"
    )


def test_modules_are_imported_with_their_first_name():
    """The help of the command imports no module of scikit-learn."""
    code = (
        "import sys, sklearn_ap\n"
        "print(*(name for name in sys.modules if name.startswith('sklearn')))\n"
        "from sklearn_ap.__main__ import main\n"
        "try: main()\n"
        "finally: print('sklearn' in sys.modules, flush=True)"
    )
    command = [sys.executable, "-c", code, "--help"]
    printed = subprocess.check_output(command, text=True)
    first, *_, last = printed.splitlines()
    assert (first, last) == ("sklearn_ap", "False")
    # Editors and shells complete these names, so there are only public ones.
    modules = [module.__name__.split(".")[-1] for module in MODULES[1:]]
    assert dir(sklearn_ap) == sorted([*sklearn_ap.__all__, *modules])
    with pytest.raises(AttributeError, match="'sklearn_ap' has no attribute 'ap'"):
        _ = sklearn_ap.ap
    with (
        patch.dict(sklearn_ap._MODULE_OF, ap="._core.scores"),
        pytest.raises(AttributeError, match="scores' has no attribute 'ap'"),
    ):
        _ = sklearn_ap.ap


ROWS = [0, 1, 1], [1, 2, 3]


def drawn(*rows, area):
    return sklearn_ap.PrecisionRecallDisplay.from_predictions(*rows, area=area)


# For each type of words, a function that takes one, and the argument.
TAKERS = {
    _typing.DrawnArea: (drawn, "area"),
    _typing.Interpolation: (sklearn_ap.pr_auc_score, "interpolation"),
    _typing.Normalizer: (
        partial(sklearn_ap.average_precision_at_k_score, k=1),
        "normalizer",
    ),
    _typing.TiePolicy: (partial(sklearn_ap.precision_at_k_score, k=1), "ties"),
    _typing.RankedTiePolicy: (sklearn_ap.reciprocal_rank_score, "ties"),
}


@pytest.mark.parametrize("literal", TAKERS, ids=str)
def test_words_of_signatures_are_those_that_are_taken(literal):
    function, argument = TAKERS[literal]
    with pytest.raises(ValueError, match="must be one of") as caught:
        function(*ROWS, **{argument: "?"})
    words = re.findall(r"'([a-z_ -]+)'", str(caught.value))
    assert set(words) == set(get_args(literal))
    pyplot.close("all")


def test_types_of_scores_are_what_the_script_writes():
    assert STUB.read_text() == stub(), "write it anew: python docs/scripts/records.py"


def test_sources_name_what_exists():
    """Roles and hints of a subpackage may name a function of another one."""
    known = {*OF_MODULES, *dir(sklearn_ap), "__version__"}
    named = re.compile(r":(?:func|class):`(\w+)`|\bsklearn_ap\.(\w+)")
    for path in Path(sklearn_ap.__file__).parent.rglob("*.py"):
        names = {one or other for one, other in named.findall(path.read_text())}
        assert names <= known, path


def test_drop_in_takes_what_scikit_learn_takes():
    theirs = inspect.signature(sklearn.metrics.average_precision_score).parameters
    ours = inspect.signature(sklearn_ap.average_precision_score).parameters
    for name, parameter in theirs.items():
        assert (ours[name].kind, ours[name].default) == (
            parameter.kind,
            parameter.default,
        )


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_types_are_found_where_a_class_has_been_moved_to(name):
    assert not any(
        isinstance(one, str) for one in get_type_hints(PUBLIC[name]).values()
    )


def methods_of(kind):
    """Return the public methods of a class, including inherited methods."""
    members = [getattr(kind, name) for name in dir(kind) if not name.startswith("_")]
    return list(filter(callable, members))


@pytest.mark.parametrize("name", DISPLAYS)
def test_methods_that_draw_take_the_arguments_of_plot(name):
    """They pass arguments to `plot` under the same names."""
    plotted = inspect.signature(DISPLAYS[name].plot).parameters
    for method in {"from_predictions", "from_estimator"} & set(dir(DISPLAYS[name])):
        accepted = inspect.signature(getattr(DISPLAYS[name], method)).parameters
        # These methods have `chance=False` in place of `plot_chance`.
        assert plotted.keys() - accepted.keys() <= {"self", "plot_chance"}
        for argument in plotted.keys() & accepted.keys():
            assert accepted[argument].default == plotted[argument].default


def documented(name):
    """Return a public function; or a class, and its public methods."""
    members = [OF_MODULES[name]]
    if inspect.isclass(members[0]):
        members += methods_of(members[0])
    return members


@pytest.mark.parametrize("name", OF_MODULES)
def test_examples_run(name):
    members = documented(name)
    # If doctest guessed the module, it would skip methods as those of another module.
    finder = doctest.DocTestFinder(recurse=False)
    first, *others = [
        found
        for member in members
        for found in finder.find(member, name, module=False, globs={})
    ]
    assert first.examples
    # Long results are broken into lines.
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    for examples in (first, *others):
        assert runner.run(examples).failed == 0
