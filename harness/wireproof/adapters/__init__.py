"""Our side of a codec under test."""
