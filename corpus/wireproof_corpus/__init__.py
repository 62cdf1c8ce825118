"""Entries of the Kafka protocol: bytes, and the values that Kafka's own classes read in them.

``FOLDER`` has ``golden`` and ``malformed``; FORMAT.md in it describes the files. The package has no
dependency. `wireproof run --no-java` finds it where both are installed.
"""

from pathlib import Path
from typing import Final

__all__ = ["FOLDER"]

FOLDER: Final = Path(__file__).parent
"""The folder of the corpus."""
