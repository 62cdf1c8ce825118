"""The downgrade matrix for people: the answer for an operator, text, Markdown."""
