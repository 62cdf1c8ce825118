"""The parts of the schema language that only some releases have, as options of the strategies."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class SchemaLanguage:
    """The parts of the language that a release's generator has, beyond those of all (2.8 to 4.4).

    Attributes:
        coordinator_kinds: the kinds ``coordinator-key`` and ``coordinator-value`` (4.0).
        retired: ``"validVersions": "none"`` (4.0).
        zookeeper: the listener ``zkBroker`` (until 3.9).
        nullable_structs: `nullableVersions` of a struct (3.5, KIP-893).
        deprecated_versions: the key `deprecatedVersions` (3.7).
        header_versions: the key `headerVersions` (KIP-1313, 4.5).
        free_tagged_versions: `taggedVersions` may be a part of `versions` (3.6).
    """

    coordinator_kinds: bool = True
    retired: bool = True
    zookeeper: bool = False
    nullable_structs: bool = True
    deprecated_versions: bool = True
    header_versions: bool = False
    free_tagged_versions: bool = True


NEWEST: Final = SchemaLanguage()


def language_of(release: str) -> SchemaLanguage:
    """The language of a release such as ``3.9.1``."""
    line = tuple(int(part) for part in release.split(".")[:2])
    return SchemaLanguage(
        coordinator_kinds=line >= (4, 0),
        retired=line >= (4, 0),
        zookeeper=line < (4, 0),
        nullable_structs=line >= (3, 5),
        deprecated_versions=line >= (3, 7),
        header_versions=line >= (4, 5),
        free_tagged_versions=line >= (3, 6),
    )
