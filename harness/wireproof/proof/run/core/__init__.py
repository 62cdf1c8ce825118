"""Parts of a run that need no judgement: its plan, events, environment, layouts and records of results."""
