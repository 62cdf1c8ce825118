"""Changes one place of a Python library's source when it is imported; run by the testee's own interpreter.

    python -I source_mutation.py SPEC adapter.py [ARGUMENT...]

SPEC is JSON: ``{"file": PATH, "index": NUMBER}`` for a mutant, or ``{"folders": [PATH, ...], "log": PATH}``
to write down which lines of functions each message executes. Needs the standard library alone.
"""

import ast
import atexit
import importlib.machinery
import json
import re
import runpy
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

_COMPARISONS: dict[type, type] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_ARITHMETIC: dict[type, type] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
}
_FORMAT = re.compile(r"[<>!=][bBhHiIlLqQdf]+")
_NARROWER = str.maketrans("hHiIlLqQ", "bBhHhHiI")
_TYPES = {"int8": "int16", "int16": "int32", "int32": "int16", "int64": "int32", "uint16": "int16"}
_TYPE_NAMES = {"Int8": "Int16", "Int16": "Int32", "Int32": "Int16", "Int64": "Int32"}
_MOST_CELLS = 24
"""The most cells that are kept for each line."""


class SourceSite(NamedTuple):
    """A place that can be changed.

    Attributes:
        number: the number of the place, in the order of the source.
        function: whether it is in a function; code outside is executed when the module is imported.
    """

    number: int
    operator: str
    line: int
    function: bool


class _Edit(NamedTuple):
    operator: str
    line: int
    function: bool
    apply: Callable[[], object]


def sites(source: str) -> list[SourceSite]:
    """The places of a module that can be changed."""
    edits = _edits(ast.parse(source))
    return [SourceSite(index, each.operator, each.line, each.function) for index, each in enumerate(edits)]


def mutated(source: str, index: int) -> ast.Module:
    """The module with one place changed."""
    tree = ast.parse(source)
    [*_edits(tree)][index].apply()
    return ast.fix_missing_locations(tree)


def _edits(tree: ast.Module) -> Iterator[_Edit]:
    names = {each.id for each in ast.walk(tree) if isinstance(each, ast.Name)}
    names |= {
        each.asname or each.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for each in node.names
    }
    yield from _inside(tree, False, names)


def _inside(parent: ast.AST, function: bool, names: set[str]) -> Iterator[_Edit]:
    inner = function or isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
    for name, held in ast.iter_fields(parent):
        if name in ("annotation", "returns", "decorator_list", "type_comment"):
            continue
        for place, node in enumerate(held) if isinstance(held, list) else [(None, held)]:
            if not isinstance(node, ast.AST) or _is_left_alone(node):
                continue
            for operator, made in _changes(node, inner, names):
                yield _Edit(operator, getattr(node, "lineno", 0), inner, _put(parent, name, place, made))
            yield from _inside(node, inner, names)


def _is_left_alone(node: ast.AST) -> bool:
    """True for a node that holds no code to change: error texts, docstrings, imports, type hints."""
    if isinstance(node, (ast.Raise, ast.Assert, ast.Import, ast.ImportFrom, ast.JoinedStr)):
        return True
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _put(parent: ast.AST, name: str, place: int | None, node: ast.AST) -> Callable[[], object]:
    def apply() -> None:
        if place is None:
            setattr(parent, name, node)
        else:
            getattr(parent, name)[place] = node

    return apply


def _changes(node: ast.AST, function: bool, names: set[str]) -> Iterator[tuple[str, ast.AST]]:
    """Yield the replacements of a node, each with the name of its operator."""
    if isinstance(node, ast.Compare):
        yield from _of_comparison(node)
    elif isinstance(node, ast.Constant):
        yield from _of_constant(node)
    elif isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        yield (
            "arithmetic",
            ast.copy_location(ast.BinOp(node.left, _ARITHMETIC[type(node.op)](), node.right), node),
        )
    elif isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield "and-or", ast.copy_location(ast.BoolOp(other, node.values), node)
    elif isinstance(node, (ast.If, ast.IfExp)):
        yield "branch-swapped", _with_test(node)
    elif isinstance(node, ast.Name) and _TYPE_NAMES.get(node.id) in names and isinstance(node.ctx, ast.Load):
        yield "type-swapped", ast.copy_location(ast.Name(_TYPE_NAMES[node.id], node.ctx), node)
    elif isinstance(node, ast.Call):
        yield from _of_call(node)
    elif function:
        yield from _of_statement(node)


def _of_comparison(node: ast.Compare) -> Iterator[tuple[str, ast.AST]]:
    operator = _COMPARISONS.get(type(node.ops[0]))
    if operator is not None:
        yield (
            "comparison",
            ast.copy_location(ast.Compare(node.left, [operator(), *node.ops[1:]], node.comparators), node),
        )
    right = node.comparators[0]
    if isinstance(right, ast.Constant) and right.value is None and len(node.ops) == 1:
        falsy = ast.UnaryOp(ast.Not(), node.left)
        truthy = ast.UnaryOp(ast.Not(), falsy)
        yield "none-as-falsy", ast.copy_location(falsy if isinstance(node.ops[0], ast.Is) else truthy, node)


def _of_constant(node: ast.Constant) -> Iterator[tuple[str, ast.AST]]:
    value = node.value
    if isinstance(value, bool):
        yield "boolean-flipped", _constant(node, not value)
    elif isinstance(value, int):
        yield "constant-plus-one", _constant(node, value + 1)
        yield "constant-minus-one", _constant(node, value - 1)
    elif isinstance(value, str) and _FORMAT.fullmatch(value):
        yield "format-narrower", _constant(node, value.translate(_NARROWER))
        yield "format-of-other-sign", _constant(node, value.swapcase())
        yield "format-little-endian", _constant(node, "<" + value[1:])
    elif isinstance(value, str) and value in _TYPES:
        yield "type-swapped", _constant(node, _TYPES[value])


