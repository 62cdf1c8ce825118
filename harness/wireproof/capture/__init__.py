"""Real brokers, and what goes over their wires: captured by a proxy between them and their clients."""

from wireproof.capture.capture_error import CaptureError

__all__ = ["CaptureError"]
