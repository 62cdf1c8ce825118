"""What real clients send, judged frame by frame while they send it. It is handed frames and an oracle."""

from wireproof.traffic.judge import Judge
from wireproof.traffic.sent import Fault, Finding, Sent, Verdict
from wireproof.traffic.tally import Cause, Row, Tally
from wireproof.traffic.watch import Watch

__all__ = ["Cause", "Fault", "Finding", "Judge", "Row", "Sent", "Tally", "Verdict", "Watch"]
