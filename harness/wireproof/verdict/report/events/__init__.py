"""Event files: written while a run goes, read by every command that reports, compares or merges runs."""
