"""The versions of a codec that an adapter takes: ``>=1.49.0,<2``."""

import re
from dataclasses import dataclass
from typing import Final

__all__ = ["EVERY_VERSION", "CodecVersions"]

_FORM: Final = re.compile(r">=(?P<lowest>\d[\w.+-]*)(?:,<(?P<below>\d+(?:\.\d+)*))?")
_NUMBERS: Final = re.compile(r"\d+(?:\.\d+)*")


@dataclass(frozen=True, slots=True)
class CodecVersions:
    """The versions from `lowest` on, and below `below` if that is given.

    A pre-release (2.0.0-rc1) is lower than its release as `lowest`, and is not below its release: what is
    before 2.0.0 may be as 2.0.0 is.
    """

    lowest: str = ""
    below: str = ""

    @classmethod
    def parse(cls, text: str) -> "CodecVersions":
        """Parse ``>=LOWEST`` or ``>=LOWEST,<BELOW``.

        Raises:
            ValueError: the text has another form.
        """
        match = _FORM.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} has another form than >=1.2.0 or >=1.2.0,<2")
        return cls(match["lowest"], match["below"] or "")

    def __contains__(self, version: str) -> bool:
        if not self.lowest:
            return True
        numbers = _numbers(version)
        if numbers is None:
            return False
        return _order(version) >= _order(self.lowest) and (
            not self.below or numbers < (_numbers(self.below) or ())
        )

    def __str__(self) -> str:
        return f"from {self.lowest} on" + (f", below {self.below}" if self.below else "")


EVERY_VERSION: Final = CodecVersions()
"""The versions of an adapter that names none."""


def _numbers(version: str) -> tuple[int, ...] | None:
    """Return the numbers of a version without zeros at the end: 2 and 2.0.0 are one."""
    match = _NUMBERS.match(version)
    if match is None:
        return None
    numbers = [int(number) for number in match[0].split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def _order(version: str) -> tuple[tuple[int, ...], bool]:
    return _numbers(version) or (), _NUMBERS.fullmatch(version) is not None
