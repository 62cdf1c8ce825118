"""The recording proxy: a port for each node and listener; all that passes is written before it is sent on."""

from wireproof.capture.proxy.recording_proxy import RecordingProxy
from wireproof.capture.proxy.route import Route
from wireproof.capture.proxy.segment_recorder import RecordingError

__all__ = ["RecordingError", "RecordingProxy", "Route"]
