"""Properties of a codec beyond single values: no state between calls, linear time, equality, refusals."""
