"""Mutation testing of the whole path: bugs planted in a testee, behind its adapter, beside its ledger.

An *operator* is one way to be wrong; a *mutant* is an operator at a place that the seed chose; a run of the
plan kills it, or not. Bugs come from two sources: a wrapper changes the answers of a testee (`conversation`),
and the source of a Python codec is changed when it is imported (`source_mutation`).
"""

from wireproof.mutation.choosing import Ground, choose_mutants
from wireproof.mutation.conversation import MutatedConversation, Planted, Tally
from wireproof.mutation.judging import Judge, describe
from wireproof.mutation.mutant import AnswerMutant
from wireproof.mutation.operator import Operator, Scope
from wireproof.mutation.operators import OPERATORS
from wireproof.mutation.probing import Probe
from wireproof.mutation.source_mutants import SOURCE_CLASS, SourceMutant, choose_source_mutants, trace
from wireproof.mutation.summary import GOAL, MutationSummary
from wireproof.mutation.verdicts import (
    Description,
    Killed,
    Lost,
    Masked,
    NotAsked,
    Stillborn,
    Survived,
    Unchanged,
    Verdict,
)

__all__ = [
    "GOAL",
    "OPERATORS",
    "AnswerMutant",
    "Description",
    "Ground",
    "Judge",
    "Killed",
    "Lost",
    "Masked",
    "MutatedConversation",
    "MutationSummary",
    "NotAsked",
    "Operator",
    "Planted",
    "Probe",
    "SOURCE_CLASS",
    "Scope",
    "SourceMutant",
    "Stillborn",
    "Survived",
    "Tally",
    "Unchanged",
    "Verdict",
    "choose_mutants",
    "choose_source_mutants",
    "describe",
    "trace",
]
