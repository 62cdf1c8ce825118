"""The recording proxy: a port for each node and listener; all that passes is written before it is sent on."""

from wireproof.capture.proxy.proxy import RecordingProxy
from wireproof.capture.proxy.recorder import RecordingError
from wireproof.capture.proxy.route import Route

__all__ = ["RecordingError", "RecordingProxy", "Route"]
