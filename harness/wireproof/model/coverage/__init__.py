"""Coverage of the wire: the value classes that the cases of a cell covered, and the unreachable classes.

`coverage_model` derives the classes from the layout alone; `record_coverage_model` has the classes of record
sets. `Coverage` collects the covered classes. `count_mismatches` compares the model with the release's own
JSON. `proofs` verifies the reasons for unreachable classes. None of these modules imports the strategies.
"""
