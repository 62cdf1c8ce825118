"""Values of layouts: boundary values, whole instances, and values of a chosen size."""
