"""Mutation testing of the harness: a codec with one bug each, which the plan has to detect.

A mutation *operator* is one kind of bug. A *mutant* is a codec with that bug at one *site*, which the seed
chooses: our own codec, or a testee (`power.testees`). The plan *kills* a mutant when a case fails; otherwise
the mutant *survives*.

Importing this package loads nothing else: the first use of a name does.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wireproof.power.codec_judging import OWN_CODEC, PowerEnvironment, lost_mutant, make_codec_judge
    from wireproof.power.mutant_pool import MutantPool
    from wireproof.power.mutants.codec_operator import CodecOperator
    from wireproof.power.mutants.generation import MessageCodecs, RecordCodecs
    from wireproof.power.mutants.mutant_recipe import MakeOperators, MutantRecipe
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

_PACKAGE = "wireproof.power"
_MODULES = {
    f"{_PACKAGE}.codec_judging": ("OWN_CODEC", "PowerEnvironment", "lost_mutant", "make_codec_judge"),
    f"{_PACKAGE}.mutant_pool": ("MutantPool",),
    f"{_PACKAGE}.mutants.codec_operator": ("CodecOperator",),
    f"{_PACKAGE}.mutants.generation": ("MessageCodecs", "RecordCodecs"),
    f"{_PACKAGE}.mutants.mutant_recipe": ("MakeOperators", "MutantRecipe"),
    f"{_PACKAGE}.operators": ("all_operators",),
    f"{_PACKAGE}.summary": (
        "TESTEE_GOAL", "BugClass", "MutantDescription", "MutantDiagnosis", "MutantOutcome", "MutantVerdict",
        "MutationSummary",
    ),
}  # fmt: skip
_HOME = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(_HOME[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
