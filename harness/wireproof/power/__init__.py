"""Mutation testing of the harness: a codec with one bug each, which the plan has to detect.

A mutation *operator* is one kind of bug. A *mutant* is a codec with that bug at one *site*, which the seed
chooses: our own codec, or a testee (`power.testees`). The plan *kills* a mutant when a case fails; otherwise
the mutant *survives*.
"""
