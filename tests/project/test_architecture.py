"""The rules of the house.

Each is tried once on a spoiled copy of the package, which it must refuse.
"""

import ast
import re
import shutil
import sys
import tomllib
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path

import pytest

import sklearn_ap
import sklearn_ap.distributed
from benchmarks.paths import nodes_of

PACKAGE = Path(sklearn_ap.__file__).parent

# The rooms, from the ground up, folder by folder: a file imports only from what stands
# before it. A star stands for several files, which do not import each other: the other
# files of `_core/areas/`, and those of `_core/scores/`. So a new metric has its rooms already.
_LEVELS = """
_typing _rounding _public
_reading: _values _options _queries _read
_reading
_ranking: _blocks _rankings _levels _cells _unweighted _weighted _prevalence _cut _rank
_ranking _areas
_areas: _area _hits _step *
_definition _api _curves _scores
_scores: *
_registry _uncertainty
_uncertainty: _ends _results _influence _calls _sample _estimates _comparisons
_uncertainty: _many _sample_size _chance
_estimators _scorers _points
_points: _budgets _by_query _cells_of_threshold _conditions _operating_points
_uncertainty: _folds
_displays: _figure _band _rows _average_precision _hit_curve
_displays
distributed: _batches _groups _positives _arrow _text _duckdb _json _local
distributed: _scores _budgets _spark _api _state
distributed
compatibility: _areas _records _rows _score_as _comparison _identify
_judgements: _files _runs
compatibility _judgements
_answer: _fields _numbers _sentences
_answer
_report: _curve _report
_report sklearn_ap
_command: _options _checks _classes _output _run
_command __main__
"""
ROOMS = [
    f"{folder}.{file}"
    if colon
    else file.replace("sklearn_ap", "")  # the package itself: names only
    for folder, colon, files in (line.rpartition(":") for line in _LEVELS.splitlines())
    for file in files.split()
]
_PROJECT = Path(__file__).parents[2] / "pyproject.toml"
_HOUSE = tomllib.loads(_PROJECT.read_text())["tool"]["house"]
CORE, STANDS_ON = _HOUSE["core"], _HOUSE["stands_on"]
IN_COMMAND = {"_judgements", "__main__"}
PEP_562 = {"__getattr__", "__dir__"}  # functions of a package
DEPENDENCIES = {"numpy", "scipy", "sklearn"}
SORTS = {
    "sort",
    "argsort",
    "lexsort",
    "partition",
    "argpartition",
    "sorted",
    "searchsorted",
}
# np.unique on labels and ids, the order of ids, and levels that a caller passed are not
# scores.
MAY_SORT = {
    "_core.reading.options": {"sort"},  # recall levels
    "_core.reading.queries": {"sort", "sorted"},  # query ids
    "_core.areas.interpolated": {"searchsorted"},  # recall levels
    "_core.registry": {"partition", "sorted"},  # names
    # merges rows that are sorted already, the best rows
    "distributed._batches": {
        "lexsort",
        "partition",
    },
    "distributed._local": {"sorted"},  # names of files
    "distributed._spark": {"partition"},  # text
    # rows between the scores of positives
    "distributed._positives": {"argsort", "sort", "searchsorted"},
    # weights of positives, rows within groups
    "distributed._streams": {
        "argsort",
        "searchsorted",
    },
    "_displays.band": {"searchsorted"},  # recall levels
    "_displays.figure": {"sorted"},  # entries of a legend
    "_uncertainty.many": {"argsort"},  # p-values
    "_uncertainty.results": {"sort"},  # bootstrap samples
    "_uncertainty.sample": {"argsort"},  # rows by their query or unit
    "_uncertainty.chance": {"sort"},  # random rows
    "_report.answer": {"argsort"},  # equal scores of detections, in their order
    "_report.curve": {"searchsorted"},  # thresholds, which are sorted
    "_report.page": {"argsort", "partition"},  # influences and scores of queries
    "_command.options": {"partition"},  # text
    "_judgements.runs": {"sort"},  # documents of a run, as trec_eval does
    "_command.classes": {"sorted"},  # labels, as in `classes_`
    "_command.output": {"sorted"},  # queries by their loss
    # ids of items; thresholds, which are no ranking
    "compatibility._input": {
        "argsort",
        "searchsorted",
    },
    "compatibility._identify": {"sorted"},  # numbers, nearest first
}


