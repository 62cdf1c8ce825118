"""What drives a cluster while it is captured."""

from wireproof.capture.workloads.book import Attempt, Book, PairAccount, Result
from wireproof.capture.workloads.scene import Scene
from wireproof.capture.workloads.sweep import Values, sweep

__all__ = ["Attempt", "Book", "PairAccount", "Result", "Scene", "Values", "sweep"]
