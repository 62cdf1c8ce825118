"""Laws of random definitions: printed ones are read as the same, and JSON has the same layouts."""

from collections import Counter
from dataclasses import fields, is_dataclass, replace
from typing import Any

from hypothesis import given, settings

from kafkawire.schema import Severity, read_message, resolve, write_message
from tests.support.schemas.enum_text import enum_text
from tests.wireproof.definitions.krammar.random_definitions import definitions
from wireproof.definitions.krammar.conversion.field_conversion import NoteLevel
from wireproof.definitions.krammar.conversion.to_schema import to_message
from wireproof.definitions.krammar.definition_model import KrammarDefinitions, StructRole
from wireproof.definitions.krammar.definition_printing import struct_text
from wireproof.definitions.krammar.parsing.definition_reader import read_definitions


def without_lines(value: Any) -> Any:
    """Return a definition, or a part of one, without lines."""
    if isinstance(value, tuple):
        return tuple(without_lines(each) for each in value)
    if is_dataclass(value) and not isinstance(value, type):
        own = {each.name: without_lines(getattr(value, each.name)) for each in fields(value)}
        return replace(value, **{**own, "line": 0} if "line" in own else own)
    return value


@settings(max_examples=80)
@given(definitions())
def test_a_printed_definition_is_read_as_the_same(drawn: KrammarDefinitions) -> None:
    """The text has all of it but lines; none of the rules is broken."""
    texts = {"enums": enum_text(drawn.enums), "probe": struct_text(drawn.structs)}
    read, problems = read_definitions(texts)
    if any(each.severity is Severity.ERROR for each in problems):
        # Two structs inside each other may get one name from their fields.
        assert {each.rule for each in problems if each.severity is Severity.ERROR} == {"duplicate-name"}
        return
    assert without_lines(read) == drawn


OUTCOMES: Counter[str] = Counter()


@settings(max_examples=80)
@given(definitions())
def _json_has_the_same_layouts(drawn: KrammarDefinitions) -> None:
    for struct in drawn.structs:
        if struct.role is StructRole.PLAIN:
            continue
        spec, notes = to_message(struct, drawn)
        refused = [each for each in notes if each.level is NoteLevel.REFUSED]
        OUTCOMES["converted" if spec else "refused"] += 1
        assert (spec is None) == bool(refused)
        if spec is None:
            continue
        read, problems = read_message(write_message(spec), "Written.json")
        assert read is not None, problems
        assert not [each for each in problems if each.severity is Severity.ERROR]
        for version in spec.valid_versions:
            assert resolve(read, version) == resolve(spec, version)


def test_json_has_the_same_layouts() -> None:
    """Our front end accepts the JSON of every definition that is not refused."""
    OUTCOMES.clear()
    _json_has_the_same_layouts()
    assert OUTCOMES["converted"] > 40, OUTCOMES
    assert OUTCOMES["refused"] > 40, OUTCOMES
