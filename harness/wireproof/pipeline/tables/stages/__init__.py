"""The tables from captured bytes to corpus entries."""
