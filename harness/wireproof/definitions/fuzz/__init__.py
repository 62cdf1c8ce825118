"""Fuzzing of the schema language: our front end and codecs against Kafka's generator and its classes."""

from wireproof.definitions.fuzz.drawn_schemas import draw_schema, schema_of_file
from wireproof.definitions.fuzz.fuzz_run import BlockResult, FuzzPlan, FuzzRun, MakeComparer, compare_block
from wireproof.definitions.fuzz.fuzz_summary import FuzzSummary, keep_schema, read_kept
from wireproof.definitions.fuzz.oddities import ComparisonKind, SchemaComparison
from wireproof.definitions.fuzz.schema_comparer import SchemaComparer

__all__ = [
    "BlockResult",
    "ComparisonKind",
    "FuzzPlan",
    "FuzzRun",
    "FuzzSummary",
    "MakeComparer",
    "SchemaComparer",
    "SchemaComparison",
    "compare_block",
    "draw_schema",
    "keep_schema",
    "read_kept",
    "schema_of_file",
]
