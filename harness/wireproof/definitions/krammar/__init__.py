"""krammar, franz-go's definition language: a second way to write what Kafka's JSON defines."""

from wireproof.definitions.krammar.conversion.field_conversion import ConversionNote, NoteLevel
from wireproof.definitions.krammar.conversion.from_schema import from_messages
from wireproof.definitions.krammar.conversion.to_schema import described_message, to_message
from wireproof.definitions.krammar.definition_model import (
    EnumReference,
    InlineStruct,
    KrammarArray,
    KrammarDefinitions,
    KrammarEnum,
    KrammarField,
    KrammarScalar,
    KrammarStruct,
    KrammarType,
    LengthMinus,
    NamedStruct,
    NullableString,
    SpecialField,
    StructRole,
)
from wireproof.definitions.krammar.definition_printing import enum_text, struct_text
from wireproof.definitions.krammar.definition_problems import KrammarProblem, KrammarRule
from wireproof.definitions.krammar.parsing.definition_reader import read_definitions, read_files

__all__ = [
    "ConversionNote",
    "EnumReference",
    "InlineStruct",
    "KrammarArray",
    "KrammarDefinitions",
    "KrammarEnum",
    "KrammarField",
    "KrammarProblem",
    "KrammarRule",
    "KrammarScalar",
    "KrammarStruct",
    "KrammarType",
    "LengthMinus",
    "NamedStruct",
    "NoteLevel",
    "NullableString",
    "SpecialField",
    "StructRole",
    "described_message",
    "enum_text",
    "from_messages",
    "read_definitions",
    "read_files",
    "struct_text",
    "to_message",
]
