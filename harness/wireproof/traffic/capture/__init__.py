"""Captures of real brokers: a proxy records the traffic between them and their clients."""

from wireproof.traffic.capture.capture_error import CaptureError

__all__ = ["CaptureError"]
