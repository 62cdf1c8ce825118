"""The search for the deviations of a codec: which of its answers differ, and what predicts them."""
