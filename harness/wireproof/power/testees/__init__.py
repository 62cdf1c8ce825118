"""Mutation testing of a whole testee run: bugs in a testee, with its adapter and its ledger unchanged.

An *operator* is one kind of bug. A *mutant* is an operator at a site chosen by the seed. A run of the plan
kills the mutant, or the mutant survives. Bugs come from two sources: a wrapper changes the testee's answers
(`mutant`), or the source of a Python codec is changed on import (`source_mutation`).
"""

from wireproof.power.testees.choosing import MutationFixtures, choose_mutants
from wireproof.power.testees.judging import MutantJudge, describe
from wireproof.power.testees.mutant import AnswerMutant, MutatedSession, MutationCounts
from wireproof.power.testees.operator import Operator, Scope
from wireproof.power.testees.operators import OPERATORS
from wireproof.power.testees.source_mutants import SOURCE_CLASS, SourceMutant, choose_source_mutants, trace
from wireproof.power.testees.watching import Probe

__all__ = [
    "OPERATORS",
    "AnswerMutant",
    "MutationFixtures",
    "MutantJudge",
    "MutatedSession",
    "Operator",
    "Probe",
    "SOURCE_CLASS",
    "Scope",
    "SourceMutant",
    "MutationCounts",
    "choose_mutants",
    "choose_source_mutants",
    "describe",
    "trace",
]
