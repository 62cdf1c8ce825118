"""Kafka's own generated classes as an oracle, in the JVM of this process."""

import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from kafkawire.schema.layout import MessageLayout
from wireproof.model.cell import EMBEDDED_MODULE, PRIMITIVES_MODULE, Cell
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
from wireproof.oracle import _batch, _jvm
from wireproof.oracle._classes import helper_jar
from wireproof.oracle._deadline import deadline
from wireproof.oracle._hand_written import schema_places
from wireproof.oracle._plan import encode_plan
from wireproof.oracle._primitives import TYPES

__all__ = ["DEFAULT_HEAP_MB", "KafkaOracle"]

DEFAULT_HEAP_MB: Final = 512
"""With Python's own, below the 1 GiB that a process of a run may take."""

_MOST_CLASSES: Final = 48
"""Messages whose classes are held at a time; a run over all releases asks for 3,000."""

RECORD_SETS: Final = "record sets"
"""In place of a cell, in the words of an error."""


class KafkaOracle:
    """One release; several of them share the process's JVM, each in a class loader of its own.

    Nothing happens before the first question: no jpype is imported, no JVM started.

    Args:
        release: the release, such as ``4.4.0``.
        jars: module name to its jar. ``clients`` must be among them: all classes need it.
        packages: module name to the Java package of its generated classes.
        shared: jars that all releases use together: slf4j and the compression libraries.
        cache_dir: where classes compiled from a source checkout go.
        ecj: gives the Eclipse compiler's jar, for a source checkout without a JDK.
        helper: the jar of the helper classes, where neither a wheel nor a checkout is.
        heap_mb: the JVM's largest heap, in MiB.
        peak: for volume: let the JVM optimise for minutes to come. This and the heap are those of the
            first oracle of the process.
    """

    def __init__(
        self,
        release: str,
        jars: Mapping[str, Path],
        packages: Mapping[str, str],
        *,
        shared: Sequence[Path] = (),
        cache_dir: Path,
        ecj: Callable[[], Path] | None = None,
        helper: Path | None = None,
        heap_mb: int = DEFAULT_HEAP_MB,
        peak: bool = False,
    ) -> None:
        self._release = release
        self._jars = dict(jars)
        self._packages = dict(packages)
        self._shared = tuple(shared)
        self._cache_dir = cache_dir
        self._ecj = ecj
        self._helper = helper
        self._heap_mb = heap_mb
        self._peak = peak
        self._jpype: Any = None
        self._java: Any = None
        self._bound: dict[tuple[str, str, int], tuple[MessageLayout, Any]] = {}
        self._classes: dict[tuple[str, str], str] = {}

    @property
    def release(self) -> str:
        return self._release

    def reread(self, cell: Cell, layout: MessageLayout, bodies: Sequence[bytes]) -> list[OracleReply]:
        """Read each body, write it again, and report the value. Replies in order of the bodies."""
        bound = self._bind(cell, layout)
        return [
            reply
            for batch in _batch.split(bodies)
            for reply in _batch.read_replies(self._ask(cell, bound.reread, _batch.pack(batch)))
        ]

    def read(self, cell: Cell, layout: MessageLayout, bodies: Sequence[bytes]) -> list[OracleReply]:
        """Read each body and report the value; nothing is written again, so `written` is empty."""
        bound = self._bind(cell, layout)
        return [
            reply
            for batch in _batch.split(bodies)
            for reply in _batch.read_replies(self._ask(cell, bound.read, _batch.pack(batch)))
        ]

    def write(self, cell: Cell, layout: MessageLayout, values: Sequence[bytes]) -> list[OracleReply]:
        """Build an instance from each canonical binary and write it."""
        bound = self._bind(cell, layout)
        return [
            reply
            for batch in _batch.split(values)
            for reply in _batch.read_replies(self._ask(cell, bound.write, _batch.pack(batch)))
        ]

    def reframe(
        self, cell: Cell, layout: MessageLayout, headers: Mapping[int, MessageLayout], frames: Sequence[bytes]
    ) -> list[OracleFrame | Refusal]:
        """Read whole frames with the header version the release itself chooses and write them again.

        Args:
            headers: the layouts of all versions of RequestHeader or ResponseHeader, by version.

        Raises:
            OracleError: also where the cell is sent without a header, or `headers` lacks its version.
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
            raise OracleError(f"{cell} is sent with header version {version}, of which no layout was given")
        header = headers[version]
        head = self._bind(Cell(cell.release, "clients", header.name, version), header)
        bound = self._start().frame(head, self._bind(cell, layout))
        ask = bound.reframe if again else bound.read
        return [
            reply
            for batch in _batch.split(frames)
            for reply in _batch.read_frames(self._ask(cell, ask, _batch.pack(batch)))
        ]

    def header_versions(self, cell: Cell) -> int | None:
        """The header version that the release uses for this request or response; None for others."""
        name = self._class_name(cell)
        with self._failures(cell):
            version = int(self._start().headerVersion(name, cell.version))
        return None if version < 0 else version

    def schema(self, cell: Cell) -> tuple[SchemaField, ...]:
        """The class's own `SCHEMAS[version]`, unchanged.

        Releases before KAFKA-19634 (4.2) describe a nullable struct as a plain one.
        """
        if cell.module == EMBEDDED_MODULE:
            places = list(schema_places(cell.message, cell.version))
            with self._failures(cell):
                report = bytes(self._start().schemaReport(places))
            # Connect's names have hyphens.
            return tuple(
                replace(field, name=field.name.replace("-", "_")) for field in _batch.read_schema(report)
            )
        name = self._class_name(cell)
        with self._failures(cell):
            return _batch.read_schema(bytes(self._start().schema(name, cell.version)))

    def probe(self, cell: Cell, layout: MessageLayout) -> list[FieldProbe]:
        """Try null and a non-default value in each field of the class, at this version.

        What is found is the class's alone. The layout only says in which width a default is told: a Java
        ``int`` may be an int32 or a uint16. A struct that the layout's version lacks is told by its
        marker alone (1 present, 0 null), and `java_type` names the elements of a list: ``List<Integer>``.
        """
        bound = self._bind(cell, layout)
        return _batch.read_probes(self._ask(cell, bound.probe))

    def instances(self, cell: Cell, layout: MessageLayout, count: int, seed: int) -> list[OracleReply]:
        """Instances that Java makes of its own class by reflection.

        The default instance, one with every field set (without and with unknown tags), one with every
        null, each field at each boundary value, then `count` random ones: the same for the same seed.
        """
        bound = self._bind(cell, layout)
        return _batch.read_replies(self._ask(cell, bound.instances, count, seed))

    def second_reread(self, cell: Cell, layout: MessageLayout, bodies: Sequence[bytes]) -> list[OracleReply]:
        """As `reread`, by the class's `SCHEMAS[version]` (java: `SchemaCodec`)."""
        return self._batches(cell, self._bind(cell, layout).schemaReread, bodies)

    def json(self, cell: Cell, layout: MessageLayout, values: Sequence[bytes]) -> list[OracleReply]:
        """Each value to JSON text and back by the release's own converter: `written` is the text."""
        return self._batches(cell, self._bind(cell, layout).json, values)

    def read_json(self, cell: Cell, layout: MessageLayout, texts: Sequence[bytes]) -> list[OracleReply]:
        """The replies of the release's own converter to JSON texts."""
        return self._batches(cell, self._bind(cell, layout).readJson, texts)

    def equality(self, cell: Cell, layout: MessageLayout, value: bytes) -> list[EqualityBreach]:
        """The breaches of the law of equality that the value brings to light (java: `EqualityLaw`)."""
        return _batch.read_breaches(self._ask(cell, self._bind(cell, layout).equality, value))

    def bounds(self, cell: Cell, version: int) -> VersionAnswer:
        """The release's answer for the cell's message at this version (java: `VersionBounds`)."""
        name = self._class_name(cell)
        return _batch.read_bounds(self._ask(cell, self._start().bounds, name, version))

    def _batches(self, cell: Cell, call: Callable[..., Any], inputs: Sequence[bytes]) -> list[OracleReply]:
        return [
            reply
            for batch in _batch.split(inputs)
            for reply in _batch.read_replies(self._ask(cell, call, _batch.pack(batch)))
        ]

    def read_records(self, sets: Sequence[bytes]) -> list[OracleReply]:
        """Read each record set with Kafka's MemoryRecords, checksums included (java: `RecordSets`)."""
        records = self._records()
        return [
            reply
            for batch in _batch.split(sets)
            for reply in _batch.read_replies(self._ask(RECORD_SETS, records.read, _batch.pack(batch)))
        ]

    def write_records(self, sets: Sequence[bytes], *, parts: bool = False) -> list[OracleReply]:
        """Make a record set of each canonical form with Kafka's builders.

        Args:
            parts: put batches of magic 2 together of Kafka's header and record writers, which take any
                deltas; else with `MemoryRecordsBuilder`.
        """
        records = self._records()
        return [
            reply
            for batch in _batch.split(sets)
            for reply in _batch.read_replies(self._ask(RECORD_SETS, records.write, _batch.pack(batch), parts))
        ]

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
        bound = self._bind(cell, layout)
        with self._failures(cell):
            call = getattr(bound.blobs(form), what)
        return [_batch.as_blob(reply) for reply in self._batches(cell, call, inputs)]

    def _records(self) -> Any:
        with self._failures(RECORD_SETS):
            return self._start().recordSets()

    def _bind(self, cell: Cell, layout: MessageLayout) -> Any:
        """The Java object of the cell with this layout."""
        key = (cell.module, cell.message, cell.version)
        known = self._bound.get(key)
        if known is None or (known[0] is not layout and known[0] != layout):
            known = (layout, self._new_cell(cell, layout))
            self._bound[key] = known
        return known[1]

    def _new_cell(self, cell: Cell, layout: MessageLayout) -> Any:
        plan = encode_plan(layout)
        if cell.module == EMBEDDED_MODULE:
            places = list(schema_places(cell.message, cell.version))
            with self._failures(cell):
                return self._start().schemaCell(places, cell.version, plan)
        if cell.module == PRIMITIVES_MODULE:
            with self._failures(cell):
                return self._start().primitive(TYPES[cell.message], plan)
        name = self._class_name(cell)
        with self._failures(cell):
            return self._start().cell(name, cell.version, plan)

    def _class_name(self, cell: Cell) -> str:
        """Requests, responses and headers have ``Data`` behind their name (`MessageSpec.dataClassName`)."""
        key = (cell.module, cell.message)
        if key not in self._classes:
            if len(self._classes) >= _MOST_CLASSES:
                self._renew()
            self._classes[key] = self._find_class(cell)
        return self._classes[key]

    def _renew(self) -> None:
        """Let go of all classes with their loader, for Java to unload; the next come from a new one."""
        self._classes.clear()
        self._bound.clear()
        self._java = None

    def _find_class(self, cell: Cell) -> str:
        if cell.module not in self._jars or cell.module not in self._packages:
            has = ", ".join(sorted(self._jars))
            raise OracleError(
                f"no jar of module {cell.module} of Kafka {self._release} was given; there are: {has}"
            )
        java = self._start()
        for name in (f"{cell.message}Data", cell.message):
            qualified = f"{self._packages[cell.module]}.{name}"
            with self._failures(cell):
                if java.has(qualified):
                    return qualified
        jar = self._jars[cell.module].name
        raise OracleError(f"{jar} has no class of {cell.message} in {self._packages[cell.module]}")

    def _start(self) -> Any:
        """This release in Java; starts the JVM where none runs."""
        jpype = _jvm.start(self._heap_mb, self._peak)
        if self._java is None:
            self._jpype = jpype
            for jar in (*self._jars.values(), *self._shared):
                _check_jar(jar)
            helper = self._helper or helper_jar(self._cache_dir, self._ecj)
            try:
                release = _jvm.load_class(jpype, helper, "io.wireproof.oracle.Release")
                self._java = release.open(
                    [str(jar) for jar in self._jars.values()], [str(jar) for jar in self._shared]
                )
            except jpype.JException as error:
                raise OracleError(
                    f"the classes of Kafka {self._release} cannot be loaded: {error}",
                    "Check that the jar of module clients is among the jars, and whole.",
                ) from error
        return self._java

    def _ask(self, cell: Cell | str, call: Callable[..., Any], *arguments: Any) -> bytes:
        with self._failures(cell):
            return bytes(call(*arguments))

    @contextmanager
    def _failures(self, cell: Cell | str) -> Iterator[None]:
        """Raise what Java throws outside the judgement of one input, and missing answers, as its failure."""
        self._start()
        try:
            with deadline():
                yield
        except self._jpype.JException as error:
            raise OracleError(f"the oracle failed at {cell}: {error}") from error


def _check_jar(jar: Path) -> None:
    """Java's class loader passes over a missing or broken jar in silence.

    Raises:
        OracleError: it is missing or no jar.
    """
    if not jar.is_file():
        raise OracleError(f"there is no jar {jar}")
    if not zipfile.is_zipfile(jar):
        raise OracleError(f"{jar} is not a jar, or is cut short", "Delete it, so that it is fetched again.")
