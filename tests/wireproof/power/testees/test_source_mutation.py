"""Changes of a library's source: their sites, their results, and the code that stays as it is."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from wireproof.power.testees import source_mutation
from wireproof.power.testees.source_mutation import mutated, sites

SOURCE = '''
"""A text that is no code."""
from codec.types import Int16, Int32, Schema
import struct

TABLE = Schema(("one", Int32), ("two", Int16))
KIND = "int32"

def read(data, last=True, *, strict: int = 3):
    """Another text."""
    if data is None and last or len(data) < 4:
        raise ValueError("4 bytes")
    found = [] if not last else [1]
    for each in data:
        if each in found:
            break
        found.append(each << 1)
    return struct.unpack(">i", data[:4])[0]
'''

EXPECTED = {
    "and-or": "data is None or last",
    "arithmetic": "each >> 1",
    "boolean-flipped": "last=False",
    "branch-swapped": "if not (",
    "break-as-continue": "continue",
    "comparison": "len(data) <= 4",
    "constant-minus-one": "data[:3]",
    "constant-plus-one": "data[:5]",
    "format-little-endian": "'<i'",
    "format-narrower": "'>h'",
    "format-of-other-sign": "'>I'",
    "none-as-falsy": "not data and last",
    "not-dropped": "if last else",
    "return-none": "return None",
    "row-dropped": "Schema(('one', Int32))",
    "rows-swapped": "Schema(('two', Int16), ('one', Int32))",
    "statement-dropped": "pass",
    "type-swapped": "'int16'",
}


def made(operator: str) -> list[str]:
    """Return the source with each change at the sites that an operator finds."""
    found = [site for site in sites(SOURCE) if site.operator == operator]
    return [ast.unparse(mutated(SOURCE, site.number)) for site in found]


@pytest.mark.parametrize("operator", EXPECTED)
def test_an_operator_changes_one_place(operator: str) -> None:
    """Its new text is in exactly one changed module, and not in the original."""
    changed = [text for text in made(operator) if EXPECTED[operator] in text]

    assert changed
    assert EXPECTED[operator] not in ast.unparse(ast.parse(SOURCE))


def test_the_sample_has_a_site_of_every_operator() -> None:
    """A new operator needs a line in the sample."""
    assert {site.operator for site in sites(SOURCE)} == set(EXPECTED)


def test_every_mutant_compiles_and_differs() -> None:
    """Each change differs from the original, and has no syntax error."""
    original = ast.unparse(ast.parse(SOURCE))
    for site in sites(SOURCE):
        tree = mutated(SOURCE, site.number)
        compile(tree, "sample", "exec")
        assert ast.unparse(tree) != original


def test_error_texts_docstrings_and_type_hints_do_not_change() -> None:
    """A change there would not be a bug of the codec."""
    lines = {site.line for site in sites(SOURCE)}
    texts = SOURCE.splitlines()

    assert not [number for number in lines if "4 bytes" in texts[number - 1] or "text" in texts[number - 1]]


PROGRAM = """
import library
from wireproof_testee import RequestHandler
print(RequestHandler().answer({"message": "Ping", "version": 2}))
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """Write a program with a library and a kit of its own."""
    (tmp_path / "library.py").write_text("def answer():\n    return 1\n\ndef never():\n    return 2\n")
    kit = (
        "import library\n"
        "class RequestHandler:\n    def answer(self, request):\n        return library.answer()\n"
    )
    (tmp_path / "wireproof_testee.py").write_text(kit)
    (tmp_path / "adapter.py").write_text(PROGRAM)
    return tmp_path


def run(folder: Path, spec: dict[str, object]) -> str:
    command = [sys.executable, "-I", source_mutation.__file__, json.dumps(spec), "adapter.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout.strip()


def test_the_library_is_changed_when_it_is_imported(program: Path) -> None:
    """The file on disk stays the same, and the imported module has the bug."""
    library = program / "library.py"
    source = library.read_text()
    (plus, *_) = [site for site in sites(source) if site.operator == "constant-plus-one"]

    assert run(program, {"file": str(library), "index": plus.number}) == "2"
    assert library.read_text() == source


def test_executed_lines_are_recorded_by_message(program: Path) -> None:
    """A line of a function that no request reaches is not listed."""
    log = program / "lines.json"
    assert run(program, {"folders": [str(program / "library")], "log": str(log)}) == "1"
    recorded = json.loads(log.read_text())

    assert recorded["lines"] == [[str(program / "library.py"), 2, ["Ping/2"]]]
    assert recorded["imported"] == [[str(program / "library.py"), "import"]]
