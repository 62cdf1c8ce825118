"""Variations of answers that the protocol allows: the catalogue as data, and a function for each."""
