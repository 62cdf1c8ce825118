"""Kafka's own readers of coordinators' records, and the writers beside them, in the JVM of this process."""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from wireproof.kafka.oracle import _batch
from wireproof.kafka.oracle.java_release import JavaRelease
from wireproof.model.embedding import EmbeddedBlob


class CoordinatorLoad(StrEnum):
    """A reader of Kafka's that loads a log after a restart, by its name in `CoordinatorLoads.java`."""

    GROUP_CLASSIC = "group-classic"
    """`GroupMetadataManager` of 2.8 to 3.9."""
    GROUP = "group"
    """The serde of the new group coordinator, from 3.6 on."""
    TRANSACTION = "transaction"
    """`TransactionLog`."""
    SHARE = "share"
    """The serde of the share coordinator, from 4.0 on."""


class LoadOutcome(StrEnum):
    """The outcome of a record for Kafka's reader."""

    READ = "read"
    SKIPPED = "skipped"
    THREW = "threw"


class LoadReply(NamedTuple):
    """The reply of Kafka's reader to a record.

    Attributes:
        error: the class of the exception; empty if none was thrown.
        words: the message of the exception, or the text of the object that the reader returned.
    """

    outcome: LoadOutcome
    error: str
    words: str


class KafkaCoordinators:
    """The coordinators of one release.

    The first call imports jpype and starts the JVM.

    Args:
        release: the release, such as ``3.9.2``.
        jars: as `JarStore.coordinator_jars` returns them.
        shared: jars that all releases share.
        cache_dir: the folder for classes compiled from a source checkout.
        ecj: returns the Eclipse compiler's jar, for a source checkout without a JDK.
    """

    def __init__(
        self,
        release: str,
        jars: Mapping[str, Path],
        *,
        shared: Sequence[Path],
        cache_dir: Path,
        ecj: Callable[[], Path] | None = None,
    ) -> None:
        self.release = release
        self._java = JavaRelease(release, jars, {}, shared=shared, cache_dir=cache_dir, ecj=ecj)

    def load(self, load: CoordinatorLoad, records: Sequence[EmbeddedBlob]) -> list[LoadReply]:
        """Read records one by one; each has a key and a value, which is the blob's data.

        Raises:
            OracleError: the release has no such reader, or Java failed.
        """
        parts = [text.split("\t", 2) for text in self._call("load", load, records)]
        return [LoadReply(LoadOutcome(outcome), error, words) for outcome, error, words in parts]

    def rewrite(self, load: CoordinatorLoad, records: Sequence[EmbeddedBlob]) -> list[dict[str, bytes]]:
        """Read records, and return the values that the release then writes, by its oldest setting for each.

        Settings are protocol versions between brokers for group metadata and offsets of the classic
        coordinator, the feature ``transaction.version`` for transactions; ``always`` if there are none.

        Raises:
            OracleError: the release has no such reader, it does not read a record, or Java failed.
        """
        return [
            {
                setting: bytes.fromhex(data)
                for setting, _, data in (each.rpartition("=") for each in text.split("\t"))
            }
            for text in self._call("rewrite", load, records)
        ]

    def _call(self, method: str, load: CoordinatorLoad, records: Sequence[EmbeddedBlob]) -> list[str]:
        batch = _batch.pack(_batch.pack_blob(record) for record in records)
        with self._java.failures(f"the records of {load} in Kafka {self.release}"):
            loads = self._java.start().coordinatorLoads()
            return [str(text) for text in getattr(loads, method)(str(load), batch)]
