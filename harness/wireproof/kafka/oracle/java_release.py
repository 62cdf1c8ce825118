"""The compiled helper classes of the oracle, and the Kafka classes of one release in the JVM."""

import re
import struct
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Any, Final

from kafkawire.schema.layout import AbsentField, FieldLayout, MessageLayout, StructLayout
from kafkawire.schema.model import ArrayType, FieldType, ScalarType
from wireproof.base.extras import install
from wireproof.kafka.oracle import _jvm
from wireproof.kafka.oracle._jvm import deadline
from wireproof.kafka.oracle.java_runtime import CLASS_FILES, CompileError, compile_jar, source_digest
from wireproof.model.cell import EMBEDDED_MODULE, PRIMITIVES_MODULE, Cell
from wireproof.model.oracle import OracleError

HEAP_MB: Final = 512
"""The default heap. With Python's memory it stays below the 1 GiB of a run's process."""

JAR_NAME: Final = "wireproof-oracle.jar"

_HERE: Final = Path(__file__).parent
_JAVA: Final = _HERE.parents[3] / "java"
_SOURCES: Final = _JAVA / "src" / "main" / "java"
_WORKLOAD: Final = _HERE / "workload"
"""The workload's sources in a wheel. They are compiled at run time, because a wheel has no Kafka classes."""


def helper_jar(cache_dir: Path, ecj: Callable[[], Path] | None) -> Path:
    """The jar of the helper classes.

    A wheel has the jar as package data. In a checkout the jar is compiled from the sources, once for each
    state of them, into ``<cache>/oracle/``. Raises OracleError if there is neither jar nor source, or the
    sources do not compile.
    """
    packaged = _HERE / JAR_NAME
    if packaged.is_file():
        return packaged
    if not _SOURCES.is_dir():
        raise OracleError(
            f"{packaged} is missing: this installation of wireproof is damaged", "Install it again."
        )
    return compiled_jar(_SOURCES, cache_dir / "oracle", JAR_NAME, ecj)


def workload_jar(cache_dir: Path, clients: Sequence[Path], ecj: Callable[[], Path] | None) -> Path:
    """The jar of the workload that drives Kafka's own clients, compiled once for each state of its sources.

    Args:
        clients: the newest kafka-clients and kafka-streams. With older ones at run time, the program reports
            the features that they lack.

    Raises:
        OracleError: the sources are gone, or do not compile.
    """
    checkout = _JAVA / "workload" / "src" / "main" / "java"
    sources = _WORKLOAD if _WORKLOAD.is_dir() else checkout
    if not sources.is_dir():
        raise OracleError(
            f"{sources} is missing: this installation of wireproof is damaged", "Install it again."
        )
    return compiled_jar(sources, cache_dir / "workload", f"{clients[0].stem}-workload.jar", ecj, clients)


def compiled_jar(
    sources: Path,
    folder: Path,
    name: str,
    ecj: Callable[[], Path] | None,
    class_path: Sequence[Path] = (),
    level: int = CLASS_FILES,
) -> Path:
    """The jar of Java sources, compiled once for each state of them.

    Args:
        folder: the folder of the cache.
        name: the end of the jar's name, after a digest of the sources: what else the jar depends on.

    Raises:
        OracleError: the sources do not compile, or the cache cannot be written.
    """
    built = folder / f"{source_digest(sources)}-{name}"
    if built.is_file():
        return built
    try:
        return compile_jar(sources, built, ecj, class_path=class_path, level=level)
    except CompileError as error:
        raise OracleError(
            f"the Java classes below {sources} cannot be compiled: {error}",
            f"Install a JDK of version 17 or newer, or type: {install('java')}",
        ) from error
    except OSError as error:
        raise OracleError(f"the cache {folder} cannot be written: {error}") from error


_STICKY: Final = "org.apache.kafka.clients.consumer.StickyAssignor"
_EAGER: Final = "org.apache.kafka.connect.runtime.distributed.ConnectProtocol"
_INCREMENTAL: Final = "org.apache.kafka.connect.runtime.distributed.IncrementalCooperativeConnectProtocol"

