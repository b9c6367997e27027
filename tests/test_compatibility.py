"""What `sklearn_ap.compatibility` promises by name."""

import doctest
import inspect
import re

import pytest

from sklearn_ap import compatibility
from sklearn_ap.compatibility import CONVENTIONS
from sklearn_ap.compatibility._records import SKLEARN_AP_RECORDS


def test_claimed_number_of_packages_is_not_above_what_there_is():
    packages = [record for record in CONVENTIONS.values() if record not in SKLEARN_AP_RECORDS]
    sources = {re.split(r"[ ,]", record.source)[0] for record in packages}
    assert "conventions of more than thirty packages and papers" in compatibility.__doc__
    assert len(sources) > 30


def test_all_holds_every_public_name():
    assert set(compatibility.__all__) == {name for name in vars(compatibility) if not name.startswith("_")}
    assert len(compatibility.__all__) == len(set(compatibility.__all__))


@pytest.mark.parametrize("name", compatibility.__all__)
def test_public_names_are_documented_and_their_examples_run(name):
    member = getattr(compatibility, name)
    if not callable(member):
        return
    first, *others = doctest.DocTestFinder().find(member, name, module=False, globs={})
    assert first.examples
    assert all(doctest.DocTestRunner().run(found).failed == 0 for found in (first, *others))
    doc = inspect.getdoc(member)
    if inspect.isfunction(member):
        for section in ("Parameters", "Returns", "Raises", "See Also", "Examples"):
            assert f"\n{section}\n{'-' * len(section)}\n" in doc
        told = re.findall(r"^(\w+(?:, \w+)*) : ", doc.partition("Returns\n---")[0], re.MULTILINE)
        assert ", ".join(told).split(", ") == list(inspect.signature(member).parameters)
        assert re.search(r"\.\. versionadded:: \d+\.\d+$", doc, re.MULTILINE)
