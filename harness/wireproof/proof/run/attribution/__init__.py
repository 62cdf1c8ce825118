"""Fault attribution: which field of a value is at fault, and whose fault a failure is."""