def _constant(node: ast.Constant, value: object) -> ast.AST:
    return ast.copy_location(ast.Constant(value), node)  # type: ignore[arg-type]


def _with_test(node: ast.If | ast.IfExp) -> ast.AST:
    test = ast.UnaryOp(ast.Not(), node.test)
    if isinstance(node, ast.If):
        return ast.copy_location(ast.If(test, node.body, node.orelse), node)
    return ast.copy_location(ast.IfExp(test, node.body, node.orelse), node)


def _of_call(node: ast.Call) -> Iterator[tuple[str, ast.AST]]:
    """Yield the replacements of a call with a table as arguments: ``Schema(("a", Int16), ("b", Int32))``."""
    rows = node.args
    if len(rows) < 2 or not all(isinstance(each, ast.Tuple) for each in rows):
        return
    yield "row-dropped", ast.copy_location(ast.Call(node.func, rows[:-1], node.keywords), node)
    yield (
        "rows-swapped",
        ast.copy_location(ast.Call(node.func, [rows[1], rows[0], *rows[2:]], node.keywords), node),
    )


def _of_statement(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    if isinstance(node, (ast.Expr, ast.AugAssign)) and not isinstance(
        getattr(node, "value", None), (ast.Yield, ast.Await)
    ):
        yield "statement-dropped", ast.copy_location(ast.Pass(), node)
    elif isinstance(node, ast.Return) and node.value is not None:
        yield "return-none", ast.copy_location(ast.Return(ast.Constant(None)), node)
    elif isinstance(node, ast.Break):
        yield "break-as-continue", ast.copy_location(ast.Continue(), node)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "not-dropped", node.operand


# In the testee's process.


class _Loader(importlib.machinery.SourceFileLoader):
    """Compiles the result of `changed` for a source, in place of a cached compiled file."""

    changed: Callable[[str, bytes], ast.Module | None]

    def get_code(self, fullname: str) -> Any:
        path = self.get_filename(fullname)
        data = self.get_data(path)
        tree = type(self).changed(path, data)
        return super().get_code(fullname) if tree is None else compile(tree, path, "exec", dont_inherit=True)


def _install(changed: Callable[[str, bytes], ast.Module | None]) -> None:
    _Loader.changed = staticmethod(changed)
    machinery = importlib.machinery
    details = [
        (machinery.ExtensionFileLoader, machinery.EXTENSION_SUFFIXES),
        (_Loader, machinery.SOURCE_SUFFIXES),
        (machinery.SourcelessFileLoader, machinery.BYTECODE_SUFFIXES),
    ]
    sys.path_hooks.insert(0, machinery.FileFinder.path_hook(*details))
    sys.path_importer_cache.clear()


class _Lines:
    """The lines that were executed for each message."""

    def __init__(self, folders: list[str], log: str) -> None:
        self._folders = tuple(folders)
        self._log = log
        self._current = "import"
        self._cells: dict[tuple[str, int], set[str]] = {}
        self._imported: list[tuple[str, str]] = []

    def instrument(self, path: str, data: bytes) -> ast.Module | None:
        if not path.startswith(self._folders):
            return None
        self._imported.append((path, self._current))
        tree = ast.parse(data)
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self._mark(path, node)
        return ast.fix_missing_locations(tree)

    def _mark(self, path: str, function: ast.AST) -> None:
        for node in ast.walk(function):
            for name in ("body", "orelse", "finalbody"):
                held = getattr(node, name, None)
                if isinstance(held, list) and not isinstance(node, (ast.ClassDef, ast.Lambda)):
                    setattr(node, name, [each for one in held for each in self._marked(path, one)])

    def _marked(self, path: str, statement: ast.stmt) -> list[ast.stmt]:
        if getattr(statement, "_marked", False):
            return [statement]
        statement._marked = True  # type: ignore[attr-defined]
        call = ast.parse(f"__import__('builtins')._wireproof_line({path!r}, {statement.lineno})").body[0]
        call._marked = True  # type: ignore[attr-defined]
        docstring = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        return [statement] if docstring else [call, statement]

    def line(self, path: str, number: int) -> None:
        cells = self._cells.setdefault((path, number), set())
        if len(cells) < _MOST_CELLS:
            cells.add(self._current)

    def watch(self, handler: Any) -> None:
        answer = handler.answer

        def watched(self_: Any, request: Any) -> Any:
            about = request.get("message") or request.get("type") or "hello"
            self._current = f"{about}/{request.get('version', 0)}"
            return answer(self_, request)

        handler.answer = watched

    def write(self) -> None:
        lines = [[path, line, sorted(cells)] for (path, line), cells in self._cells.items()]
        Path(self._log).write_text(json.dumps({"lines": lines, "imported": self._imported}))


def _main() -> None:
    spec = json.loads(sys.argv[1])
    program = sys.argv[2]
    sys.argv = sys.argv[2:]
    sys.path.insert(0, str(Path(program).resolve().parent))
    if "log" in spec:
        import builtins

        lines = _Lines(spec["folders"], spec["log"])
        builtins._wireproof_line = lines.line  # type: ignore[attr-defined]
        _install(lines.instrument)
        lines.watch(__import__("wireproof_testee").RequestHandler)
        atexit.register(lines.write)
    else:
        _install(lambda path, data: mutated(data.decode(), spec["index"]) if path == spec["file"] else None)
    runpy.run_path(program, run_name="__main__")


if __name__ == "__main__":
    _main()
