"""Instances of layouts: boundary cases enumerated, and Hypothesis strategies."""

from wireproof.strategies._scenarios import Scenario, scenarios

__all__ = ["Scenario", "scenarios"]
