"""The fork that tests prove: private messages, and changed ones of Kafka, in `acme/`."""

from pathlib import Path
from typing import Final

ACME: Final = Path(__file__).parent / "acme"
"""A request and a response with tagged fields, a nullable struct and records; a metadata record; Kafka's
heartbeat with one version more."""
