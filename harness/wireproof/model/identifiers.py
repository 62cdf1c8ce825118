"""Cell ids and case ids: the one place that parses and formats them."""

from typing import NamedTuple

from wireproof.model.cell import Cell, Phase

__all__ = ["CaseId", "CellId", "full_pattern", "release_in"]


class CellId(NamedTuple):
    """``RELEASE/MESSAGE/VERSION``, such as ``4.4.0/FetchRequest/12``. Message names are unique over modules.

    Attributes:
        release: empty where the text names none; only `parse_short` accepts that.
        version: 0 or greater.
    """

    release: str
    message: str
    version: int

    @classmethod
    def parse(cls, text: str) -> "CellId":
        """Parse a cell id.

        Raises:
            ValueError: the text is not a cell id.
        """
        release, _, rest = text.partition("/")
        message, _, version = rest.partition("/")
        if not (release and message and version.isdecimal()):
            raise ValueError(f"{text!r} is not a cell: expected RELEASE/MESSAGE/VERSION")
        return cls(release, message, int(version))

    @classmethod
    def parse_short(cls, text: str) -> "CellId":
        """Parse a cell id, or ``MESSAGE/VERSION``.

        Raises:
            ValueError: the text is neither.
        """
        if text.count("/") != 1:
            return cls.parse(text)
        message, _, version = text.partition("/")
        if not (message and version.isdecimal()):
            raise ValueError(f"{text!r} is not a cell: expected MESSAGE/VERSION")
        return cls("", message, int(version))

    def in_module(self, module: str) -> Cell:
        """The cell, in the module that its message belongs to."""
        return Cell(self.release, module, self.message, self.version)

    def __str__(self) -> str:
        return f"{self.release}/{self.message}/{self.version}"


class CaseId(NamedTuple):
    """``CELL/PHASE/NAME``; the name may contain slashes."""

    cell: CellId
    phase: Phase
    name: str

    @classmethod
    def parse(cls, text: str) -> "CaseId":
        """Parse a case id.

        Raises:
            ValueError: the text is not a case id.
        """
        parts = text.split("/", 4)
        if len(parts) != 5 or parts[3] not in list(Phase):
            raise ValueError(f"{text!r} is not a case: expected RELEASE/MESSAGE/VERSION/PHASE/NAME")
        return cls(CellId.parse("/".join(parts[:3])), Phase(parts[3]), parts[4])

    @property
    def seed(self) -> int:
        """The seed that the case was generated with; 0 where its name has none."""
        digits = self.name.removeprefix("seed-").split("-")[0]
        return int(digits) if digits.isdecimal() else 0

    def __str__(self) -> str:
        return f"{self.cell}/{self.phase}/{self.name}"


def release_in(text: str) -> str:
    """The release, or the pattern of releases, that a cell id, a case id or a cell pattern begins with."""
    return text.partition("/")[0]


def full_pattern(pattern: str) -> str:
    """Return a cell pattern of three parts.

    ``FetchRequest/12`` means ``*/FetchRequest/12``, ``FetchRequest`` means ``*/FetchRequest/*``,
    ``4.4.0/FetchRequest`` means ``4.4.0/FetchRequest/*``, and ``4.4.0`` means ``4.4.0/*/*``. A release begins
    with a digit, and no message does.
    """
    parts = pattern.split("/")
    if "**" in pattern or len(parts) > 2:
        return pattern
    if not parts[0][:1].isdigit():
        parts = ["*", *parts]
    return "/".join([*parts, "*", "*"][:3])
