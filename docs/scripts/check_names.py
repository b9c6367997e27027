"""Find names in backticks that do not exist: `python docs/scripts/check_names.py`
prints them with their lines, and fails.

A name is a path, an option, or a word with an underscore, a dot or parentheses. It
exists if the code or a block of a page uses it, or if it is the name of a file. In
`Class.name`, the class must use the name. Where a text places a name *in* a file, the
file must use it.
"""

import ast
import io
import re
import sys
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILT = re.compile(r"/(_build|auto_examples|generated|dist|\.(?!ci|github)\w+)(/|$)")
BLOCK = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
# Roles, such as :doi:, have no group: Sphinx checks what they name.
QUOTED = re.compile(r"[:}]`[^`]*`|`+([^`]+)`+")
OPTION, NAME = r"(?<![\w-])--[a-z][a-z-]+", r"(?<![\w./-])[A-Za-z_]\w*(?:[./]\w+)*"
TOKEN = re.compile(rf"{OPTION}|{NAME}(?:\(\))?")
IN_FILE = re.compile(r"`(\w+)` in\s+`([\w./]+/\w+)(?:\.py)?`")
# Names of other packages and commands, and names that examples and formulas make up.
OTHERS = """
--badges-- --fix --no-build-isolation --no-deps --py-files COCOeval_faster Class.name
a_high a_low b_high b_low get_final_error is_max_optimal rows.withColumn
L/5 LeaveOneOut MALLOC_MMAP_MAX_ MALLOC_TRIM_THRESHOLD_ N_ N_n P/n P_10 X86_V4 X_val
_new _old batch_size bootstrap_point632_score boxes_preds.json boxes_target.json
compute_metrics create_study docs/_build/html early_stopping eval_fn extra_metrics
fast.cocoDt fast.cocoGt from_ hit_fraction ignore_identical_ids
imblearn.pipeline.make_pipeline jaccard_score kappa_score keep_default_na make_metric
map_cut_10 max_error metric.tm_to_coco metric_for_best_model metric_kwargs metric_name
model.val n_ n_scans n_thresholds needs_threshold neg_max_error np.iscomplexobj
np.nanmin np.tri p_1 pd.read_csv pd.read_excel pd.read_sql precision_at_10_score
precision_score predictions.json recall_10 recall_100 recall_low recall_score
roc_auc_ovr rows.map_batches rows.pivot sample_params save_json score_a set_xscale
sklearn.metrics.top_k_accuracy_score sklearn.model_selection.FixedThresholdClassifier
spark.addArtifact states.to_pandas success_10 test_1 to_pandas voc_07 y_val
"""


def is_text(node: ast.AST) -> bool:
    """Return whether a statement is a docstring."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def words(tree: ast.AST | str) -> set[str]:
    """Return the words of a text, or the names in code and in its strings, without
    those in docstrings.
    """
    if isinstance(tree, ast.AST):
        texts = {node.value for node in ast.walk(tree) if is_text(node)}
        nodes = [node for node in ast.walk(tree) if node not in texts]
        fields = "id", "attr", "arg", "name", "asname", "module", "value"
        found = [getattr(node, field, None) for node in nodes for field in fields]
        tree = " ".join(one for one in found if isinstance(one, str))
    return {*re.findall(r"--[\w-]+|\w+", tree)}


def prose_of(name: str, text: str) -> Iterator[tuple[int, str]]:
    """Yield the text of a page, or docstrings and comments of code, and their lines."""
    if name.endswith((".md", ".rst")):
        yield 1, BLOCK.sub(lambda block: "\n" * block[0].count("\n"), text)
    if name.endswith(".py"):
        for node in filter(is_text, ast.walk(ast.parse(text))):
            yield node.lineno, str(node.value.value)
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string


def names_in(prose: str) -> Iterator[tuple[int, str]]:
    """Yield the names in backticks, each with the number of lines above it."""
    for quoted in QUOTED.finditer(prose):
        for token in TOKEN.findall(quoted[1] or ""):
            name = token.removesuffix("()")
            is_name = name != token or re.search(r"[_./]|^--", name)
            if is_name and "://" not in quoted[1]:
                yield prose.count("\n", 0, quoted.start()), name


def uses(texts: dict[str, str]) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """Return the words that each file uses, and those that each class uses."""
    trees = {p: ast.parse(text) for p, text in texts.items() if p.endswith(".py")}
    used = {path: words(tree) for path, tree in trees.items()}
    for path in texts.keys() - used.keys():
        is_data = path.endswith(".toml")
        blocks = [texts[path]] if is_data else BLOCK.findall(texts[path])
        used[path] = words(" ".join(blocks))
    of_class = defaultdict(set)
    for node in (node for tree in trees.values() for node in ast.walk(tree)):
        if isinstance(node, ast.ClassDef):
            of_class[node.name] |= words(node)
    return used, of_class


def faults(root: Path) -> Iterator[str]:
    """Yield the names that do not exist, each with its place."""
    paths = ["/" + path.relative_to(root).as_posix() for path in root.rglob("*")]
    paths = [path for path in paths if not BUILT.search(path)]
    read = [path for path in paths if path.endswith((".md", ".rst", ".toml", ".py"))]
    texts = {path: (root / path[1:]).read_text("utf-8") for path in read}
    used, of_class = uses(texts)
    known = words(OTHERS).union(*used.values())

    def exists(name: str) -> bool:
        first, *rest = name.split(".")
        if len(rest) == 1 and first in of_class:
            return rest[0] in of_class[first]
        is_file = any(path.endswith((f"/{name}", f"/{name}.py")) for path in paths)
        return is_file or name in OTHERS.split() or {first, *rest} <= known

    prose = [(p, *part) for p, text in texts.items() for part in prose_of(p, text)]
    for path, line, part in prose:
        for below, name in names_in(part):
            if not exists(name):
                yield f"{path[1:]}:{line + below}: `{name}` does not exist"
        for name, file in IN_FILE.findall(part):
            ends = f"/{file}.py", f"/{file}/__init__.py"
            if not any(name in used[one] for one in used if one.endswith(ends)):
                yield f"{path[1:]}:{line}: `{name}` is not in `{file}`"


if __name__ == "__main__":
    found = [*faults(ROOT)]
    print("\n".join([*found, f"{len(found)} names in backticks do not exist"]))
    sys.exit(bool(found))
