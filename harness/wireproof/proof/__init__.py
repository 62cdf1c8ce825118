"""The path of one case: its strategies, the codec with its adapter, the checks, and the run that joins them.

Entry points: `run` proves cells, `client_judge` judges the requests of a running client, `contract` checks an
adapter or an oracle alone, `config` has the options of a run. The package imports `traffic`, `kafka`,
`model` and `base`.
"""
