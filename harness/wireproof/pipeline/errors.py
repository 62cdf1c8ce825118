"""What can be wrong with a job apart from what it looks at."""

from wireproof.model import CannotWorkError

__all__ = ["PipelineError"]


class PipelineError(CannotWorkError):
    """A job cannot begin or go on: no Java that Spark starts on, a jar that is missing, no cluster there."""
