"""``wireproof schema check``: the findings between two operands, as text and for the servers that run it."""
