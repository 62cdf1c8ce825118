"""Kafka's own generated classes as an oracle, in the JVM of this process."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from kafkawire.schema.layout import MessageLayout
from wireproof.kafka.oracle import _batch
from wireproof.kafka.oracle.java_release import JavaRelease, schema_places
from wireproof.model.cell import EMBEDDED_MODULE, Cell
from wireproof.model.embedding import EmbeddedBlob, OracleBlob
from wireproof.model.oracle import (
    EqualityBreach,
    FieldProbe,
    OracleError,
    OracleFrame,
    OracleReply,
    Refusal,
    SchemaField,
    VersionAnswer,
)

RECORD_SETS: Final = "record sets"
"""In place of a cell, in error messages."""


class KafkaOracle:
    """The oracle of one release. Several share the process's JVM; each has its own class loader.

    The first call imports jpype and starts the JVM.
    """

    def __init__(self, java: JavaRelease) -> None:
        self._java = java

    @property
    def release(self) -> str:
        return self._java.release

    def reread(self, cell: Cell, layout: MessageLayout, bodies: Sequence[bytes]) -> list[OracleReply]:
        """Read each body, write it again, and report the value. Replies in order of the bodies."""
        return self._batches(cell, self._java.bind(cell, layout).reread, bodies)

    def read(self, cell: Cell, layout: MessageLayout, bodies: Sequence[bytes]) -> list[OracleReply]:
        """Read each body and report the value; nothing is written again, so `written` is empty."""
        return self._batches(cell, self._java.bind(cell, layout).read, bodies)

    def write(self, cell: Cell, layout: MessageLayout, values: Sequence[bytes]) -> list[OracleReply]:
        """Build an instance from each canonical binary and write it."""
        return self._batches(cell, self._java.bind(cell, layout).write, values)

    def reframe(
        self, cell: Cell, layout: MessageLayout, headers: Mapping[int, MessageLayout], frames: Sequence[bytes]
    ) -> list[OracleFrame | Refusal]:
        """Read whole frames with the header version the release itself chooses and write them again.

        Args:
            headers: the layouts of all versions of RequestHeader or ResponseHeader, by version.

        Raises:
            OracleError: the cell is sent without a header, `headers` lacks its version, or Java failed.
        """
        return self._frames(cell, layout, headers, frames, again=True)

    def read_frames(
        self, cell: Cell, layout: MessageLayout, headers: Mapping[int, MessageLayout], frames: Sequence[bytes]
    ) -> list[OracleFrame | Refusal]:
        """`reframe` without writing them again."""
        return self._frames(cell, layout, headers, frames, again=False)

    def _frames(
        self,
        cell: Cell,
        layout: MessageLayout,
        headers: Mapping[int, MessageLayout],
        frames: Sequence[bytes],
        *,
        again: bool,
    ) -> list[OracleFrame | Refusal]:
        version = self.header_versions(cell)
        if version is None:
            raise OracleError(f"{cell} is sent without a header")
        if version not in headers:
            raise OracleError(
                f"{cell} is sent with header version {version}, and no layout of that version was given"
            )
        header = headers[version]
        head = self._java.bind(Cell(cell.release, "clients", header.name, version), header)
        bound = self._java.start().frame(head, self._java.bind(cell, layout))
        ask = bound.reframe if again else bound.read
        return [
            reply
            for batch in _batch.split(frames)
            for reply in _batch.read_frames(self._java.ask(cell, ask, _batch.pack(batch)))
        ]

    def header_versions(self, cell: Cell) -> int | None:
        """The header version that the release uses for this request or response; None for others."""
        name = self._java.class_name(cell)
        with self._java.failures(cell):
            version = int(self._java.start().headerVersion(name, cell.version))
        return None if version < 0 else version

    def schema(self, cell: Cell) -> tuple[SchemaField, ...]:
        """The class's own `SCHEMAS[version]`, unchanged.

        Releases before KAFKA-19634 (4.2) describe a nullable struct as a plain one.
        """
        if cell.module == EMBEDDED_MODULE:
            places = list(schema_places(cell.message, cell.version))
            with self._java.failures(cell):
                report = bytes(self._java.start().schemaReport(places))
            # Connect's names have hyphens.
            return tuple(
                replace(field, name=field.name.replace("-", "_")) for field in _batch.read_schema(report)
            )
        name = self._java.class_name(cell)
        with self._java.failures(cell):
            return _batch.read_schema(bytes(self._java.start().schema(name, cell.version)))

    def probe(self, cell: Cell, layout: MessageLayout) -> list[FieldProbe]:
        """Try null and a non-default value in each field of the class, at this version.

        The results describe the class. The layout only defines the width of a default: a Java ``int`` may be
        an int32 or a uint16. A struct that the layout's version lacks has only its marker (1 present,
        0 null), and `java_type` names the elements of a list: ``List<Integer>``.
        """
        bound = self._java.bind(cell, layout)
        return _batch.read_probes(self._java.ask(cell, bound.probe))

    def instances(self, cell: Cell, layout: MessageLayout, count: int, seed: int) -> list[OracleReply]:
        """Return instances that Java makes of its own class by reflection.

        The default instance, one with every field set (without and with unknown tags), one with every
        null, each field at each boundary value, then `count` random ones: the same for the same seed.
        """
        bound = self._java.bind(cell, layout)
        return _batch.read_replies(self._java.ask(cell, bound.instances, count, seed))

    def second_reread(self, cell: Cell, layout: MessageLayout, bodies: Sequence[bytes]) -> list[OracleReply]:
        """Answer as `reread` does, by the class's `SCHEMAS[version]` (java: `SchemaCodec`)."""
        return self._batches(cell, self._java.bind(cell, layout).schemaReread, bodies)

    def json(self, cell: Cell, layout: MessageLayout, values: Sequence[bytes]) -> list[OracleReply]:
        """Convert each value to JSON and back with the release's own converter; `written` is the text."""
        return self._batches(cell, self._java.bind(cell, layout).json, values)

    def read_json(self, cell: Cell, layout: MessageLayout, texts: Sequence[bytes]) -> list[OracleReply]:
        """The replies of the release's own converter to JSON texts."""
        return self._batches(cell, self._java.bind(cell, layout).readJson, texts)

    def equality(self, cell: Cell, layout: MessageLayout, value: bytes) -> list[EqualityBreach]:
        """The breaches of the law of equality that the value reveals (java: `EqualityLaw`)."""
        return _batch.read_breaches(self._java.ask(cell, self._java.bind(cell, layout).equality, value))

    def bounds(self, cell: Cell, version: int) -> VersionAnswer:
        """The release's answer for the cell's message at this version (java: `VersionBounds`)."""
        name = self._java.class_name(cell)
        return _batch.read_bounds(self._java.ask(cell, self._java.start().bounds, name, version))

    def _batches(
        self, cell: Cell | str, call: Callable[..., Any], inputs: Sequence[bytes], *arguments: Any
    ) -> list[OracleReply]:
        return [
            reply
            for batch in _batch.split(inputs)
            for reply in _batch.read_replies(self._java.ask(cell, call, _batch.pack(batch), *arguments))
        ]

    def read_records(self, sets: Sequence[bytes]) -> list[OracleReply]:
        """Read each record set with Kafka's MemoryRecords, checksums included (java: `RecordSets`)."""
        return self._batches(RECORD_SETS, self._records().read, sets)

    def write_records(self, sets: Sequence[bytes], *, parts: bool = False) -> list[OracleReply]:
        """Make a record set of each canonical form with Kafka's builders.

        With `parts`, Kafka's header writer and record writer make batches of magic 2, with any deltas; else
        `MemoryRecordsBuilder` makes them.
        """
        return self._batches(RECORD_SETS, self._records().write, sets, parts)

    def write_blobs(
        self, cell: Cell, layout: MessageLayout, form: str, values: Sequence[bytes]
    ) -> list[OracleBlob | Refusal]:
        """The blob of each canonical binary, as the release frames it (java: `BlobForms`)."""
        return self._blob_batches(cell, layout, form, "write", values)

    def read_blobs(
        self, cell: Cell, layout: MessageLayout, form: str, blobs: Sequence[EmbeddedBlob]
    ) -> list[OracleBlob | Refusal]:
        """Read each blob as the release does, and write again what was read."""
        return self._blob_batches(cell, layout, form, "read", [_batch.pack_blob(blob) for blob in blobs])

    def _blob_batches(
        self, cell: Cell, layout: MessageLayout, form: str, what: str, inputs: Sequence[bytes]
    ) -> list[OracleBlob | Refusal]:
        bound = self._java.bind(cell, layout)
        with self._java.failures(cell):
            call = getattr(bound.blobs(form), what)
        return [_batch.as_blob(reply) for reply in self._batches(cell, call, inputs)]

    def _records(self) -> Any:
        with self._java.failures(RECORD_SETS):
            return self._java.start().recordSets()