_PLACES: Final = {
    ("StickyAssignorUserData", 0): (f"{_STICKY}#STICKY_ASSIGNOR_USER_DATA_V0",),
    ("StickyAssignorUserData", 1): (f"{_STICKY}#STICKY_ASSIGNOR_USER_DATA_V1",),
    ("ConnectWorkerState", 0): (f"{_EAGER}#CONFIG_STATE_V0",),
    ("ConnectWorkerState", 1): (f"{_INCREMENTAL}#CONFIG_STATE_V1", f"{_INCREMENTAL}#ALLOCATION_V1"),
    ("ConnectAssignment", 0): (f"{_EAGER}#ASSIGNMENT_V0",),
    ("ConnectAssignment", 1): (f"{_INCREMENTAL}#ASSIGNMENT_V1",),
}


def schema_places(message: str, version: int) -> tuple[str, ...]:
    """The schemas of a message, in order, as ``class#FIELD``; Connect's version 2 has the schemas of 1."""
    return _PLACES[message, min(version, 1)]


_KINDS: Final = {kind: number for number, kind in enumerate(ScalarType)}
"""The ordinals of Java's enum `Kind`, which has the types in the same order, and a struct after them."""
_STRUCT: Final = len(_KINDS)
_ARRAY: Final = 0x20
_NULLABLE: Final = 0x40
_ABSENT: Final = 0x80

_NO_FIELDS: Final = StructLayout(name="", flexible=False, fields=())


def encode_plan(layout: MessageLayout) -> bytes:
    """The layout's fields, names and types, without the facts that Java derives from the class."""
    return _struct(layout.root)


def _struct(layout: StructLayout) -> bytes:
    fields = [_field(field) for field in layout.all_fields] + [_absent(field) for field in layout.absent]
    return struct.pack(">BH", layout.flexible, len(fields)) + b"".join(fields)


def _field(field: FieldLayout) -> bytes:
    flags = _NULLABLE if field.nullable else 0
    return _entry(field.name, field.type, flags, field.struct)


def _absent(field: AbsentField) -> bytes:
    return _entry(field.name, field.type, _ABSENT, field.struct)


def _entry(name: str, type_: FieldType, flags: int, inner: StructLayout | None) -> bytes:
    element = type_.element if isinstance(type_, ArrayType) else type_
    if isinstance(type_, ArrayType):
        flags |= _ARRAY
    encoded = name.encode("ascii")
    if isinstance(element, ScalarType):
        return bytes((_KINDS[element] | flags, len(encoded))) + encoded
    return bytes((_STRUCT | flags, len(encoded))) + encoded + _struct(inner or _NO_FIELDS)


_TYPES: Final = {"Bool": "BOOLEAN", "Uint32": "UNSIGNED_INT32", "UnsignedVarint": ""}


def _type_of(primitive: str) -> str:
    """Kafka's type by the name of the cell, such as ``COMPACT_STRING``; empty if Kafka has no type, only
    methods that its generated classes call to read and write.
    """
    return _TYPES.get(primitive, re.sub(r"\B(?=[A-Z])", "_", primitive).upper())


_MOST_CLASSES: Final = 48
"""The number of messages whose classes stay loaded; a run over all releases asks for 3,000."""


