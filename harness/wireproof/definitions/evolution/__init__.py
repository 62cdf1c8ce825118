"""Evolution of schemas: the changes between two definitions, and the frames that show what these break."""

from wireproof.definitions.evolution.break_example import value_differences
from wireproof.definitions.evolution.evolution_check import SchemaFinding, check_releases, check_versions
from wireproof.definitions.evolution.evolution_rules import ChangeCategory, EvolutionRule

__all__ = [
    "ChangeCategory",
    "EvolutionRule",
    "SchemaFinding",
    "check_releases",
    "check_versions",
    "value_differences",
]
