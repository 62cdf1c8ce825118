"""Adapters of codecs that speak the testee protocol."""
