"""A contract: `base.files` alone deletes and renames files, changes modes, and makes temporary files."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[4]
OWNER = ROOT / "harness/wireproof/base/files"
SOURCES = (ROOT / "harness", ROOT / "codecs" / "kafkawire", ROOT / "integrations")

FORBIDDEN = {
    "chmod", "chown", "fchmod", "fchown", "lchmod", "lchown", "mkdtemp", "mkstemp", "move", "removedirs",
    "renames", "rmdir", "rmtree", "unlink",
}  # fmt: skip
"""Functions of `os`, `shutil` and `tempfile`, and methods of `Path`, under whichever name the module has."""
OF_MODULES = {"os": {"remove", "rename", "replace", "link", "symlink"}}
OF_PATHS = {"rename", "replace", "hardlink_to", "symlink_to"}
"""Methods with one argument: `str.replace` has two, and `dataclasses.replace` has keywords."""
MODULES = {"tempfile"}


def uses(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and name of each use of what only the owner may use."""
    modules = {"os": "os"}
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                modules |= {each.asname or each.name: each.name for each in names}
                yield from ((node.lineno, each.name) for each in names if each.name in MODULES)
            case ast.ImportFrom(module=str(module), names=names):
                forbidden = FORBIDDEN | OF_MODULES.get(module, set())
                for each in names:
                    if module in MODULES or (module in ("os", "shutil") and each.name in forbidden):
                        yield node.lineno, f"{module}.{each.name}"
            case ast.Attribute(attr=name) if name in FORBIDDEN:
                yield node.lineno, name
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if name in OF_MODULES.get(
                modules.get(owner, ""), ()
            ):
                yield node.lineno, f"{owner}.{name}"
            case ast.Call(func=ast.Attribute(attr=name), args=[_], keywords=[]) if name in OF_PATHS:
                yield node.lineno, name


def found(text: str) -> list[str]:
    return sorted({name for _, name in uses(ast.parse(text))})


def test_no_other_module_removes_or_replaces_files() -> None:
    """Every module of the harness and of the codec asks `wireproof.base.files`."""
    files = [path for source in SOURCES for path in source.rglob("*.py") if OWNER not in path.parents]
    assert len(files) > 500
    assert [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path in files
        for line, name in uses(ast.parse(path.read_text("utf-8")))
    ] == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("import shutil\nshutil.rmtree(path)", ["rmtree"]),
        ("import shutil as s\ns.rmtree(path)\ns.move(a, b)", ["move", "rmtree"]),
        ("from shutil import rmtree as gone", ["shutil.rmtree"]),
        ("import os as system\nsystem.remove(path)", ["system.remove"]),
        ("import os\nos.replace(a, b)\nos.rename(a, b)", ["os.rename", "os.replace"]),
        ("from os import remove, replace", ["os.remove", "os.replace"]),
        ("import tempfile", ["tempfile"]),
        ("from tempfile import TemporaryDirectory", ["tempfile.TemporaryDirectory"]),
        ("path.unlink()\npath.rmdir()\npath.chmod(0)", ["chmod", "rmdir", "unlink"]),
        ("clean = path.unlink", ["unlink"]),
        ("new.replace(path)\nnew.rename(path)", ["rename", "replace"]),
        (
            "text.replace('a', 'b')\nreplace(case, name='x')\ncases.remove(one)\ndataclasses.replace(a, b=1)",
            [],
        ),
    ],
)
def test_a_planted_use_is_found(text: str, names: list[str]) -> None:
    """Each way to remove or to replace a file is found, also under another name; texts and lists are not."""
    assert found(text) == names
