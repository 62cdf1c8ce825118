"""A pipeline job: its stages, row counts, output folder and corpus."""
