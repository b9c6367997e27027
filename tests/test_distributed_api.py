"""What `sklearn_ap.distributed` promises by name: `__all__`, signatures, docstrings, no engine at import."""

import ast
import doctest
import inspect
import pickle
import pydoc
import re
import subprocess
import sys
from pathlib import Path

import pytest

import sklearn_ap
from sklearn_ap import compatibility, distributed
from sklearn_ap._registry import SCORES

ENGINES = "pyarrow", "pandas", "polars", "duckdb", "dask", "distributed", "pyspark"
PUBLIC = {name: getattr(distributed, name) for name in distributed.__all__}
FUNCTIONS = {name: one for name, one in PUBLIC.items() if inspect.isfunction(one)}
OF_ROWS = ["filter", "memory_limit", "progress"]
HEADINGS = ["Parameters", "Returns", "Warns", "Raises", "See Also", "Notes", "References", "Examples"]


def parameters_of(function) -> dict[str, str]:
    """The paragraph of each documented parameter."""
    section = re.search(r"^Parameters\n-+\n(.*?)\n\nReturns\n", inspect.getdoc(function), re.S | re.M)[1]
    paragraphs = re.split(r"^(?:\*\*)?(\w+(?:, \w+)*) : ", section, flags=re.M)[1:]
    told = zip(paragraphs[::2], paragraphs[1::2], strict=True)
    return {name: text.strip() for names, text in told for name in names.split(", ")}


def test_all_names_every_score_and_is_sorted():
    assert distributed.__all__ == ["RankingState", "SourceError", *sorted(FUNCTIONS)]
    assert {score.__name__ for score in SCORES} < set(FUNCTIONS)
    assert set(FUNCTIONS) - {"scores"} < set(sklearn_ap.__all__)


@pytest.mark.parametrize("name", [score.__name__ for score in SCORES])
def test_signature_is_that_in_memory_but_for_rows(name):
    ours, own = (inspect.signature(getattr(one, name)).parameters for one in (distributed, sklearn_ap))
    assert list(ours) == ["data", *own, *OF_ROWS]
    assert [ours[one].default for one in ("data", "y_true", "y_score")] == [
        inspect.Parameter.empty,
        "label",
        "score",
    ]
    for one in list(own)[2:]:
        assert (ours[one].kind, ours[one].default) == (own[one].kind, own[one].default), one
    assert all(ours[one].kind is inspect.Parameter.KEYWORD_ONLY for one in OF_ROWS)


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - {score.__name__ for score in SCORES} - {"scores"}))
def test_what_is_no_score_shares_parameters_with_memory(name):
    ours, own = (inspect.signature(getattr(one, name)).parameters for one in (distributed, sklearn_ap))
    assert list(ours)[-4 if "score_func_params" in ours else -3 :][:3] == OF_ROWS
    shared = [one for one in ours if one in own and one not in ("y_true", "y_score", *OF_ROWS)]
    assert shared == [one for one in own if one in shared]
    assert "data" in ours
    assert shared


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_parameter_is_documented(name):
    assert sorted(parameters_of(FUNCTIONS[name])) == sorted(inspect.signature(FUNCTIONS[name]).parameters)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_sections_stand_in_numpydoc_s_order(name):
    doc = inspect.getdoc(FUNCTIONS[name])
    found = re.findall(r"^([A-Z][A-Za-z ]+)\n-+$", doc, re.M)
    assert found == [one for one in HEADINGS if one in found]
    assert {"Parameters", "Returns", "Raises", "See Also", "Examples"} <= set(found)
    assert ".. versionadded:: 0.1" in doc
    assert max(map(len, doc.splitlines())) <= 110
    summary = doc.partition("\n\n")[0]
    assert re.fullmatch(r".+\.", summary)


@pytest.mark.parametrize("name", PUBLIC)
def test_see_also_names_what_there_is(name):
    doc = inspect.getdoc(PUBLIC[name])
    section = re.search(r"^See Also\n-+\n(.*?)(?:\n\n|\Z)", doc, re.S | re.M)[1]
    for other in re.findall(r"^([\w.]+) : ", section, re.M):
        found = sklearn_ap if other.startswith("sklearn_ap.") else distributed
        for part in other.removeprefix("sklearn_ap.").split("."):
            found = getattr(found, part)


@pytest.mark.parametrize("name", PUBLIC)
def test_examples_run(name):
    found = doctest.DocTestFinder().find(PUBLIC[name], name, module=False, globs={})
    assert found[0].examples
    assert all(doctest.DocTestRunner().run(one).failed == 0 for one in found)


@pytest.mark.parametrize("name", PUBLIC)
def test_pickle_and_help(name):
    assert pickle.loads(pickle.dumps(PUBLIC[name])) is PUBLIC[name]
    text = pydoc.plain(pydoc.render_doc(PUBLIC[name]))
    assert name in text.splitlines()[0]
    assert "Examples" in text


