"""The limits of a testee: memory, processor time, wall-clock time of an answer."""