# What each file of a folder has under the same name: the parts of an area.
SAME_PART = {"_areas": {"_gain", "_path"}}


# a spoiled copy has most files of the package
parsed = lru_cache(maxsize=None)(ast.parse)


def modules(package: Path) -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(package.rglob("*.py")):
        name = ".".join(path.relative_to(package).with_suffix("").parts)
        name = "" if name == "__init__" else name.removesuffix(".__init__")
        yield name, parsed(path.read_text())


def imports(
    name: str, tree: ast.AST, package: Path
) -> Iterator[tuple[str, list[str], int]]:
    """Yield (module, names, level of nesting) of each import; our own modules without
    `sklearn_ap.`.
    """
    is_package = (package / name.replace(".", "/") / "__init__.py").exists()
    parts = name.split(".") if name else []
    parents = parts if is_package else parts[:-1]
    top = set(getattr(tree, "body", []))
    for node in ast.walk(tree):
        depth = 0 if node in top else 1
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, [], depth
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                base = parents[: len(parents) - node.level + 1]
                module = ".".join([*base, *filter(None, [node.module])])
                yield (
                    f"sklearn_ap.{module}",
                    [alias.name for alias in node.names],
                    depth,
                )
            else:
                yield node.module or "", [alias.name for alias in node.names], depth


def called(tree: ast.AST) -> set[str]:
    functions = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return {
        getattr(function, "attr", getattr(function, "id", "")) for function in functions
    }


def floors(package: Path) -> dict[str, int]:
    """How far above the ground each room stands."""
    found = {}
    for name, _ in modules(package):
        room = name if name in ROOMS else f"{name.partition('.')[0]}.*"
        if room in ROOMS:
            found[name] = ROOMS.index(room)
    return found


# --- the rules: each yields what breaks it --------------------------------------------


def imports_run_one_way(package: Path) -> Iterator[str]:
    floor = floors(package)
    for name, tree in modules(package):
        if name not in floor:
            yield f"{name} is not a room of the house: add it to ROOMS"
            continue
        for module, members, _ in imports(name, tree, package):
            if not module.startswith("sklearn_ap"):
                continue
            target = module.removeprefix("sklearn_ap").lstrip(".")
            full = [f"{target}.{member}".lstrip(".") for member in members]
            for one in [one if one in floor else target for one in full] or [target]:
                # what has no floor is named above
                if floor.get(one, -1) >= floor[name]:
                    yield f"{name or '__init__'} imports {one}, which does not stand above it"


def rooms_stand_on_those_they_name(package: Path) -> Iterator[str]:
    """Where a name of the package itself stands is read from its imports."""
    trees = dict(modules(package))
    homes = {
        name: home
        for home, names, _ in imports("", trees[""], package)
        for name in names
        if home[-1] != "."
    }
    stands_on: dict[str, set[str]] = {room: set() for room in ["core", *STANDS_ON]}
    for name, tree in trees.items():
        for module, members, _ in imports(name, tree, package) if name else ():
            places = [homes.get(member, f"sklearn_ap.{member}") for member in members]
            for place in places if module.rstrip(".") == "sklearn_ap" else [module]:
                if place.startswith("sklearn_ap.") and not place.endswith(
                    ".__version__"
                ):
                    stands_on[room_of(name)].add(
                        room_of(place.removeprefix("sklearn_ap."))
                    )
    for room, rooms in stands_on.items():
        named = {"core", room, *STANDS_ON.get(room, [])}
        yield from (f"{room} stands on {other}" for other in sorted(rooms - named))
        yield from (
            f"{room} does not stand on {other}"
            for other in sorted(named - rooms - {"core", room})
        )


def room_of(module: str) -> str:
    """Return the room of a module of the package, without `sklearn_ap.`."""
    top = module.partition(".")[0]
    return "core" if top in CORE else "_command" if top in IN_COMMAND else top


