"""The tables of a job: schemas and the functions that make them."""
