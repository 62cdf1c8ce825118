"""The judgement of a run as people read it: the ledger of known deviations, and every report.

Doors: `ledger` and `report`. It imports `power`, `proof` and the districts below them.
"""
