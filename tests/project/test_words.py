"""Each public word has one meaning and one type, which `tests/words.txt` lists."""

import inspect
import re
from pathlib import Path

import surface
from doors import MODULES

FILE = Path(__file__).parents[1] / "words.txt"
# The type of each part of an annotation, and of each class in JSON.
TYPES = {
    "number": "float int Decimal",
    "array": "ArrayLike FloatArray NDArray ndarray Sequence Iterable list tuple Features",
    "text": "str Literal Average AveragedBy DrawnArea Interpolation Normalizer PathLike "
    "RankedTiePolicy RecallNormalizer ResponseMethod TiePolicy",
    "flag": "bool",
    "mapping": "Mapping dict Style ScoreEstimate NumberSearch",
    "label": "Label",
    "function": "ScoreFunction",
    "object": "Any object Axes AnyBand Convention Estimator RankingState Unpack",
}
TYPE_OF = {word: name for name, words in TYPES.items() for word in words.split()}
SEVERAL = {
    "ArrayLikeOrMapping": {"number", "array", "mapping"},
    "CurveStyles": {"mapping", "array"},
    "ZeroDivision": {"number", "text"},
    "FloatOrArray": {"number", "array"},
    "OneScore": {"function", "text"},
    "ScoreList": {"array"},
}


def read_words():
    """Return the type of each word, and its further types."""
    words = {}
    for line in FILE.read_text().splitlines():
        if not line.startswith("#"):
            word, *_, types = line.split(" | ")
            first, *further = types.split("; ")
            words[word] = {first, *(each.split(",")[0] for each in further)}
    return words


def types_of(annotation):
    """Return the types that an annotation names, without None."""
    text = (
        annotation
        if isinstance(annotation, str)
        else inspect.formatannotation(annotation)
    )
    # Only the outermost types count: those of the elements are no types of the word.
    text = text.replace("InitVar[str | None]", "str")
    while "[" in text:
        text = re.sub(r"\[[^\[\]]*\]", "", text)
    names = {part.split(".")[-1].strip("~ ") for part in text.split("|")}
    found = set()
    for name in names - {"None", "NoneType"}:
        found |= SEVERAL.get(name) or {TYPE_OF[name]}
    return found


def _public_words():
    """Yield each public parameter, field, property and key of JSON with its types."""
    for module in MODULES:
        for name in module.__all__:
            yield from _words_of(getattr(module, name))
    for place, value in surface.json_values():
        *_, owner, word = place.split(".")
        # Keys of `shares` are names of numbers.
        if owner != "shares":
            yield word, types_of(type(value))


def _words_of(member):
    """Yield the parameters of a function, and the members of a class."""
    if not callable(member):
        return
    for parameter in inspect.signature(member).parameters.values():
        if parameter.name != "self" and not parameter.name.startswith("_"):
            yield parameter.name, types_of(parameter.annotation)
    if not inspect.isclass(member):
        return
    for name, kind, owner, found in inspect.classify_class_attrs(member):
        if name.startswith("_") or not owner.__module__.startswith("sklearn_ap"):
            continue
        if "method" in kind:
            yield from _words_of(getattr(member, name))
        elif isinstance(found, property):
            yield name, types_of(found.fget.__annotations__["return"])


def test_each_public_word_is_in_the_table_with_one_type():
    """Further types of a word are those of the places that the table names."""
    found: dict[str, set[str]] = {}
    for word, types in _public_words():
        found.setdefault(word, set()).update(types)
    assert {word: types or {"-"} for word, types in found.items()} == read_words()
