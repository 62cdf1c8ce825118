"""Kafka's message generator as an oracle of the schema language, in the JVM of this process."""

from wireproof.kafka.oracle.generator.schema_generator import (
    GeneratedOracle,
    GeneratorOutcome,
    GeneratorVerdict,
    SchemaGenerator,
)

__all__ = ["GeneratedOracle", "GeneratorOutcome", "GeneratorVerdict", "SchemaGenerator"]
