"""The schema language: definitions, and layouts resolved from them."""
