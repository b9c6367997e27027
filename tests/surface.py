"""The public surface as text: `python tests/surface.py` writes it to `surface.txt`."""

import inspect
import re
import sys
import tomllib
import warnings
from argparse import Namespace
from functools import cache, cached_property, partial
from importlib.util import find_spec
from itertools import chain, starmap
from pathlib import Path

FILE = Path(__file__).with_name("surface.txt")
HEADING = (
    "# All that is promised: names with parameters and defaults, and the names in files "
    "and\n# options. Written by python tests/surface.py\n"
)
ROOT = FILE.parents[1]
Y, S, OLD = [1, 0, 1, 1, 0, 0, 1, 0] * 3, [*range(24, 0, -1)], [*range(24)]
QUERY = [*"aabbccdd"] * 3
# The promised attributes of objects whose constructors are not public.
ATTRIBUTES = {
    "part": "name kind text result cells",
    "record": "name family source versions peculiarity not_reproduced call",
    "row": "name value difference why call low high",
}


def surface(*modules):
    """Return a line for each public name, method, property and attribute. Signatures
    contain the fields of results.
    """
    lines = [line for module in modules for line in _of_module(module)]
    return HEADING + "".join(f"{line}\n" for line in [*lines, *_of_names()])


def _of_names():
    """Yield the names of scorers and of records, the options of the command, and the
    names that files, results and pip contain.
    """
    from sklearn_ap import compatibility, get_scorer_names  # noqa: PLC0415  # found by the script below
    from sklearn_ap._command import options  # noqa: PLC0415

    yield from (f"get_scorer({name!r})" for name in get_scorer_names())
    yield from (f"score_as({name!r})" for name in sorted(compatibility.CONVENTIONS))
    for one in options.new_parser()._actions:
        choices = f" {{{','.join(one.choices)}}}" if one.choices else ""
        yield f"sklearn-ap {' '.join(one.option_strings) or one.dest}{choices}"
    yield from (f"exit code {line.split()[0]}" for line in options.EXIT_CODES)
    yield from (f"sklearn_ap[{extra}]" for extra in extras())
    yield from (f"UncertaintyWarning.code {code!r}" for code in codes_of_warnings())
    yield from (f"{kind}.{name}" for kind, name in _attributes())
    from sklearn_ap._report.answer import KINDS  # noqa: PLC0415

    yield from (f"part {name!r} of kind {kind!r}" for name, kind in KINDS.items())
    yield from sorted({*json_keys()})


def extras():
    """Return the extras of pip."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return [*project["optional-dependencies"]]


def codes_of_warnings():
    """Return the codes of all warnings, from the source of the package."""
    # The installed package may not be that of the checkout.
    (package,) = find_spec("sklearn_ap").submodule_search_locations
    sources = (path.read_text() for path in Path(package).rglob("*.py"))
    found = (re.findall(r'warn_uncertain\(\s*"(\w+)"', text) for text in sources)
    return sorted({*chain.from_iterable(found)})


def _attributes():
    """Yield the promised attributes of parts, records and rows, which they have."""
    from sklearn_ap import compatibility, report  # noqa: PLC0415

    row, *_ = compatibility.compare_conventions([1, 0], [2, 1]).rows
    part, *_ = report([0, 0], [2, 1]).parts
    objects = part, row.convention, row
    for (kind, names), found in zip(ATTRIBUTES.items(), objects, strict=True):
        for name in names.split():
            assert hasattr(found, name), (kind, name)
            yield kind, name


@cache
def json_values():
    """Return pairs of the place and the value of each key of JSON: all keys of all
    results, and of the parts of a report.
    """
    return tuple(chain.from_iterable(starmap(_keys_in, _results())))


def json_keys():
    """Yield the place of each key of JSON."""
    return (f"json {place}" for place, _ in json_values())


def _top_of_long_lists(y_true, y_score):
    return y_true[y_score.argmax()] if y_true.size > 2 else 0.5


def _results():
    """Yield the dictionary of each kind of result, and of each kind of part."""
    import sklearn_ap as ap  # noqa: PLC0415
    from sklearn_ap._command.gates import gate_parts  # noqa: PLC0415

    many = {"new": S, "old": OLD}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = (
            ap.estimate_score("recall@5", Y, S),
            ap.compare_scores("average_precision", Y, S, OLD),
            ap.compare_many("average_precision", Y, many),
            ap.operating_point(Y, S, threshold=9),
            ap.budget_totals(Y, S, k=2, query_id=QUERY, amount=S),
            ap.compatibility.identify("0.5", Y, S),
            ap.compatibility.identify_function(lambda y, s: 0.5),
            ap.compatibility.identify_function(_top_of_long_lists, k=1),
        )
        report = partial(ap.report, Y, S, k=3, amount=S, conventions=[], identify=0.5)
        reports = (
            report(compare={"old": OLD}, threshold_at=[("recall", 0.5)]),
            report(query_id=QUERY, unit_id=[*range(24)]),
        )
        limits = Namespace(fail_below=0.1, fail_if_lower=0.0)
        gates = [part.result for part in gate_parts(reports[0].parts, limits, "new")]
    for result in results:
        numbers = result.to_dict()
        yield numbers["kind"], numbers
    yield "gate", gates[0]
    for made in reports:
        numbers = made.to_dict()
        yield numbers["kind"], numbers
        for part in numbers["parts"]:
            yield part["kind"], part["result"] or {}


def _keys_in(place, value):
    """Yield the place of each key in a dictionary, and its value. Names of models and of
    options are data, and not keys.
    """
    if isinstance(value, list) and value:
        yield from _keys_in(place, value[0])
    if not isinstance(value, dict) or place.endswith(("options", "result")):
        return
    for key, inner in value.items():
        yield f"{place}.{key}", inner
        if key not in {"by_model", "by_query"}:
            yield from _keys_in(f"{place}.{key}", inner)


def _of_module(module):
    for name in sorted({*module.__all__, *vars(module)}):
        path, member = f"{module.__name__}.{name}", getattr(module, name)
        if name.startswith("_") or inspect.ismodule(member):
            continue
        yield path + _signature(member)
        if inspect.isclass(member):
            yield from _of_class(path, member)
        if name == "get_scorer":
            yield from _of_class(f"{path}(...)", type(member("r_precision")))


def _of_class(path, member):
    for name, kind, owner, found in inspect.classify_class_attrs(member):
        if name.startswith("_") or not owner.__module__.startswith("sklearn_ap"):
            continue
        if "method" in kind:
            yield f"    {path}.{name}{_signature(getattr(member, name))}"
        elif isinstance(found, property | cached_property):
            yield f"    {path}.{name}"
    # Attributes that `plot` sets end in an underscore. The class docstring lists them.
    for names in re.findall(
        r"^(\w+_(?:, \w+_)*) : ", inspect.getdoc(member) or "", re.MULTILINE
    ):
        yield f"    {path}.{names}"


def _signature(member):
    """Return the parameters without annotations, with the names of functions that are
    defaults; for an error, its base, and for a value, its type.
    """
    if not callable(member):
        return f": {type(member).__name__}"
    if inspect.isclass(member) and issubclass(member, Exception):
        return f": {member.__base__.__name__}"
    signature, empty = inspect.signature(member), inspect.Parameter.empty
    shown = [one.replace(annotation=empty) for one in signature.parameters.values()]
    text = str(signature.replace(parameters=shown, return_annotation=empty))
    return re.sub(r"<function (\w+) at \w+>", r"\1", text)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))  # the checkout, installed or not

    from doors import MODULES

    FILE.write_text(surface(*MODULES))
