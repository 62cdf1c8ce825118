"""The catalogue of all variations, and its rows by name."""

from typing import Final

from wireproof.traffic.capture.variations.answer import Variation
from wireproof.traffic.capture.variations.error_variations import ERROR_VARIATIONS
from wireproof.traffic.capture.variations.record_variations import RECORD_VARIATIONS
from wireproof.traffic.capture.variations.stream_variations import STREAM_VARIATIONS
from wireproof.traffic.capture.variations.tag_variations import TAG_VARIATIONS
from wireproof.traffic.capture.variations.value_variations import VALUE_VARIATIONS
from wireproof.traffic.capture.variations.version_variations import VERSION_VARIATIONS

CATALOGUE: Final[tuple[Variation, ...]] = (
    *TAG_VARIATIONS,
    *VALUE_VARIATIONS,
    *RECORD_VARIATIONS,
    *STREAM_VARIATIONS,
    *VERSION_VARIATIONS,
    *ERROR_VARIATIONS,
)
"""All variations, but those of one version of an API: these depend on the client and on the broker."""


def find_variation(name: str) -> Variation | None:
    """Return the variation with this id; None if there is none."""
    return next((each for each in CATALOGUE if each.id == name), None)
