"""Layout -> codec, twice: interpreted and compiled."""
