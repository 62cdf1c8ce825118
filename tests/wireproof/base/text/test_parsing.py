"""Files that other people wrote are read within limits, by one module."""

import io
import itertools
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
import tomlkit

from tests.structure import ROOT
from tests.support.hostile.counted_steps import steps
from wireproof.base.text.parsing import (
    MISSHAPEN,
    checked_toml,
    parse_json,
    parse_toml,
    read_text,
    shape_fault,
    text_of,
)

OWN_FILES: Final = {
    "definitions/franz_go/disagreement_table.py": "a table of the package",
    "kafka/releases/broker_classpath.py": "a table of the package",
    "kafka/releases/release_table.py": "a table of the package",
    "base/version.py": "the project's own pyproject.toml",
}
"""Modules that parse TOML without the limits, with the reason."""
LONG: Final = {
    "dotted": "a." * 50_000 + "a = 1",
    "quoted": "'a' . " * 50_000 + "a = 1",
    "header": "[" + "a." * 50_000 + "a]",
    "hexadecimal": "a = 0x" + "f" * 100_000,
    "decimal": "a = " + "1" * 100_000,
    "deep": "a = " + "[" * 100_000,
}


@pytest.mark.parametrize("parse", [parse_toml, lambda text: checked_toml(text, tomlkit.parse)])
@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_hostile_toml_is_refused_in_few_steps(text: str, parse: Callable[[str], Any]) -> None:
    """The message is short, and no step is repeated for each part of a name."""

    def refused() -> None:
        with pytest.raises(ValueError, match=r"it has|nested|nvalid number") as refusal:
            parse(text)
        assert len(str(refusal.value)) < 200

    if "." in text:
        assert steps(refused) < 1000
    else:
        refused()


def test_numbers_of_64_bits_and_names_of_some_parts_are_read() -> None:
    """The limits are above all that a file of wireproof holds."""
    assert parse_toml("a.b.c.d = -8000\n[tool.x]\nt = 9223372036854775807")["tool"]["x"]["t"] == 2**63 - 1
    assert parse_json('{"a": [{"b": 1}]}') == {"a": [{"b": 1}]}


def test_a_number_with_too_many_digits_is_named_without_advice_about_python() -> None:
    """JSON has the limit of Python's integers."""
    with pytest.raises(ValueError, match=r"^it has a number of more than \d+ digits$"):
        parse_json("1" * 100_000)


class Endless(io.RawIOBase):
    """A device without an end. It counts what was read."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.given = 0

    def read(self, size: int = -1) -> bytes:
        """Return as many bytes as are wanted."""
        assert size > 0, "all of an endless stream is wanted"
        self.given += size
        return bytes(itertools.islice(itertools.cycle(self.content), size))


@pytest.mark.parametrize("content", [bytes(1), b"\xff", b"text\xc3"])
def test_bytes_that_are_not_text_end_the_reading(content: bytes) -> None:
    """Random bytes, and those of a device, are refused at the first block."""
    stream = Endless(content)
    with pytest.raises(ValueError, match=r"not .*text"):
        text_of(stream)  # type: ignore[arg-type]
    assert stream.given <= 1 << 20


def test_a_character_may_lie_across_blocks(tmp_path: Path) -> None:
    """Text is the same however it is read; line ends of other systems are line feeds."""
    text = "a" + "é" * (1 << 20) + "\r\nb\rc\n"
    (tmp_path / "text").write_bytes(text.encode())
    assert read_text(tmp_path / "text") == text.replace("\r\n", "\n").replace("\r", "\n")


def test_no_other_module_parses_toml_or_a_whole_json_file() -> None:
    """A file of the user passes through `wireproof.base.text.parsing`."""
    raw = re.compile(r"\b(toml(lib|i)\.loads?|tomlkit\.(parse|loads?)|json\.load|sys\.stdin\.read)\(")
    source = ROOT / "harness" / "wireproof"
    found = {
        path.relative_to(source).as_posix().replace(os.sep, "/")
        for path in source.rglob("*.py")
        if raw.search(path.read_text("utf-8"))
    }
    assert found == set(OWN_FILES)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "no JSON at character 2: Expecting property name"),
        ("{}", "'size' is missing, or is not a name that is known here"),
        ('{"size":{}}', "a value has another type than expected"),
        ('{"size":"' + "x" * 1000 + '"}', "invalid literal for int() with base 10: 'xxx"),
    ],
)
def test_a_fault_of_shape_has_words_of_its_own(text: str, words: str) -> None:
    """The classes of Python's errors say nothing to the author of a file; a long value is cut."""
    with pytest.raises(MISSHAPEN) as caught:
        int(parse_json(text)["size"])

    assert shape_fault(caught.value).startswith(words)
    assert len(shape_fault(caught.value)) <= 303
