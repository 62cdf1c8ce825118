"""Pure judgement: (case, replies) -> verdict."""
