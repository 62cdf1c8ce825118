"""The plan of a job: its input files and its limits for corpus entries."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wireproof.base.exit_codes import ExitCode
from wireproof.model.oracle import CannotWorkError
from wireproof.traffic.corpus.corpus_file import CorpusHead
from wireproof.traffic.corpus.coverage_report import Reasons
from wireproof.traffic.wire.packets.tcp_segments import Endpoint


@dataclass(frozen=True, slots=True)
class SegmentFile:
    """A segment file of a capture. Every executor must be able to open it.

    Attributes:
        name: its name in the column `file` of its frames.
        release: the release of the broker.
    """

    path: str
    name: str
    release: str
    listener: str


@dataclass(frozen=True, slots=True)
class PacketFile:
    """A pcap or pcapng file. Every executor must be able to open it.

    Attributes:
        name: its name in the column `file` of its frames.
        release: the release of the brokers, which packets do not contain.
        brokers: addresses and ports where brokers listen; the address ``""`` matches any address.
    """

    path: str
    name: str
    release: str
    brokers: tuple[tuple[str, int], ...]

    def is_broker(self, end: Endpoint) -> bool:
        return (end.address, end.port) in self.brokers or ("", end.port) in self.brokers


@dataclass(frozen=True, slots=True)
class JobPlan:
    """The plan of a job.

    Attributes:
        key: the key of the redaction.
        largest_bytes: the largest frame that can become an entry.
        heads: for each release, the function that makes the head of a corpus file.
        reasons: for each release, why pairs were not answered, as its captures say.
        about: the settings that distinguish this job from others, for `job.json`.
    """

    segments: Sequence[SegmentFile]
    packets: Sequence[PacketFile]
    key: bytes
    largest_bytes: int
    heads: Mapping[str, Callable[[str, str], CorpusHead]]
    reasons: Mapping[str, Reasons]
    about: Mapping[str, Any]


class PipelineError(CannotWorkError):
    """A job cannot begin, because a suitable Java, a jar or the cluster is missing."""

    exit_code = ExitCode.MISSING


class OutputError(PipelineError):
    """The output folder cannot be used."""

    exit_code = ExitCode.USAGE


class StageError(PipelineError):
    """A stage failed; the tables before it are complete."""

    exit_code = ExitCode.BROKEN


class ImbalanceError(StageError):
    """The counts of two tables do not add up: rows or bytes were lost by a mistake of wireproof."""
