"""Checks of a codec's state, of its processor time, and of the input that an adapter may echo."""
