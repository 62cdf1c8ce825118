"""What was judged of real traffic: for the terminal, for programs, and as the reports of any gate."""

from wireproof.report.traffic.account import TrafficAccount
from wireproof.report.traffic.events import TrafficEvents
from wireproof.report.traffic.progress import TrafficProgress
from wireproof.report.traffic.terminal import TrafficReport, traffic_json

__all__ = ["TrafficAccount", "TrafficEvents", "TrafficProgress", "TrafficReport", "traffic_json"]
