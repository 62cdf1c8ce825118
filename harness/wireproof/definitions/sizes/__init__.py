"""Sizes of messages by field, with the encodings of integers that KIP-625 proposes beside today's."""

from wireproof.definitions.sizes.size_table import (
    SizeRequestError,
    SizeTable,
    choose_encodings,
    measure_sizes,
    with_encodings,
)
from wireproof.definitions.sizes.traffic_values import TrafficValues, read_traffic
from wireproof.definitions.sizes.value_distribution import distributed_message

__all__ = [
    "SizeRequestError",
    "SizeTable",
    "TrafficValues",
    "choose_encodings",
    "distributed_message",
    "measure_sizes",
    "read_traffic",
    "with_encodings",
]
