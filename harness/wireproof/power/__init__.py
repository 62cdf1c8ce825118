"""The harness proves itself: codecs wrong in exactly one way, each of which the plan has to convict.

A *flaw* is one way to be wrong; a *mutant* is a flaw at a place that the seed chose; a *verdict* is what the
plan made of it.
"""

from wireproof.power.bench import MakeFlaws, MakePowerBench, PowerBench, Replant
from wireproof.power.bug_classes import BugClass
from wireproof.power.court import Court
from wireproof.power.flaw import Flaw
from wireproof.power.flaws import all_flaws
from wireproof.power.mutant import MessageCodecs, RecordCodecs
from wireproof.power.pool import Broken, MutantPool
from wireproof.power.summary import Summary
from wireproof.power.verdicts import Convicted, Lost, Nowhere, Planted, Survived, Verdict

__all__ = [
    "Broken",
    "BugClass",
    "Convicted",
    "Court",
    "Flaw",
    "Lost",
    "MakeFlaws",
    "MakePowerBench",
    "MessageCodecs",
    "MutantPool",
    "Nowhere",
    "Planted",
    "PowerBench",
    "RecordCodecs",
    "Replant",
    "Summary",
    "Survived",
    "Verdict",
    "all_flaws",
]