def in_a_new_process(code: str) -> str:
    command = [sys.executable, "-W", "error", "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_what_is_imported_is_what_is_asked_for():
    """Neither folders nor files before their names are, no engine for rows in memory, and no thread."""
    code = f"""
import sys, threading, sklearn_ap
sys.modules["pandas"] = None  # scikit-learn imports it where it is
ours = lambda: {{name.split(".")[1] for name in sys.modules if name.startswith("sklearn_ap.")}}
assert {{*sklearn_ap.__all__, "compatibility", "distributed"}} < {{*dir(sklearn_ap)}}
assert not hasattr(sklearn_ap, "nothing")
print(ours(), "numpy" in sys.modules)
from sklearn_ap import average_precision_score
print(sorted(ours()))
assert sklearn_ap.average_precision_score is vars(sklearn_ap)["average_precision_score"]
from sklearn_ap import *
print(sorted(ours()), threading.active_count())
assert "AveragePrecisionEvaluator" in dir(sklearn_ap.distributed)
from sklearn_ap import distributed
print(distributed.SourceError.__name__, len(sklearn_ap.compatibility.CONVENTIONS) > 30)
state = distributed.RankingState().update([0, 1], [0.1, 0.9])
state.score("average_precision"), distributed.RankingState.from_bytes(state.to_bytes())
dir(distributed), distributed.average_precision_score.__doc__
sklearn_ap.average_precision_score([0, 1], [0.1, 0.2], query_id=[1, 1])
sklearn_ap.hit_curve([0, 1], [0.1, 0.2])
print([name for name in ["matplotlib", *{ENGINES}] if sys.modules.get(name)])
"""
    score = "_api _areas _definition _public _ranking _reading _rounding _scores _typing"
    more = "_by_query _curves _displays _estimators _operating_points _registry _scorers"
    every = sorted(f"{score} {more} _uncertainty _versions".split())
    said = f"set() False\n{score.split()}\n{every} 1\nSourceError True\n[]\n"
    assert in_a_new_process(code) == said


def test_each_name_is_found_where_type_checkers_find_it():
    tree = ast.parse(Path(sklearn_ap.__file__).read_text())
    found = {
        f".{one.module}.{name.name}"
        for one in ast.walk(tree)
        if isinstance(one, ast.ImportFrom)
        for name in one.names
    }
    assert {f"{file}.{name}" for name, file in sklearn_ap._FILES.items()} < found
    assert list(sklearn_ap._FILES) == sklearn_ap.__all__


def test_engine_of_arrow_imports_no_other():
    code = f"""
import sys, tempfile, pandas, pyarrow.csv
from sklearn_ap import distributed
from sklearn_ap.distributed._engines._spark import opened
rows = pyarrow.table({{"label": [0, 1], "score": [0.1, 0.9]}})
pyarrow.csv.write_csv(rows, path := tempfile.mkdtemp() + "/rows.csv")
print(distributed.average_precision_score(path), distributed.average_precision_score(rows))
print(opened(pandas.DataFrame({{"a": [1]}})), [name for name in {ENGINES[2:]} if name in sys.modules])
"""
    assert in_a_new_process(code) == "1.0 1.0\nNone []\n"


WITHOUT_OPTIONAL = """
import sys
class Missing:
    def find_spec(self, name, *_):
        if name in (*{engines}, "matplotlib", "hypothesis", "pytest"):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Missing())
from sklearn_ap import *
from sklearn_ap import compatibility, distributed
from sklearn_ap.__main__ import main
class Stream:
    def __arrow_c_stream__(self, schema=None): ...
y_true, y_score, file = [0, 1, 1, 0] * 6, range(24), {file!r}
results = [
    chance_level(y_true),
    estimate_score("average_precision", y_true, y_score),
    compare_scores("average_precision", y_true, y_score, y_score[::-1]),
    compare_many("average_precision", y_true, {{"a": y_score, "b": y_score[::-1]}}, random_state=0),
    sample_size("average_precision", y_true, y_score, half_width=0.2),
    compatibility.compare_conventions(y_true, y_score),
    compatibility.identify("0.5", y_true, y_score),
]
asks = {{type(one).__name__: one.to_frame for one in results}}
for kind in [one for one in globals().copy().values() if hasattr(one, "from_predictions")]:
    query = {{"query_id": [1] * 24}} if kind is QueryDisplay else {{}}
    asks[kind.__name__] = lambda kind=kind, query=query: kind.from_predictions(y_true, y_score, **query)
asks["file"] = lambda: distributed.average_precision_score(file)
asks["filter"] = lambda: distributed.average_precision_score(file, filter=1)
asks["stream"] = lambda: distributed.average_precision_score(Stream())
asks["evaluator"] = lambda: distributed.AveragePrecisionEvaluator
for name, ask in asks.items():
    try:
        ask()
    except ImportError as error:
        print(f"{{name}}: {{error}}")
sys.stderr = sys.stdout
try:
    main([file, "--y-true", "label", "--y-score", "score"])
except SystemExit as error:
    assert error.code == 2
"""


@pytest.mark.filterwarnings("ignore")
def test_each_optional_feature_names_what_to_install(tmp_path):
    """Optional libraries are optional: without any of them, the package imports without a warning."""
    file = tmp_path / "rows.parquet"
    file.write_bytes(b"PAR1")
    lines = in_a_new_process(WITHOUT_OPTIONAL.format(engines=ENGINES, file=str(file))).splitlines()
    said = {line.partition(": ")[0]: line.rpartition(": pip install ")[2] for line in lines}
    public = {
        name: getattr(module, name) for module in (sklearn_ap, compatibility) for name in module.__all__
    }
    of_pyarrow = dict.fromkeys(["file", "filter", "stream", "sklearn_ap"], "pyarrow")
    assert said == {
        **{name: "pandas" for name, one in public.items() if hasattr(one, "to_frame")},
        **{name: "matplotlib" for name, one in public.items() if hasattr(one, "from_predictions")},
        **of_pyarrow,
        "evaluator": "pyspark pyarrow",
    }
