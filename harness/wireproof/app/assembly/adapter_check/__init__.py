"""The check of an adapter: it is asked for what it claims, and its answers are compared with the input."""
