"""Kafka's generated Java classes as an oracle. Importing it starts nothing and needs no jpype."""

from wireproof.kafka.oracle._classes import compiled_jar, helper_jar, workload_jar
from wireproof.kafka.oracle._java_release import encode_plan
from wireproof.kafka.oracle._runtime import (
    CompileError,
    JavaRuntime,
    RuntimeMissingError,
    compile_jar,
    find_runtime,
    needs_ecj,
    needs_runtime,
)
from wireproof.kafka.oracle.fork_jar import GeneratedModule, make_fork_jar
from wireproof.kafka.oracle.generator.schema_generator import (
    GeneratedOracle,
    GeneratorOutcome,
    GeneratorVerdict,
    SchemaGenerator,
)
from wireproof.kafka.oracle.kafka import KafkaOracle

__all__ = [
    "CompileError",
    "GeneratedModule",
    "GeneratedOracle",
    "GeneratorOutcome",
    "GeneratorVerdict",
    "JavaRuntime",
    "KafkaOracle",
    "RuntimeMissingError",
    "SchemaGenerator",
    "compile_jar",
    "compiled_jar",
    "encode_plan",
    "find_runtime",
    "helper_jar",
    "make_fork_jar",
    "needs_ecj",
    "needs_runtime",
    "workload_jar",
]
