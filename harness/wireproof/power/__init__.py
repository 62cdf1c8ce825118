"""Mutation testing of the harness: our codec with one bug each, which the plan has to detect.

A mutation *operator* is one kind of bug. A *mutant* is our codec with that bug at one *site*, which the seed
chooses. The plan *kills* a mutant when a case fails; otherwise the mutant *survives*.
"""

from wireproof.power.bug_classes import BugClass
from wireproof.power.codec_mutants import CodecMutantPool
from wireproof.power.codec_verdicts import (
    CodecVerdict,
    InapplicableOperator,
    KilledMutant,
    LostMutant,
    MutantDescription,
    SurvivingMutant,
)
from wireproof.power.mutant_environment import (
    MakeOperators,
    MakePowerEnvironment,
    MutantRecipe,
    PowerEnvironment,
)
from wireproof.power.mutant_pool import MutantPool
from wireproof.power.mutants.codec_operator import CodecOperator
from wireproof.power.mutants.generation import MessageCodecs, RecordCodecs
from wireproof.power.operators import all_operators
from wireproof.power.summary import CodecMutationSummary, VerdictSummary

__all__ = [
    "BugClass",
    "CodecMutantPool",
    "CodecMutationSummary",
    "CodecOperator",
    "CodecVerdict",
    "InapplicableOperator",
    "KilledMutant",
    "LostMutant",
    "MakeOperators",
    "MakePowerEnvironment",
    "MessageCodecs",
    "MutantDescription",
    "MutantPool",
    "MutantRecipe",
    "PowerEnvironment",
    "RecordCodecs",
    "SurvivingMutant",
    "VerdictSummary",
    "all_operators",
]
