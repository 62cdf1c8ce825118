"""Our side of a codec under test."""

from wireproof.adapters.kafkawire import HeaderLayouts, KafkawireAdapter
from wireproof.adapters.limited import LimitedCodec
from wireproof.adapters.records import KafkawireRecords

__all__ = ["HeaderLayouts", "KafkawireAdapter", "KafkawireRecords", "LimitedCodec"]
