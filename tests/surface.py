"""The public surface as text: `python tests/surface.py` writes it to `surface.txt`."""

import inspect
import re
import sys
from functools import cached_property
from pathlib import Path

FILE = Path(__file__).with_name("surface.txt")
HEADING = (
    "# Every public name, with its parameters and defaults: python tests/surface.py\n"
)


def surface(*modules):
    """Return a line for each public name, method, property and attribute. Signatures
    contain the fields of results.
    """
    lines = [line for module in modules for line in _of_module(module)]
    return HEADING + "".join(f"{line}\n" for line in [*lines, *_of_names()])


def _of_names():
    """Yield the names of scorers and of records, and the options of the command."""
    from sklearn_ap import compatibility, get_scorer_names  # noqa: PLC0415  # found by the script below
    from sklearn_ap._command import options  # noqa: PLC0415

    yield from (f"get_scorer({name!r})" for name in get_scorer_names())
    yield from (f"score_as({name!r})" for name in sorted(compatibility.CONVENTIONS))
    for one in options.new_parser()._actions:
        choices = f" {{{','.join(one.choices)}}}" if one.choices else ""
        yield f"sklearn-ap {' '.join(one.option_strings) or one.dest}{choices}"


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

    import sklearn_ap

    FILE.write_text(
        surface(sklearn_ap, sklearn_ap.compatibility, sklearn_ap.distributed)
    )
