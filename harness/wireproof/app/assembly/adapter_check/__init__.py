"""The check of an adapter: what it claims is asked, and its answers are compared with what was sent."""
