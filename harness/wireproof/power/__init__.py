"""Mutation testing of the harness: a codec with one bug each, which the plan has to detect.

A mutation *operator* is one kind of bug. A *mutant* is a codec with that bug at one *site*, which the seed
chooses: our own codec, or a testee (`power.testees`). The plan *kills* a mutant when a case fails; otherwise
the mutant *survives*.
"""

from wireproof.power.codec_judging import (
    OWN_CODEC,
    MakeOperators,
    MutantRecipe,
    PowerEnvironment,
    lost_mutant,
    make_codec_judge,
)
from wireproof.power.mutant_pool import MutantPool
from wireproof.power.mutants.codec_operator import CodecOperator
from wireproof.power.mutants.generation import MessageCodecs, RecordCodecs
from wireproof.power.operators import all_operators
from wireproof.power.summary import (
    TESTEE_GOAL,
    BugClass,
    MutantDescription,
    MutantDiagnosis,
    MutantOutcome,
    MutantVerdict,
    MutationSummary,
)

__all__ = [
    "OWN_CODEC",
    "TESTEE_GOAL",
    "BugClass",
    "CodecOperator",
    "MakeOperators",
    "MessageCodecs",
    "MutantDescription",
    "MutantDiagnosis",
    "MutantPool",
    "MutantRecipe",
    "MutantVerdict",
    "MutationSummary",
    "MutantOutcome",
    "PowerEnvironment",
    "RecordCodecs",
    "all_operators",
    "lost_mutant",
    "make_codec_judge",
]
