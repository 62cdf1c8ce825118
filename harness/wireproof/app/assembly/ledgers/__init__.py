"""The ledger of a run, and the cause that a run tries again."""
