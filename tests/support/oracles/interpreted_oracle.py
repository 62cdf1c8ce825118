"""An oracle without Java: the interpreted codec answers in Kafka's place.

It proves nothing about codecs; it lets the harness itself be tried without a JVM. Some of its kinds
misbehave as a JVM might: they end the process when a certain value comes by.
"""

import os
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kafkawire.canonical import canonical
from kafkawire.compiler import interpret_layout
from kafkawire.errors import CodecError, EncodeError
from kafkawire.headers import FrameCodec
from kafkawire.records import decode_records, to_canonical
from kafkawire.schema.layout import MessageLayout
from wireproof.model.cell import Cell
from wireproof.model.embedding import EmbeddedBlob, OracleBlob
from wireproof.model.oracle import (
    EqualityBreach,
    FieldProbe,
    OracleError,
    OracleFrame,
    OracleReply,
    OracleValue,
    Refusal,
    SchemaField,
    VersionAnswer,
)
from wireproof.proof.run.core.environment import Layouts

_UNSUPPORTED = "UnsupportedVersionException"


@dataclass
class InterpretedOracle:
    """Answers as the interpreted codec does.

    Args:
        deadly: bodies that hold these bytes end the process at once, as a crashing JVM does.
        broken: every question raises `OracleError`.
    """

    release: str
    layouts: Layouts
    deadly: bytes = b""
    broken: bool = False
    asked: int = field(default=0)

    def reread(self, cell: Cell, layout: MessageLayout, bodies: Sequence[bytes]) -> list[OracleReply]:
        self._live(bodies)
        return [_reread(layout, body) for body in bodies]

    def write(self, cell: Cell, layout: MessageLayout, values: Sequence[bytes]) -> list[OracleReply]:
        self._live(values)
        return [_write(self.layouts.of(cell), layout, value) for value in values]

    def reframe(
        self, cell: Cell, layout: MessageLayout, headers: Mapping[int, MessageLayout], frames: Sequence[bytes]
    ) -> list[OracleFrame | Refusal]:
        version = self.header_versions(cell)
        assert version is not None
        codec = FrameCodec(interpret_layout(headers[version]), interpret_layout(layout))
        return [_reframe(codec, headers[version], layout, version, frame) for frame in frames]

    def read_frames(
        self, cell: Cell, layout: MessageLayout, headers: Mapping[int, MessageLayout], frames: Sequence[bytes]
    ) -> list[OracleFrame | Refusal]:
        return self.reframe(cell, layout, headers, frames)

    def header_versions(self, cell: Cell) -> int | None:
        return self.layouts.of(cell).header_version

    def schema(self, cell: Cell) -> tuple[SchemaField, ...]:
        raise NotImplementedError(
            "the interpreted codec has no second description: leave the shape phase out"
        )

    def probe(self, cell: Cell, layout: MessageLayout) -> list[FieldProbe]:
        raise NotImplementedError("the interpreted codec has no class to try: leave the shape phase out")

    def instances(self, cell: Cell, layout: MessageLayout, count: int, seed: int) -> list[OracleReply]:
        return [_write(layout, layout, canonical(layout).to_binary({}))]

    def second_reread(self, cell: Cell, layout: MessageLayout, bodies: Sequence[bytes]) -> list[OracleReply]:
        return self.reread(cell, layout, bodies)

    def equality(self, cell: Cell, layout: MessageLayout, value: bytes) -> list[EqualityBreach]:
        return []

    def bounds(self, cell: Cell, version: int) -> VersionAnswer:
        versions = self.layouts.of(cell).versions
        return VersionAnswer(versions.lowest, versions.highest, False, _UNSUPPORTED, _UNSUPPORTED)

    def read_records(self, sets: Sequence[bytes]) -> list[OracleReply]:
        self._live(sets)
        return [_read_records(data) for data in sets]

    def read(self, cell: Cell, layout: MessageLayout, bodies: Sequence[bytes]) -> list[OracleReply]:
        return self.reread(cell, layout, bodies)

    def write_records(self, sets: Sequence[bytes], *, parts: bool = False) -> list[OracleReply]:
        raise NotImplementedError("the interpreted codec builds no record sets")

    def write_blobs(
        self, cell: Cell, layout: MessageLayout, form: str, values: Sequence[bytes]
    ) -> list[OracleBlob | Refusal]:
        raise NotImplementedError("the interpreted codec knows no framings")

    def read_blobs(
        self, cell: Cell, layout: MessageLayout, form: str, blobs: Sequence[EmbeddedBlob]
    ) -> list[OracleBlob | Refusal]:
        raise NotImplementedError("the interpreted codec knows no framings")

    def _live(self, inputs: Sequence[bytes]) -> None:
        self.asked += 1
        if self.broken:
            raise OracleError("the interpreted codec is broken on purpose", "")
        if self.deadly and any(self.deadly in each for each in inputs):
            os.kill(os.getpid(), signal.SIGKILL)


def _read_records(data: bytes) -> OracleReply:
    try:
        records = decode_records(data)
    except CodecError as error:
        return Refusal("read", type(error).__name__, str(error), error.offset or 0)
    whole = data[: len(data) - len(records.tail)]
    return OracleValue(whole, len(data), len(whole), to_canonical(records))


def _reread(layout: MessageLayout, body: bytes) -> OracleReply:
    try:
        value, end = interpret_layout(layout).decode_from(body, 0)
    except CodecError as error:
        return Refusal("read", type(error).__name__, str(error), error.offset or 0)
    written = interpret_layout(layout).encode(value)
    return OracleValue(written, len(written), end, canonical(layout).to_binary(value))


def _write(layout: MessageLayout, form: MessageLayout, binary: bytes) -> OracleReply:
    """Write a value given in the canonical form of a layout, which may have the fields of other versions."""
    try:
        written = interpret_layout(layout).encode(canonical(form).from_binary(binary))
    except EncodeError as error:
        return Refusal("write", _UNSUPPORTED, str(error), 0)
    return OracleValue(written, len(written), len(written), binary)


def _reframe(
    codec: FrameCodec, head: MessageLayout, body: MessageLayout, version: int, frame: bytes
) -> OracleFrame | Refusal:
    try:
        header, value = codec.decode(frame)
    except CodecError as error:
        return Refusal("read", type(error).__name__, str(error), error.offset or 0)
    written = codec.encode(header, value)
    return OracleFrame(
        version, written, canonical(head).to_binary(header), canonical(body).to_binary(value), len(frame)
    )
