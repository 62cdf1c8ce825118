"""Adapters of codecs under test: `own` for our codec, `testee` for codecs behind the testee protocol."""
