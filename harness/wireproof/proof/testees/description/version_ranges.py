"""Version ranges of the testee protocol."""

import re
from typing import Final

from wireproof.proof.testees.testee_errors import ProtocolViolationError

__all__ = ["Versions", "parse_versions"]

Versions = frozenset[int]

_RANGE: Final = re.compile(r"(\d{1,5})(?:-(\d{1,5}))?")


def parse_versions(text: str) -> Versions:
    """Parse ranges such as ``"0-3,5"``.

    Raises:
        ProtocolViolationError: the text is not a list of ranges.
    """
    found: set[int] = set()
    for part in text.split(","):
        match = _RANGE.fullmatch(part)
        low, high = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if not 0 <= low <= high <= 32767:
            raise ProtocolViolationError(f"{text!r} is not a list of version ranges, such as 0-3,5")
        found.update(range(low, high + 1))
    return frozenset(found)
