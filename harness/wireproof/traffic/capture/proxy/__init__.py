"""The recording proxy: a port for each node and listener; all bytes are written before they are sent on."""

from wireproof.traffic.capture.proxy.proxy_port import Route
from wireproof.traffic.capture.proxy.recording_proxy import RecordingProxy

__all__ = ["RecordingProxy", "Route"]
