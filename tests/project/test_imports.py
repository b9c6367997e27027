"""Names that users look for lead to the call, in an import statement, too."""

import inspect
import pickle
import pkgutil
import pydoc
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

import pytest

import sklearn_ap
from brief import one_in
from sklearn_ap import _INSTEAD
from sklearn_ap._core.scorers import _NOT_PUBLIC

NAMES = {"sklearn_ap": sklearn_ap, "import_module": import_module, "pickle": pickle}
NAMES |= {"pydoc": pydoc, "pkgutil": pkgutil, "patch": patch, "inspect": inspect}
ADVISED = sorted({name for names in _INSTEAD.values() for name in names.split()})


@pytest.mark.parametrize("name", [*ADVISED, "precision_at_k", "average_precision"])
def test_an_import_leads_as_the_attribute_does(name):
    with pytest.raises(AttributeError) as of_attribute:
        getattr(sklearn_ap, name)
    _, _, advice = str(of_attribute.value).partition(": write ")
    with pytest.raises(ImportError) as of_import:
        exec(f"from sklearn_ap import average_precision_score, {name}")
    text = f"cannot import name {name!r} from 'sklearn_ap': write {advice}"
    assert (str(of_import.value), bool(advice)) == (text, True)
    found = of_import.value.name, of_import.value.path
    assert found == ("sklearn_ap", sklearn_ap.__file__)


# What asks for a name in another way, and its error.
ERRORS = [
    ("from sklearn_ap import nothing", ImportError, "cannot import name 'nothing' from 'sklearn_ap' ("),
    ("import sklearn_ap.mapk", ModuleNotFoundError, "No module named 'sklearn_ap.mapk'"),
    ("import_module('sklearn_ap.mapk')", ModuleNotFoundError, "No module named 'sklearn_ap.mapk'"),
    ("from sklearn_ap.compatibility import mapk", ImportError, "cannot import name 'mapk' from 'skl"),
    ("sklearn_ap.nothing", AttributeError, "module 'sklearn_ap' has no attribute 'nothing'"),
    ("pickle.loads(b'csklearn_ap\\nmapk\\n.')", AttributeError, ""),
    ("pkgutil.resolve_name('sklearn_ap:mapk')", AttributeError, "module 'sklearn_ap' has no attribute 'mapk"),
    ("patch('sklearn_ap.mapk').start()", AttributeError, ""),
]  # fmt: skip


@pytest.mark.parametrize(("statement", "kind", "words"), ERRORS)
def test_other_questions_keep_their_errors(statement, kind, words):
    with pytest.raises(kind) as caught:
        exec(statement, NAMES)
    assert (type(caught.value), str(caught.value)[: len(words)]) == (kind, words)


VALUES = [
    ("hasattr(sklearn_ap, 'mapk')", False),
    ("getattr(sklearn_ap, 'mapk', 5)", 5),
    ("pydoc.locate('sklearn_ap.mapk')", None),
    ("'bedroc' in pydoc.render_doc(sklearn_ap)", False),
    ("'mapk' in dict(inspect.getmembers(sklearn_ap))", False),
    ("pkgutil.resolve_name('sklearn_ap.compatibility.score_as').__name__", "score_as"),
    ("import_module('sklearn_ap._core.scores').__name__", "sklearn_ap._core.scores"),
    # Old code passes a name that does not exist, to import a module with dots.
    ("__import__('sklearn_ap._core', fromlist=['x']).__name__", "sklearn_ap._core"),
    ("__import__('sklearn_ap', fromlist=['x']).__name__", "sklearn_ap"),
]


@pytest.mark.parametrize(("question", "value"), VALUES)
def test_a_question_has_its_answer(question, value):
    assert eval(question, NAMES) == value


def test_a_star_imports_the_public_names():
    found = {}
    exec("from sklearn_ap import *", found)
    assert found.keys() - {"__builtins__"} == {*sklearn_ap.__all__}


def test_submodules_are_imported():
    found = {}
    exec("from sklearn_ap import _core, _shown, compatibility, distributed", found)
    for name in ("_core", "_shown", "compatibility", "distributed"):
        assert found[name] is sys.modules[f"sklearn_ap.{name}"]
    modules = {path.stem for path in Path(sklearn_ap.__file__).parent.iterdir()}
    # A module with the name of an advice could not be imported.
    assert not modules & {*ADVISED}


def test_another_importlib_has_its_own_error():
    """Without a frame of importlib's function, Python writes the error."""
    frame = inspect.currentframe()
    own = SimpleNamespace(_getframe=lambda _: frame)
    words = r"^cannot import name 'mapk' from 'sklearn_ap' \(.*\.py\)$"
    with (
        patch.object(sklearn_ap, "_sys", own),
        pytest.raises(ImportError, match=words),
    ):
        exec("from sklearn_ap import mapk")


# The next scikit-learn may rename what it has not published: here, a copy of its code
# has another name. A process of its own asks for every public name, since this one has
# imported them. A scorer with query ids warns of nothing.
RENAMED = """
import re
import sys
import warnings
from importlib import import_module
from pathlib import Path

import numpy as np
import sklearn
from sklearn.linear_model import LogisticRegression

warnings.simplefilter("error")
old, *modules = sys.argv[1:]
for module in map(import_module, modules):
    code = re.sub(rf"\\b{old}\\b", "_renamed", Path(module.__file__).read_text())
    assert "_renamed" in code
    vars(module).pop(old, None)
    exec(compile(code, module.__file__, "exec"), vars(module))
for name in ("get_scorer", "make_scorer"):
    setattr(sklearn.metrics, name, getattr(module, name))

import sklearn_ap

lost = []
for name in dir(sklearn_ap):
    try:
        getattr(sklearn_ap, name)
    except ImportError:
        lost.append(name)
print(*lost)
x = np.arange(6)[:, None]
row = [0, 1, 1, 0, 0, 1], x.ravel()
with warnings.catch_warnings():
    warnings.simplefilter("ignore", sklearn_ap.UncertaintyWarning)
    value = sklearn_ap.estimate_score("average_precision", *row).score
assert abs(value - (1 + 2 / 4 + 3 / 5) / 3) < 1e-12
if not lost:
    sklearn.set_config(enable_metadata_routing=True)
    scorer = sklearn_ap.get_scorer("reciprocal_rank", query_id="image")
    model = LogisticRegression().fit(x, row[0])
    assert scorer(model, x, row[0], query_id=[1, 1, 1, 2, 2, 2]) == 1.0
"""
OF_SCORERS = "sklearn.metrics._scorer"
OF_REQUESTS = "sklearn.utils._metadata_requests", "sklearn.utils.metadata_routing"


RENAMES = [
    *((name, [OF_SCORERS], ["get_scorer", "make_scorer"]) for name in _NOT_PUBLIC),
    # What only warns, and the classes, by whatever name.
    *((name, [OF_SCORERS], []) for name in ("_warn_overlap", "_Scorer")),
    ("_BaseScorer", [OF_SCORERS], []),
    ("_MetadataRequester", [*OF_REQUESTS, OF_SCORERS], []),
]


# Each process imports scikit-learn, which takes a second.
@pytest.mark.parametrize(("name", "modules", "lost"), one_in(len(RENAMES), RENAMES))
def test_only_scorers_need_what_scikit_learn_has_not_published(name, modules, lost):
    command = [sys.executable, "-c", RENAMED, name, *modules]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.stderr, result.stdout.split()) == ("", lost)
