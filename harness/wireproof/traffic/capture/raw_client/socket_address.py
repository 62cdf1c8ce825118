"""The address of a socket."""

from typing import Final, TypeAlias

Address: TypeAlias = tuple[str, int]
"""Host and port."""

LOOPBACK: Final = "127.0.0.1"