def no_private_scikit_learn(package: Path) -> Iterator[str]:
    for name, tree in modules(package):
        for module, members, _ in imports(name, tree, package):
            path = [*module.split("."), *members]
            if path[0] == "sklearn" and any(part.startswith("_") for part in path):
                yield f"{name} imports {'.'.join(path)}"
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and re.match(
                r"sklearn\.([a-z]+\.)*_", str(node.value)
            ):
                yield f"{name} names {node.value}"


def optional_libraries_are_imported_where_used(package: Path) -> Iterator[str]:
    allowed = DEPENDENCIES | {"sklearn_ap"} | set(sys.stdlib_module_names)
    for name, tree in modules(package):
        for module, _, depth in imports(name, tree, package):
            if depth == 0 and module.split(".")[0] not in allowed:
                yield f"{name} imports {module} at its top"


def one_room_sorts(package: Path) -> Iterator[str]:
    for name, tree in modules(package):
        sorts, permitted = called(tree) & SORTS, MAY_SORT.get(name, set())
        if sorts - permitted and not name.startswith("_ranking"):
            yield f"{name} calls {sorts - permitted}"
        if permitted - sorts:
            yield f"{name} may call {permitted - sorts}, and does not"


def user_input_is_not_asserted(package: Path) -> Iterator[str]:
    for name, tree in modules(package):
        reads = name.startswith("_reading") or name in (
            "_core.evaluate",
            "compatibility._input",
        )
        if reads and any(isinstance(node, ast.Assert) for node in ast.walk(tree)):
            yield f"{name} asserts"


def areas_do_not_raise(package: Path) -> Iterator[str]:
    for name, tree in modules(package):
        if (
            name.startswith(("_areas.", "_scores."))
            or name == "compatibility._package_areas"
        ):
            yield from (
                f"{name} raises: _core/reading/options.py reads options, and refuses them"
                for node in ast.walk(tree)
                if isinstance(node, ast.Raise)
            )


def each_score_stands_beside_its_definition(package: Path) -> Iterator[str]:
    """What a definition computes stands with the areas."""
    for name, tree in modules(package):
        if name.startswith("_scores."):
            functions = {
                node.name for node in tree.body if isinstance(node, ast.FunctionDef)
            }
            scores = {one for one in functions if one.endswith("_score")}
            definitions = {one.removesuffix("_score") for one in scores}
            for one in sorted(definitions - functions):
                yield f"{name}.{one}_score needs its definition, a function {one}, beside it"
            yield from (
                f"{name}.{one} is no score"
                for one in sorted(functions - scores - definitions)
            )


def each_score_is_announced(package: Path) -> Iterator[str]:
    registry = ast.parse((package / "_core/registry.py").read_text())
    announced = {
        node.attr for node in ast.walk(registry) if isinstance(node, ast.Attribute)
    }
    for name, tree in modules(package):
        functions = [one.name for one in tree.body if isinstance(one, ast.FunctionDef)]
        for one in functions if name.startswith("_scores.") else ():
            if one.endswith("_score") and one not in announced:
                yield f"{name}.{one} is not announced: add a row of NUMBERS to _registry.py"


def underscored_names_stay_in_their_file(package: Path) -> Iterator[str]:
    """What a file offers has no underscore, and `__all__` of a folder passes it on."""
    trees = dict(modules(package))
    for name, tree in trees.items():
        for module, members, _ in imports(name, tree, package):
            target = module.removeprefix("sklearn_ap").lstrip(".")
            if not module.startswith("sklearn_ap") or target not in trees:
                continue
            for member in members:
                is_file = f"{target}.{member}".lstrip(".") in trees
                if member.startswith("_") and not is_file and member != "__version__":
                    yield f"{name or '__init__'} imports {member}, which is private to {target}"


def the_package_holds_names_only(package: Path) -> Iterator[str]:
    trees = dict(modules(package))
    packages = {
        "",
        *(name for name in trees if (package / name.replace(".", "/")).is_dir()),
    }
    kinds = (ast.Import, ast.ImportFrom, ast.Assign, ast.AugAssign, ast.Expr)
    for name in packages:
        for outer in trees[name].body:
            # for checkers
            inner = (
                [*outer.body, *outer.orelse] if isinstance(outer, ast.If) else [outer]
            )
            for node in inner:
                if (
                    not isinstance(node, kinds)
                    and getattr(node, "name", "") not in PEP_562
                ):
                    yield f"{name or '__init__'}: {ast.unparse(node)}"


