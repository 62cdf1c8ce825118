"""Changes of definitions for people and for CI: accepted findings, places in files, text, reports."""
