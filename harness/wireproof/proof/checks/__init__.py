"""Pure judgement: (case, replies) -> divergences."""
