"""The command `wireproof`, run by tests."""
