"""The difference between two contents of a corpus, and the number of the version that it raises."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

VERSION: Final = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")
"""Three numbers."""


@dataclass(frozen=True, slots=True)
class ContentDifference:
    """The difference between the content of a corpus and that of its manifest.

    Attributes:
        removed: the entries that are gone, by file; a changed entry is gone and another was added.
        added: the new entries, by file.
        described: the files whose heads, order or text changed.
        another_format: the number of the format changed.
    """

    removed: Mapping[str, int] = field(default_factory=dict)
    added: Mapping[str, int] = field(default_factory=dict)
    described: tuple[str, ...] = ()
    another_format: bool = False

    def __bool__(self) -> bool:
        """True if anything changed."""
        return bool(self.removed or self.added or self.described or self.another_format)

    def next_version(self, version: str) -> str:
        """The version after this one: major if an entry changed or is gone, minor if one is new."""
        numbers = VERSION.fullmatch(version)
        assert numbers is not None
        major, minor, patch = map(int, numbers.groups())
        if self.removed or self.another_format:
            return f"{major + 1}.0.0"
        if self.added:
            return f"{major}.{minor + 1}.0"
        return f"{major}.{minor}.{patch + 1}"
