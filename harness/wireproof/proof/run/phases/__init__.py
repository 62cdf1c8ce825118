"""The phases of a cell: one module for each `Phase`."""
