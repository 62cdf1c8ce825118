"""Mutation testing of a whole testee run: bugs in a testee, with its adapter and its ledger unchanged.

An *operator* is one kind of bug. A *mutant* is an operator at a site chosen by the seed. A run of the plan
kills the mutant, or the mutant survives. Bugs come from two sources: a wrapper changes the testee's answers
(`mutant`), or the source of a Python codec is changed on import (`source_mutation`).
"""
