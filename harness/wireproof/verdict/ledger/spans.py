"""Sets of versions and of releases, as a ledger writes them."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Final

from kafkawire.schema.model import VersionRange
from wireproof.base.text.wording import runs
from wireproof.model.kafka.releases import release_number

_RELEASE: Final = re.compile(r"\d+(\.\d+)+")


@dataclass(frozen=True, slots=True)
class Versions:
    """A set of versions of a message, as ascending ranges with gaps between them."""

    ranges: tuple[VersionRange, ...]

    ALL: ClassVar["Versions"]

    @classmethod
    @lru_cache(1_000)
    def parse(cls, text: str) -> "Versions":
        """Read ``"all"``, ``"3"``, ``"1-3"`` or ``"1-3, 7"``.

        Raises:
            ValueError: the text is none of these, or has an open end (``3+``): no run has seen all of it.
        """
        if text.strip() == "all":
            return cls.ALL
        parts = text.split(",")
        if any(part.strip().endswith("+") for part in parts):
            raise ValueError(f"{text!r} has an open end: expected the versions that show it, such as 1-3")
        ranges = [VersionRange.parse(part) for part in parts]
        if any(each.empty for each in ranges):
            raise ValueError(f"{text!r} has an empty range: expected versions such as 1-3")
        return cls.of(version for each in ranges for version in each)

    @classmethod
    def of(cls, versions: Iterable[int]) -> "Versions":
        """Return the fewest ranges that hold exactly these versions."""
        return cls(tuple(VersionRange(first, last) for first, last in runs(set(versions))))

    def __contains__(self, version: int) -> bool:
        return any(version in each for each in self.ranges)

    def __or__(self, other: "Versions") -> "Versions":
        return Versions.of(version for each in (*self.ranges, *other.ranges) for version in each)

    def __str__(self) -> str:
        return "all" if self == Versions.ALL else ", ".join(map(str, self.ranges))


Versions.ALL = Versions((VersionRange.ALL,))


@dataclass(frozen=True, slots=True)
class Releases:
    """Kafka releases as inclusive spans (first, last). An empty last means no end; no spans mean all."""

    spans: tuple[tuple[str, str], ...] = ()

    @classmethod
    @lru_cache(1_000)
    def parse(cls, text: str) -> "Releases":
        """Read ``"all"``, ``"4.4.0"``, ``"2.8.2-3.9.2"``, ``"4.0.0+"``, or several of them with commas.

        Raises ValueError if the text is none of these.
        """
        if text.strip() == "all":
            return cls()
        return cls(tuple(_release_span(part.strip()) for part in text.split(",")))

    @classmethod
    def of(cls, chosen: Collection[str], known: Sequence[str]) -> "Releases":
        """Return the spans that hold exactly the chosen ones of the known releases, which are ascending."""
        places = [place for place, release in enumerate(known) if release in chosen]
        return cls(tuple((known[first], known[last]) for first, last in runs(places)))

    def __contains__(self, release: str) -> bool:
        number = release_number(release)
        return not self.spans or any(
            release_number(first) <= number and (not last or number <= release_number(last))
            for first, last in self.spans
        )

    def named(self, known: Iterable[str]) -> set[str]:
        """Return the known releases that the spans name; none if there are no spans."""
        return {release for release in known if self.spans and release in self}

    def __str__(self) -> str:
        if not self.spans:
            return "all"
        return ", ".join(
            f"{first}+" if not last else first if first == last else f"{first}-{last}"
            for first, last in self.spans
        )


@dataclass(frozen=True, slots=True)
class Extent:
    """The product of a set of releases and a set of versions."""

    releases: Releases
    versions: Versions

    @classmethod
    def parse(cls, text: str) -> "Extent":
        """Read ``RELEASES/VERSIONS``: ``all/1-3``. Raises ValueError if the text is not of this form."""
        releases, slash, versions = text.partition("/")
        if not slash:
            raise ValueError(f"{text!r} is not RELEASES/VERSIONS, such as all/1-3")
        return cls(Releases.parse(releases), Versions.parse(versions))

    def __contains__(self, place: tuple[str, int]) -> bool:
        release, version = place
        return version in self.versions and release in self.releases

    def __str__(self) -> str:
        """Return a text without blanks, so that it is one word on a command line."""
        return f"{self.releases}/{self.versions}".replace(" ", "")


def _release_span(text: str) -> tuple[str, str]:
    open_end = text.endswith("+")
    first, dash, last = (text[:-1], "", "") if open_end else text.partition("-")
    last = last if dash or open_end else first
    if not all(_RELEASE.fullmatch(end) for end in (first, *(() if open_end else (last,)))):
        raise ValueError(f"{text!r} is not valid: expected all, 4.4.0, 2.8.2-3.9.2 or 4.0.0+")
    if last and release_number(first) > release_number(last):
        raise ValueError(f"{text!r} ends before it begins: write the older release first")
    return first, last
