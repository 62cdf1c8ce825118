"""Adapters of codecs that speak the testee protocol."""

from wireproof.adapters.testee.cold_start import ColdStartTestee
from wireproof.adapters.testee.testee_adapter import TesteeAdapter
from wireproof.adapters.testee.testee_blobs import TesteeBlobs
from wireproof.adapters.testee.testee_reader import TesteeReader

__all__ = ["ColdStartTestee", "TesteeAdapter", "TesteeBlobs", "TesteeReader"]
