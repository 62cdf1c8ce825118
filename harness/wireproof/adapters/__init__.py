"""Our side of a codec under test."""

from wireproof.adapters.kafkawire import HeaderLayouts, KafkawireAdapter
from wireproof.adapters.limited import LimitedCodec
from wireproof.adapters.records import RecordCodec, RecordsAdapter

__all__ = ["HeaderLayouts", "KafkawireAdapter", "LimitedCodec", "RecordCodec", "RecordsAdapter"]
