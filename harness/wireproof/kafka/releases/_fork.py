"""The definitions of a fork of Kafka, as plain data: they travel to worker processes and other machines."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kafkawire.schema import MessageSpec

__all__ = ["Fork"]


@dataclass(frozen=True, slots=True)
class Fork:
    """Message definitions that are laid over those of a release.

    Attributes:
        name: the part of a cell's id after the plus: ``acme`` in ``4.4.0+acme/PingRequest/0``.
        folder: where the definitions were read.
        modules: module name to the fork's messages by name.
        texts: the text of each message's file, by the name of the message.
        sha256: digest of the definitions, without comments and documentation.
        jars: jars with the fork's own classes, before Kafka's on the class path; empty if Kafka's generator
            makes classes of the definitions.
        changed: names of messages that the release has, too.
    """

    name: str
    folder: Path
    modules: Mapping[str, Mapping[str, MessageSpec]] = field(hash=False)
    texts: Mapping[str, str] = field(hash=False, repr=False)
    sha256: str
    jars: tuple[Path, ...] = ()
    changed: tuple[str, ...] = ()

    @property
    def digest_name(self) -> str:
        """The name of the definitions' digest among the digests of jars: ``acme.schemas``."""
        return f"{self.name}.schemas"

    @property
    def messages(self) -> tuple[str, ...]:
        """The names of its messages, in order."""
        return tuple(sorted(name for messages in self.modules.values() for name in messages))
