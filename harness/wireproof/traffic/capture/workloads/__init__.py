"""Workloads that drive a cluster while it is captured."""

from wireproof.traffic.capture.workloads.listener_session import ListenerSession
from wireproof.traffic.capture.workloads.request_log import RequestLog
from wireproof.traffic.capture.workloads.request_sweep import Values, sweep

__all__ = ["RequestLog", "ListenerSession", "Values", "sweep"]
