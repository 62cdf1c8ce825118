"""The schema language: definitions, and layouts resolved from them."""

from kafkawire.schema.absence import Absence, absences, with_absent_fields
from kafkawire.schema.comparison import Effect, FieldPair, LayoutChange, compare_layouts, paired_fields
from kafkawire.schema.defaults import parse_default
from kafkawire.schema.dialect import BEFORE_3_0, BEFORE_4_0, KIP_625, SINCE_4_0, TODAY, Dialect, dialect_of
from kafkawire.schema.layout import EMPTY, AbsentField, Default, FieldLayout, MessageLayout, StructLayout
from kafkawire.schema.message_writing import write_message
from kafkawire.schema.model import (
    ArrayType,
    FieldSpec,
    FieldType,
    IntegerEncoding,
    MessageKind,
    MessageSpec,
    ScalarType,
    SchemaSet,
    StructSpec,
    StructType,
    VersionRange,
)
from kafkawire.schema.parsing.message_files import read_message
from kafkawire.schema.resolution import resolve
from kafkawire.schema.rule_table import SchemaProblem, SchemaRule, Severity
from kafkawire.schema.rules.validation import check_message, check_set
from kafkawire.schema.snapshot import from_snapshot, read_snapshot, to_snapshot, write_snapshot

__all__ = [
    "BEFORE_3_0",
    "BEFORE_4_0",
    "EMPTY",
    "KIP_625",
    "SINCE_4_0",
    "TODAY",
    "Absence",
    "AbsentField",
    "ArrayType",
    "Default",
    "Dialect",
    "Effect",
    "FieldLayout",
    "FieldPair",
    "FieldSpec",
    "FieldType",
    "IntegerEncoding",
    "LayoutChange",
    "MessageKind",
    "MessageLayout",
    "MessageSpec",
    "ScalarType",
    "SchemaProblem",
    "SchemaRule",
    "SchemaSet",
    "Severity",
    "StructLayout",
    "StructSpec",
    "StructType",
    "VersionRange",
    "absences",
    "check_message",
    "check_set",
    "compare_layouts",
    "dialect_of",
    "from_snapshot",
    "paired_fields",
    "parse_default",
    "read_message",
    "read_snapshot",
    "resolve",
    "to_snapshot",
    "with_absent_fields",
    "write_message",
    "write_snapshot",
]
