"""Message definitions: their changes, downgrades, sizes, random schemas, and those of franz-go.

Doors: `downgrade`, `evolution`, `franz_go`, `fuzz`, `krammar` and `sizes`. It imports `proof` and the
districts below.
"""
