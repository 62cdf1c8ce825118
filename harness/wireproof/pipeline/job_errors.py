"""Errors of a job that its input does not cause."""

from wireproof.model import CannotWorkError

__all__ = ["ImbalanceError", "OutputError", "PipelineError", "StageError"]


class PipelineError(CannotWorkError):
    """A job cannot begin: no Java that Spark starts on, a jar that is missing, no cluster there."""


class OutputError(PipelineError):
    """The output folder cannot be used."""


class StageError(PipelineError):
    """A stage failed; the tables before it are whole."""


class ImbalanceError(StageError):
    """The counts of two tables do not add up: something was lost, which is a mistake of wireproof."""
