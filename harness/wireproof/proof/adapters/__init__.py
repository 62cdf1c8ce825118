"""Adapters of codecs under test: `own` for our codec, `testee` for codecs that speak the testee protocol."""