@dataclass(eq=False)
class JavaRelease:
    """The Java side of a `KafkaOracle`; nothing is loaded before the first call.

    Attributes:
        jars: the jar of each module by name; ``clients`` is required, because all classes need it.
        packages: the Java package of each module's generated classes, by name.
        shared: jars that all releases share: slf4j and the compression libraries.
        cache_dir: the folder for classes compiled from a source checkout.
        ecj: returns the Eclipse compiler's jar, for a source checkout without a JDK.
        helper: the jar of the helper classes, if there is neither a wheel nor a checkout.
        heap_mb: the JVM's largest heap, in MiB.
        peak: whether the JVM optimises code, for runs of minutes. The first oracle of the process determines
            this and the heap.
    """

    release: str
    jars: Mapping[str, Path]
    packages: Mapping[str, str]
    _: KW_ONLY
    shared: Sequence[Path] = ()
    cache_dir: Path
    ecj: Callable[[], Path] | None = None
    helper: Path | None = None
    heap_mb: int = HEAP_MB
    peak: bool = False
    _jpype: Any = field(default=None, init=False)
    _java: Any = field(default=None, init=False)
    _bound: dict[tuple[str, str, int], tuple[MessageLayout, Any]] = field(default_factory=dict, init=False)
    _classes: dict[tuple[str, str], str] = field(default_factory=dict, init=False)

    def bind(self, cell: Cell, layout: MessageLayout) -> Any:
        """Return the Java object of a cell with this layout."""
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
            with self.failures(cell):
                return self.start().schemaCell(places, cell.version, plan)
        if cell.module == PRIMITIVES_MODULE:
            with self.failures(cell):
                return self.start().primitive(_type_of(cell.message), plan)
        name = self.class_name(cell)
        with self.failures(cell):
            return self.start().cell(name, cell.version, plan)

    def class_name(self, cell: Cell) -> str:
        """Return the name of a cell's class; most end in ``Data`` (Kafka: `MessageSpec.dataClassName`).

        Raises OracleError if the jars have no such class.
        """
        key = (cell.module, cell.message)
        if key not in self._classes:
            if len(self._classes) >= _MOST_CLASSES:
                self._renew()
            self._classes[key] = self._find_class(cell)
        return self._classes[key]

    def _renew(self) -> None:
        """Drop all classes and their loader, so that Java can unload them; the next ones get a new loader."""
        self._classes.clear()
        self._bound.clear()
        self._java = None

    def _find_class(self, cell: Cell) -> str:
        if cell.module not in self.jars or cell.module not in self.packages:
            has = ", ".join(sorted(self.jars))
            raise OracleError(
                f"no jar of module {cell.module} of Kafka {self.release}: the given jars are of {has}"
            )
        java = self.start()
        for name in (f"{cell.message}Data", cell.message):
            qualified = f"{self.packages[cell.module]}.{name}"
            with self.failures(cell):
                if java.has(qualified):
                    return qualified
        jar = self.jars[cell.module].name
        raise OracleError(f"{jar} has no class of {cell.message} in {self.packages[cell.module]}")

    def start(self) -> Any:
        """Return this release in Java; start the JVM if none runs."""
        jpype = _jvm.start(self.heap_mb, self.peak)
        if self._java is None:
            self._jpype = jpype
            for jar in (*self.jars.values(), *self.shared):
                _check_jar(jar)
            helper = self.helper or helper_jar(self.cache_dir, self.ecj)
            try:
                release = _jvm.load_class(jpype, helper, "io.wireproof.oracle.Release")
                self._java = release.open(
                    [str(jar) for jar in self.jars.values()], [str(jar) for jar in self.shared]
                )
            except jpype.JException as error:
                raise OracleError(
                    f"the classes of Kafka {self.release} cannot be loaded: {error}",
                    "Check that the jar of module clients is among the jars, and whole.",
                ) from error
        return self._java

    def ask(self, cell: Cell | str, call: Callable[..., Any], *arguments: Any) -> bytes:
        """Call Java about a cell; return its bytes.

        Raises OracleError if Java threw, or did not answer in time.
        """
        with self.failures(cell):
            return bytes(call(*arguments))

    @contextmanager
    def failures(self, cell: Cell | str) -> Iterator[None]:
        """Convert exceptions that Java throws outside the judgement of one input, and missing answers.

        Raises OracleError if Java threw, or did not answer in time.
        """
        self.start()
        try:
            with deadline():
                yield
        except self._jpype.JException as error:
            raise OracleError(f"the oracle failed at {cell}: {error}") from error


def _check_jar(jar: Path) -> None:
    """Check a jar: Java's class loader ignores a missing or broken one.

    Raises OracleError if it is missing, or not a jar.
    """
    if not jar.is_file():
        raise OracleError(f"there is no jar {jar}")
    if not zipfile.is_zipfile(jar):
        raise OracleError(f"{jar} is not a jar, or is cut short", "Delete it, so that it is fetched again.")
