"""The comparison of two encodings or of two values, as divergences."""
