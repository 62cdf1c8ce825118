"""The path of one case: its strategies, the codec behind its adapter, the checks, the run that joins them.

Doors: `run` proves cells, `client_judge` judges the requests of a running client, `contract` checks an
adapter or an oracle alone, `config` has the options of a run. It imports `traffic`, `kafka`,
`model` and `base`.
"""
