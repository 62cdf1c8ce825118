"""Sizes of messages by field, with the encodings of integers that KIP-625 proposes beside today's."""

from wireproof.definitions.sizes.size_table import (
    FieldSavings,
    SizeRequestError,
    SizeTable,
    choose_encodings,
    matching_paths,
    measure_sizes,
    with_encodings,
)
from wireproof.definitions.sizes.traffic_values import TrafficValues, read_traffic
from wireproof.definitions.sizes.value_distribution import Distribution, distributed_message

__all__ = [
    "Distribution",
    "FieldSavings",
    "SizeRequestError",
    "SizeTable",
    "TrafficValues",
    "choose_encodings",
    "distributed_message",
    "matching_paths",
    "measure_sizes",
    "read_traffic",
    "with_encodings",
]
