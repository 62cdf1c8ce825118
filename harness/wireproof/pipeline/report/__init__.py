"""The report of a job: its data, for a terminal and as an HTML page."""
