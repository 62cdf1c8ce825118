"""Fuzzing of the schema language: our front end and codecs against Kafka's generator and its classes."""

from wireproof.definitions.fuzz.drawn_schemas import schema_of_file
from wireproof.definitions.fuzz.fuzz_run import BlockResult, FuzzPlan, FuzzRun, MakeComparer
from wireproof.definitions.fuzz.fuzz_summary import FuzzSummary, keep_schema, read_kept
from wireproof.definitions.fuzz.oddities import SchemaComparison
from wireproof.definitions.fuzz.schema_comparer import SchemaComparer

__all__ = [
    "BlockResult",
    "FuzzPlan",
    "FuzzRun",
    "FuzzSummary",
    "MakeComparer",
    "SchemaComparer",
    "SchemaComparison",
    "keep_schema",
    "read_kept",
    "schema_of_file",
]
