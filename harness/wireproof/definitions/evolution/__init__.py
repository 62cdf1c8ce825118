"""Evolution of schemas: the changes between two definitions, and the frames that show what these break."""

from wireproof.definitions.evolution.break_example import BreakExample, find_break, value_differences
from wireproof.definitions.evolution.evolution_check import SchemaFinding, check_releases, check_versions
from wireproof.definitions.evolution.evolution_rules import ChangeCategory, EvolutionRule, Impact

__all__ = [
    "BreakExample",
    "ChangeCategory",
    "EvolutionRule",
    "Impact",
    "SchemaFinding",
    "check_releases",
    "check_versions",
    "find_break",
    "value_differences",
]
