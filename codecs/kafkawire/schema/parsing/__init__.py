"""Schema files as text: read into definitions, with every problem reported."""
