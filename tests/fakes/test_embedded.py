"""The embedded phase detects a codec that is wrong in the framing only, with the check for it."""

from collections.abc import Callable
from typing import Any

import pytest

from kafkawire.compiler import compile_layout
from kafkawire.embedded.label import BlobCodec, Codecs, Label
from kafkawire.wire import Buffer, as_bytes
from tests.support.oracles.kafka_classes import kafka
from wireproof.model.cell import Cell, Phase
from wireproof.model.embedding import LabelFamily
from wireproof.proof.adapters.own.blob_adapter import EmbeddedAdapter, blob_codec
from wireproof.proof.checks.check_table import Check
from wireproof.proof.run.core.cell_events import CellResult, FailedCase, ProverEvent
from wireproof.proof.run.core.environment import Layouts, WorkerEnvironment
from wireproof.proof.run.core.plan import RunOptions
from wireproof.proof.run.provers.message_prover import CellProver
from wireproof.proof.strategies.layout_source import LayoutSource

RELEASE = "4.4.0"
Outward = Callable[[bytes], bytes]


class Wrong:
    """A codec of blobs that changes bytes on their way out, on their way in, or both."""

    def __init__(self, right: BlobCodec, outward: Outward, inward: Outward) -> None:
        self._right = right
        self._outward = outward
        self._inward = inward

    def encode(self, label: Label, value: dict[str, Any]) -> bytes:
        return self._outward(self._right.encode(label, value))

    def size(self, label: Label, value: dict[str, Any]) -> int:
        return len(self.encode(label, value))

    def decode(self, data: Buffer) -> tuple[Label, dict[str, Any]]:
        return self._right.decode(self._inward(as_bytes(data)))


def same(data: bytes) -> bytes:
    return data


def little_endian(data: bytes) -> bytes:
    return data[1::-1] + data[2:]


def one_byte_label(data: bytes) -> bytes:
    return data[1:]


def two_byte_label(data: bytes) -> bytes:
    return b"\x00" + data


def no_frame_version(data: bytes) -> bytes:
    return data[1:]


def with_frame_version(data: bytes) -> bytes:
    return b"\x01" + data


def any_frame_version(data: bytes) -> bytes:
    return b"\x01" + data[1:] if data[:1] in (b"\x00", b"\x02") else data


def any_version(data: bytes) -> bytes:
    return b"\x00\x00" + data[2:] if len(data) > 1 else data


def negative_as_zero(data: bytes) -> bytes:
    return b"\x00\x00" + data[2:] if len(data) > 1 and data[0] > 127 else data


def tail_dropped(data: bytes) -> bytes:
    return data[:-1] if data.endswith(b"\x00\x00\x00") else data


def newest_only(data: bytes) -> bytes:
    return b"\xff\xff" + data[2:] if data[:2] == b"\x00\x04" else data


def version_above(data: bytes) -> bytes:
    return data[:1] + bytes((data[1] + 1,)) + data[2:]


def version_below(data: bytes) -> bytes:
    return data[:1] + bytes(((data[1] - 1) % 256,)) + data[2:]


def failed_checks(message: str, version: int, outward: Outward, inward: Outward) -> set[str]:
    """The checks that fail the codec."""
    release = kafka(RELEASE)

    def wrong(family: LabelFamily, codecs: Codecs) -> BlobCodec:
        return Wrong(blob_codec(family, codecs), outward, inward)

    environment = WorkerEnvironment(
        layouts=Layouts({RELEASE: release.schemas}),
        adapters=[],
        oracles={RELEASE: release.oracle},
        source=LayoutSource(lambda cell: ""),
        blobs=[EmbeddedAdapter("wrong", compile_layout, wrong)],
    )
    module, _ = release.schemas.find(message)
    events: list[ProverEvent] = []
    cell = Cell(RELEASE, module, message, version)
    options = RunOptions(phases=(Phase.EMBEDDED,))
    done = CellProver(environment, options, cell, events.append, lambda phase, names: None).prove()
    assert isinstance(done, CellResult)
    failures = [event for event in events if isinstance(event, FailedCase)]
    assert all(failure.divergences[0].subject == "wrong" for failure in failures)
    return {str(divergence.check) for failure in failures for divergence in failure.divergences}


@pytest.mark.parametrize(
    ("message", "version", "outward", "inward", "check"),
    [
        ("ConsumerProtocolSubscription", 1, little_endian, little_endian, Check.LABEL),
        ("ConsumerProtocolSubscription", 3, same, newest_only, Check.TOLERANCE),
        ("ConsumerProtocolAssignment", 0, same, negative_as_zero, Check.TOLERANCE),
        ("DefaultPrincipalData", 0, same, any_version, Check.TOLERANCE),
        ("OffsetCommitKey", 0, version_above, version_below, Check.LABEL),
        ("OffsetCommitValue", 4, one_byte_label, two_byte_label, Check.LABEL),
        ("OffsetCommitValue", 3, version_above, version_below, Check.LABEL),
        ("ShareSnapshotValue", 0, same, negative_as_zero, Check.TOLERANCE),
        ("TopicRecord", 0, no_frame_version, with_frame_version, Check.LABEL),
        ("NoOpRecord", 0, same, any_frame_version, Check.TOLERANCE),
        ("NoOpRecord", 0, same, tail_dropped, Check.TOLERANCE),
        ("RemoteLogSegmentMetadataRecord", 0, no_frame_version, with_frame_version, Check.LABEL),
    ],
)
def test_a_wrong_framing_fails(
    message: str, version: int, outward: Outward, inward: Outward, check: Check
) -> None:
    """Also where the codec reads what it writes."""
    assert check in failed_checks(message, version, outward, inward)


@pytest.mark.parametrize("message", ["ConsumerProtocolSubscription", "TopicRecord", "OffsetCommitKey"])
def test_a_right_framing_is_not(message: str) -> None:
    """The same codec with nothing changed passes."""
    assert failed_checks(message, 0, same, same) == set()
