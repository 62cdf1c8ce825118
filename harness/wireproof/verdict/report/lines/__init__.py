"""Lines about a run that several reports print."""
