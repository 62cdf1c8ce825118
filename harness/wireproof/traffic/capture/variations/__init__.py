"""Variations of answers that the protocol allows: the catalogue as data, and a function for each."""

from wireproof.traffic.capture.variations.answer import BrokerAnswer
from wireproof.traffic.capture.variations.variation import Family, Variation
from wireproof.traffic.capture.variations.variation_table import CATALOGUE, find_variation, pinned_version

__all__ = ["CATALOGUE", "BrokerAnswer", "Family", "Variation", "find_variation", "pinned_version"]
