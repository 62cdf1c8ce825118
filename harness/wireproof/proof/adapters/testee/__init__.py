"""Adapters of codecs that speak the testee protocol."""

from wireproof.proof.adapters.testee.cold_start import ColdStartTestee
from wireproof.proof.adapters.testee.testee_adapter import TesteeAdapter
from wireproof.proof.adapters.testee.testee_blobs import TesteeBlobs
from wireproof.proof.adapters.testee.testee_reader import TesteeReader

__all__ = ["ColdStartTestee", "TesteeAdapter", "TesteeBlobs", "TesteeReader"]
