"""Errors of a testee that are not errors of its codec."""

from wireproof.base.exit_codes import ExitCode
from wireproof.model.oracle import CannotWorkError


class TesteeError(CannotWorkError):
    """A testee cannot be used: it does not build, start or greet."""

    exit_code = ExitCode.MISSING


class ManifestError(TesteeError):
    """The description of a testee has a mistake: its user corrects the file."""

    exit_code = ExitCode.USAGE


class ProtocolViolationError(ValueError):
    """A line that the protocol does not allow."""
