"""Schemas that Kafka refuses: each error of its generator, and what javac refuses after it, by example."""

from kafkawire.schema.rules.refusals.fault_text import fault_text, span_text
from kafkawire.schema.rules.refusals.generator_errors import GENERATOR_ERRORS, rules_of
from kafkawire.schema.rules.refusals.java_refusals import JAVA_REFUSALS
from kafkawire.schema.rules.refusals.refused_schema import JavaRefusal, JavaStage, RefusedSchema

__all__ = [
    "GENERATOR_ERRORS",
    "JAVA_REFUSALS",
    "JavaRefusal",
    "JavaStage",
    "RefusedSchema",
    "fault_text",
    "rules_of",
    "span_text",
]
