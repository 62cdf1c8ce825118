"""The interface of an oracle: an authority that reads, writes and describes cells, and never judges."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from kafkawire.schema.layout import MessageLayout
from wireproof.base.exit_codes import ExitCode, FatalError
from wireproof.model.cell import Cell
from wireproof.model.embedding import EmbeddedBlob, OracleBlob


class CannotWorkError(FatalError):
    """An input of the run cannot work at all; this is not a verdict on a codec."""

    exit_code = ExitCode.BROKEN


class OracleError(CannotWorkError):
    """The oracle itself could not work: no JVM, class not found, ..."""


@dataclass(frozen=True, slots=True)
class OracleValue:
    """The answer of the oracle for one input that it accepted.

    Attributes:
        written: the bytes it writes for the value.
        predicted_bytes: the size it announced before writing (Kafka: `addSize`).
        consumed_bytes: how much of the input it read; `len(written)` if the input was a value.
        value: the canonical binary of the value (`kafkawire.canonical`), every field as the class has it.
        absent_set: JSON names (paths) of fields outside the version that do not hold their default.
    """

    written: bytes
    predicted_bytes: int
    consumed_bytes: int
    value: bytes
    absent_set: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OracleFrame:
    """The answer of the oracle for a whole frame: size, header, body.

    Attributes:
        header_version: the header version the oracle itself uses for this cell.
        written: size, header and body written again.
        header: canonical binary of the header's value.
        body: canonical binary of the body's value.
        consumed_bytes: how much of the frame it read, the four size bytes included.
    """

    header_version: int
    written: bytes
    header: bytes
    body: bytes
    consumed_bytes: int


@dataclass(frozen=True, slots=True)
class Refusal:
    """The oracle refused the input.

    Attributes:
        stage: ``read``, ``value`` (reading its own fields), ``build``, ``size`` or ``write``.
        error: the class of its exception, unqualified, such as ``BufferUnderflowException``.
        message: the exception's text, for people only.
        consumed_bytes: how far it had read.
    """

    stage: str
    error: str
    message: str
    consumed_bytes: int


OracleReply: TypeAlias = OracleValue | Refusal


@dataclass(frozen=True, slots=True)
class SchemaField:
    """A field as the oracle's own schema (Kafka: `SCHEMAS[v]`) describes it.

    Attributes:
        name: Kafka's snake case.
        type: the schema's type in Kafka's words, such as ``COMPACT_NULLABLE_STRING``; ``STRUCT`` or
            ``NULLABLE_STRUCT`` for a struct; ``ARRAY``, ``NULLABLE_ARRAY``, ``COMPACT_ARRAY`` or
            ``COMPACT_NULLABLE_ARRAY`` for an array, whose element type is `element`.
        element: the type of the elements of an array, in the same words; else ``""``.
        tag: the tag, or None for a field without a tag.
        fields: the fields of a struct, or of the array's element struct, in order, tagged fields last.
        flexible: for a struct: whether its schema ends with a tag section.
    """

    name: str
    type: str
    element: str = ""
    tag: int | None = None
    fields: tuple["SchemaField", ...] = ()
    flexible: bool = False


@dataclass(frozen=True, slots=True)
class FieldProbe:
    """The behaviour of the class at one version with one of its fields, found by trying it.

    Attributes:
        path: the class's own field names from the root, ``topics[].partitions[].index``. Fields
            inside a container are probed only where the container itself is written.
        null: what `write` does with null there: ``accepted``, ``refused``, or ``primitive`` for a
            field that cannot hold null in Java.
        other: what `write` does with a value that is not the default: ``written`` (the bytes
            change), ``dropped`` (they do not) or ``refused``.
        default: canonical binary of the field's value in a fresh instance (a struct's and an
            array's too: a container's fields as the class has them at this version).
        java_type: the Java type of the field, unqualified, such as ``String`` or ``short``.
    """

    path: str
    null: str
    other: str
    default: bytes
    java_type: str


@dataclass(frozen=True, slots=True)
class EqualityBreach:
    """A way in which the oracle's class does not keep the law of equality.

    Attributes:
        path: the field that was changed, ``topics[].name``; ``""`` for the instance as a whole.
        what: ``copies-differ``, ``hashes-differ``, ``change-unseen``, ``duplicate-differs``, ``nan-differs``,
            ``zeros-equal`` or ``zeros-hash`` (java: `EqualityLaw`).
    """

    path: str
    what: str


@dataclass(frozen=True, slots=True)
class VersionAnswer:
    """The answer of the oracle for a message at a version that it may not have.

    Attributes:
        lowest, highest: the lowest and highest version that its class names.
        described: whether its schemas have the version.
        write: the result of writing a default instance: ``taken``, or the class of the exception.
        request: the result of parsing these bytes as a request, likewise; ``""`` for a response.
    """

    lowest: int
    highest: int
    described: bool
    write: str
    request: str


class Oracle(Protocol):
    """An authority on one release. All calls are coarse: one carries a batch.

    Every method raises `OracleError` if the oracle cannot work at all. A refusal of one input is in the
    reply for that input.
    """

    @property
    def release(self) -> str: ...

    def reread(self, cell: Cell, layout: MessageLayout, bodies: Sequence[bytes]) -> list[OracleReply]:
        """Read each body, write it again, and return the value. Replies in order of the bodies."""

    def read(self, cell: Cell, layout: MessageLayout, bodies: Sequence[bytes]) -> list[OracleReply]:
        """Read each body, and return the value alone: Kafka may read malformed bytes that it cannot write."""

    def write(self, cell: Cell, layout: MessageLayout, values: Sequence[bytes]) -> list[OracleReply]:
        """Build an instance from each canonical binary and write it."""

    def reframe(
        self, cell: Cell, layout: MessageLayout, headers: Mapping[int, MessageLayout], frames: Sequence[bytes]
    ) -> list[OracleFrame | Refusal]:
        """Read whole frames with the header version the oracle itself chooses and write them again.

        Args:
            headers: the layouts of all versions of RequestHeader or ResponseHeader, by version.
        """

    def read_frames(
        self, cell: Cell, layout: MessageLayout, headers: Mapping[int, MessageLayout], frames: Sequence[bytes]
    ) -> list[OracleFrame | Refusal]:
        """`reframe` without writing them again: `written` is empty."""

    def header_versions(self, cell: Cell) -> int | None:
        """The header version that the oracle uses for this request or response; None for others."""

    def schema(self, cell: Cell) -> tuple[SchemaField, ...]:
        """The oracle's own description of the cell: the fields of the message, in order."""

    def probe(self, cell: Cell, layout: MessageLayout) -> list[FieldProbe]:
        """Try null and a non-default value in each field of the class, at this version."""

    def instances(self, cell: Cell, layout: MessageLayout, count: int, seed: int) -> list[OracleReply]:
        """Instances that the oracle makes of its own class by reflection.

        The default instance, one with every field set, each field at each boundary value and null
        where the class takes it, then `count` random ones. Each comes with its bytes and value.
        """

    def second_reread(self, cell: Cell, layout: MessageLayout, bodies: Sequence[bytes]) -> list[OracleReply]:
        """Answer as `reread` does, by the oracle's second codec (Kafka: `SCHEMAS[v]`), which has separate
        code.
        """

    def equality(self, cell: Cell, layout: MessageLayout, value: bytes) -> list[EqualityBreach]:
        """Every breach of the law that instances are equal if and only if all their fields are. The oracle
        changes each field, of any version, in one of two copies of a value (a canonical binary)."""

    def bounds(self, cell: Cell, version: int) -> VersionAnswer:
        """Ask for the cell's message at this version, which the message need not have."""

    def read_records(self, sets: Sequence[bytes]) -> list[OracleReply]:
        """Read each record set (the content of a records field) with all its checksums.

        `OracleValue.value` is `kafkawire.records.to_canonical` of what was read, a batch that is cut
        off as its tail; `written` the bytes of the whole batches.
        """

    def write_records(self, sets: Sequence[bytes], *, parts: bool = False) -> list[OracleReply]:
        """Make a record set of each canonical form (`to_canonical(..., written=True)`).

        Args:
            parts: whether to assemble batches of magic 2 record by record, with any deltas and any header;
                else by the builder that producers and brokers use, which computes them.
        """

    def write_blobs(
        self, cell: Cell, layout: MessageLayout, form: str, values: Sequence[bytes]
    ) -> list[OracleBlob | Refusal]:
        """The blob of each canonical binary, as the oracle frames it.

        Args:
            form: one of `kafka_forms`.
        """

    def read_blobs(
        self, cell: Cell, layout: MessageLayout, form: str, blobs: Sequence[EmbeddedBlob]
    ) -> list[OracleBlob | Refusal]:
        """Read each blob as the oracle does, and write again what was read."""
