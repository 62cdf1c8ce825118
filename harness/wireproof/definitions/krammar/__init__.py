"""krammar, franz-go's definition language: a second way to write what Kafka's JSON defines."""

from wireproof.definitions.krammar.conversion.field_conversion import ConversionNote, NoteLevel
from wireproof.definitions.krammar.conversion.from_schema import from_messages
from wireproof.definitions.krammar.conversion.to_schema import described_message, to_message
from wireproof.definitions.krammar.definition_model import KrammarDefinitions, KrammarStruct, StructRole
from wireproof.definitions.krammar.definition_printing import struct_text
from wireproof.definitions.krammar.definition_problems import KrammarProblem
from wireproof.definitions.krammar.parsing.definition_reader import read_files

__all__ = [
    "ConversionNote",
    "KrammarDefinitions",
    "KrammarProblem",
    "KrammarStruct",
    "NoteLevel",
    "StructRole",
    "described_message",
    "from_messages",
    "read_files",
    "struct_text",
    "to_message",
]
