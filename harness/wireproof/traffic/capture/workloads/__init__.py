"""Workloads that drive a cluster while it is captured."""

from wireproof.traffic.capture.workloads.listener_session import ListenerSession
from wireproof.traffic.capture.workloads.request_log import Attempt, AttemptResult, RequestLog, VersionLog
from wireproof.traffic.capture.workloads.request_sweep import Values, sweep

__all__ = ["Attempt", "RequestLog", "VersionLog", "AttemptResult", "ListenerSession", "Values", "sweep"]
