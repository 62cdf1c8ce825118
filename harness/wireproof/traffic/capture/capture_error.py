"""The error of a capture that cannot work."""

from wireproof.model.oracle import CannotWorkError


class CaptureError(CannotWorkError):
    """A capture cannot begin or go on: a port is taken, a broker does not start, the disk is full."""
