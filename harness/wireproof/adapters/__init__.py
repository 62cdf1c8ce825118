"""Our side of a codec under test."""

from wireproof.adapters.kafkawire import HeaderLayouts, KafkawireAdapter

__all__ = ["HeaderLayouts", "KafkawireAdapter"]