MOST_IN_A_FUNCTION = 480  # nodes of the syntax tree, which are read together


def functions_stay_short(package: Path) -> Iterator[str]:
    for name, tree in modules(package):
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                nodes = nodes_of(node)
                if nodes > MOST_IN_A_FUNCTION:
                    yield f"{name}.{node.name} has {nodes} nodes"


def a_name_has_one_meaning(package: Path) -> Iterator[str]:
    """No two files define a class or function of the same name, unless both do the
    same.
    """
    places: dict[str, list[str]] = {}
    for name, tree in modules(package):
        for one in {
            node.name
            for node in tree.body
            if isinstance(node, ast.FunctionDef | ast.ClassDef)
        }:
            if not one.startswith("__"):  # of modules, as Python names them
                places.setdefault(one, []).append(name)
    for one, files in places.items():
        rooms = {file.rpartition(".")[0] for file in files}
        asks_parts = len(files) == 2 and one in sklearn_ap.distributed.__all__
        if (
            len(files) > 1
            and not asks_parts
            and one not in SAME_PART.get("".join(rooms), ())
        ):
            yield f"{one} stands in {' and '.join(files)}: rename one of them"


SPOILERS: dict[Callable[[Path], Iterator[str]], tuple[str, str]] = {
    imports_run_one_way: ("_core/ranking/rankings.py", "from .._api import Averaging"),
    rooms_stand_on_those_they_name: (
        "_core/curves.py",
        "def late():\n    from . import score_by_query",
    ),
    no_private_scikit_learn: (
        "_core/reading/read.py",
        "from sklearn.utils._param_validation import Interval",
    ),
    optional_libraries_are_imported_where_used: ("_core/curves.py", "import pandas"),
    one_room_sorts: ("_core/scores/at_k.py", "order = np.argsort(TIES)"),
    user_input_is_not_asserted: ("_core/evaluate.py", "assert rankings_in"),
    areas_do_not_raise: (
        "_core/areas/hits.py",
        "def half(rankings):\n    raise ValueError",
    ),
    each_score_stands_beside_its_definition: (
        "_core/scores/at_k.py",
        "def half(rankings): ...",
    ),
    each_score_is_announced: (
        "_core/scores/at_k.py",
        "def f1_at_k_score(y_true, y_score): ...",
    ),
    underscored_names_stay_in_their_file: (
        "_core/curves.py",
        "from ._api import _layout",
    ),
    the_package_holds_names_only: ("__init__.py", "def helper(): ..."),
    a_name_has_one_meaning: ("_core/curves.py", "class Rankings: ..."),
    functions_stay_short: (
        "_core/typing.py",
        "def long():\n" + "    x = 1\n" * 160,
    ),
}


@pytest.mark.parametrize("rule", SPOILERS, ids=lambda rule: rule.__name__)
def test_rule(rule):
    assert list(rule(PACKAGE)) == []


@pytest.mark.parametrize("rule", SPOILERS, ids=lambda rule: rule.__name__)
def test_spoiled_copy_breaks_the_rule(rule, tmp_path):
    ignored = shutil.ignore_patterns("__pycache__")  # where other tests write
    copy = Path(shutil.copytree(PACKAGE, tmp_path / "sklearn_ap", ignore=ignored))
    file, spoiler = SPOILERS[rule]
    with (copy / file).open("a") as spoiled:
        spoiled.write(f"\n{spoiler}\n")
    assert list(rule(copy))


def test_property_tests_have_one_profile():
    """A deadline fails on a busy machine; `conftest.py` alone says what holds for
    all.
    """
    texts = {
        path.name: path.read_text() for path in Path(__file__).parents[1].glob("*.py")
    }
    words = re.compile(r"\b(deadline|suppress_health_check|derandomize)\s*=")
    assert {name for name, text in texts.items() if words.search(text)} <= {
        "conftest.py"
    }
