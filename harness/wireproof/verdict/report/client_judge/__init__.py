"""Reports of `wireproof judge`: terminal, JSON, events, and the files at its end."""
