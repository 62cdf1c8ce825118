"""The command `wireproof schema fuzz`."""
