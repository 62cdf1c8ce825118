"""Named cases of a layout, in a fixed order."""
