"""Coverage of the wire: the value classes that each field of a cell has covered, and those out of its reach.

`coverage_model` derives the classes from the layout alone, `record_coverage_model` those of record sets;
`Coverage` keeps what is covered; `count_mismatches` compares the model with the release's own JSON; `proofs`
verifies the reasons for classes out of reach against the layout. None of it imports the strategies.
"""
