"""Other people's codecs under test, with one interface (docs/reference/testee-protocol.md)."""
