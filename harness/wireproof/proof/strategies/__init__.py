"""Instances of layouts, malformed bytes and record sets: enumerated, seeded in bulk, drawn by Hypothesis.

They serve the harness; `wireproof.strategies` has those for tests of your own codec. The enumerated part
works without Hypothesis.
"""
