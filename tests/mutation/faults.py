"""Small faults: what can be planted in a file, and where."""

import ast
import difflib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Mutant", "mutants_of"]

COMPARISONS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
ARITHMETIC = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult, ast.Pow: ast.Mult, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitAnd,
}  # fmt: skip
TWINS = {}
for one, other in [
    ("minimum", "maximum"), ("min", "max"), ("argmin", "argmax"), ("any", "all"), ("floor", "ceil"),
    ("ones", "zeros"), ("ones_like", "zeros_like"), ("optimistic", "pessimistic"), ("left", "right"),
]:  # fmt: skip
    TWINS[one], TWINS[other] = other, one


@dataclass(frozen=True)
class Mutant:
    """One fault: what stands in the file from `start` to `stop` (bytes) becomes
    `text`.
    """

    file: str  # its path inside the package, without ".py"
    line: int
    operator: str
    start: int
    stop: int
    text: str

    def of(self, source: bytes) -> bytes:
        """Return the source with the fault."""
        return source[: self.start] + self.text.encode() + source[self.stop :]

    def diff(self, source: bytes) -> list[str]:
        """Return the lines that the fault removes and adds."""
        pair = [text.decode().splitlines() for text in (source, self.of(source))]
        lines = difflib.unified_diff(*pair, lineterm="", n=0)
        return [line for line in lines if not line.startswith(("---", "+++", "@@"))]


class _Faults(ast.NodeVisitor):
    """Collects every mutant of a file.

    Annotations, docstrings and texts of errors are left alone.
    """

    def __init__(self, file: str, source: bytes) -> None:
        self.file, self.found = file, []
        self._starts = [0]
        for line in source.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))
        self._source = source
        self.visit(ast.parse(source))

    def _replace(self, node: ast.AST, operator: str, text: str) -> None:
        start = self._starts[node.lineno - 1] + node.col_offset
        stop = self._starts[node.end_lineno - 1] + node.end_col_offset
        self.found.append(Mutant(self.file, node.lineno, operator, start, stop, text))

    def _with(self, node: ast.AST, operator: str, **changes: object) -> None:
        """Replace an expression by a copy of it with other fields."""
        fields = {name: getattr(node, name) for name in node._fields}
        text = ast.unparse(type(node)(**{**fields, **changes}))
        self._replace(
            node, operator, f"({text})" if isinstance(node, ast.expr) else text
        )

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for default in [*node.args.defaults, *filter(None, node.args.kw_defaults)]:
            self.visit(default)
        for statement in node.body:
            self.visit(statement)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_Assign(self, node: ast.Assign) -> None:
        if any(
            isinstance(target, ast.Name) and target.id == "__all__"
            for target in node.targets
        ):
            return
        if all(isinstance(target, ast.Subscript) for target in node.targets):
            self._replace(node, "remove statement", "pass")
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._replace(node, "remove statement", "pass")
        if type(node.op) in ARITHMETIC:
            self._with(node, "arithmetic", op=ARITHMETIC[type(node.op)]())
        self.visit(node.value)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):
            return  # a docstring
        if not isinstance(node.value, ast.Yield | ast.YieldFrom):
            self._replace(node, "remove statement", "pass")
        self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> None:
        self._replace(node, "remove raise", "pass")

    def visit_Continue(self, node: ast.Continue | ast.Break) -> None:
        self._replace(node, "remove statement", "pass")

    visit_Break = visit_Continue

    def visit_If(self, node: ast.If) -> None:
        if not node.orelse and isinstance(
            node.body[-1], ast.Return | ast.Raise | ast.Continue
        ):
            self._replace(node, "remove guard", "pass")
        self.visit_IfExp(node)

    def visit_IfExp(self, node: ast.If | ast.IfExp | ast.While) -> None:
        if not isinstance(
            node.test, ast.UnaryOp
        ):  # dropping `not` is a fault of its own
            self._replace(
                node.test, "negate condition", f"(not ({ast.unparse(node.test)}))"
            )
        self.generic_visit(node)

    visit_While = visit_IfExp

    def visit_Return(self, node: ast.Return) -> None:
        value = node.value
        first = value.args[0] if isinstance(value, ast.Call) and value.args else None
        if first is not None and not isinstance(first, ast.Starred | ast.GeneratorExp):
            self._replace(value, "return early", ast.unparse(first))
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        for place, operation in enumerate(node.ops):
            if type(operation) in COMPARISONS:
                ops = [*node.ops]
                ops[place] = COMPARISONS[type(operation)]()
                self._with(node, "comparison", ops=ops)
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if type(node.op) in ARITHMETIC:
            self._with(node, "arithmetic", op=ARITHMETIC[type(node.op)]())
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        self._with(
            node, "and/or", op=ast.Or() if isinstance(node.op, ast.And) else ast.And()
        )
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not | ast.Invert | ast.USub):
            self._replace(node, "drop not or minus", f"({ast.unparse(node.operand)})")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        value = node.value
        if isinstance(value, bool):
            self._replace(node, "constant", str(not value))
        elif isinstance(value, int):
            self._replace(node, "constant", str({1: 0}.get(value, value + 1)))
        elif isinstance(value, float):
            self._replace(
                node, "constant", repr({0.0: 1.0, 1.0: 0.0}.get(value, value * 2))
            )
        elif isinstance(value, str) and value in TWINS:
            self._replace(node, "constant", repr(TWINS[value]))

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Leave texts alone."""

    def visit_Slice(self, node: ast.Slice) -> None:
        lower, upper = (
            None if one is None else ast.unparse(one)
            for one in (node.lower, node.upper)
        )
        if node.step is None:
            self._replace(
                node,
                "slice",
                f"{'1' if lower is None else f'({lower}) + 1'}:{upper or ''}",
            )
            self._replace(
                node,
                "slice",
                f"{lower or ''}:{'-1' if upper is None else f'({upper}) - 1'}",
            )
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        name = (
            node.func.attr
            if isinstance(node.func, ast.Attribute)
            else getattr(node.func, "id", None)
        )
        if name in TWINS:
            twin = ast.unparse(node.func).removesuffix(name) + TWINS[name]
            self._replace(node.func, "twin function", twin)
        if name == "where" and len(node.args) == 3:
            self._with(
                node, "swap arguments", args=[node.args[0], node.args[2], node.args[1]]
            )
        for place, keyword in enumerate(node.keywords):
            if keyword.arg is not None:
                rest = [*node.keywords[:place], *node.keywords[place + 1 :]]
                self._with(node, "drop keyword", keywords=rest)
        self.generic_visit(node)


def mutants_of(package: Path, file: str) -> list[Mutant]:
    """Return the mutants of a file that are valid Python, one for each text."""
    source = (package / f"{file}.py").read_bytes()
    distinct: dict[bytes, Mutant] = {}
    for mutant in _Faults(file, source).found:
        with suppress(SyntaxError):
            ast.parse(mutant.of(source))
            distinct.setdefault(mutant.of(source), mutant)
    return list(distinct.values())
