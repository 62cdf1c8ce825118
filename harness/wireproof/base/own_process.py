"""The difference between wireproof's own processes and programs that call wireproof as a library.

In its own process wireproof knows every thread and every open file.
"""

import os
from typing import Final

_OWN: Final[set[int]] = set()


def claim_process() -> None:
    """Note that this process is wireproof's own. Processes that are forked off it are not."""
    _OWN.add(os.getpid())


def is_own_process() -> bool:
    """Return true in a process that was claimed."""
    return os.getpid() in _OWN
