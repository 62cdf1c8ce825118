"""`SchemaGenerator`: Kafka's own message generator, a Java compiler, and the classes that the two make.

Everything stays in memory: Java holds the sources and the class files.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from wireproof.kafka.oracle import _jvm
from wireproof.kafka.oracle._jvm import deadline, start
from wireproof.kafka.oracle.java_release import HEAP_MB, JavaRelease, helper_jar
from wireproof.kafka.oracle.kafka import KafkaOracle
from wireproof.model.cell import Cell
from wireproof.model.oracle import OracleError


class _GeneratedClasses(JavaRelease):
    """A `JavaRelease` whose classes exist already.

    Args:
        java: the classes in Java (`Release`).
        names: the qualified name of each class by its simple name.
    """

    def __init__(self, release: str, java: Any, names: Mapping[str, str], peak: bool) -> None:
        super().__init__(release, {}, {}, cache_dir=Path(), peak=peak)
        self._jpype = start(HEAP_MB, peak)
        self._java = java
        self._names = names

    def class_name(self, cell: Cell) -> str:
        """Return the name of a message's class; the module of the cell is not looked at.

        Raises OracleError if no message of this name was generated.
        """
        for simple in (f"{cell.message}Data", cell.message):
            if simple in self._names:
                return self._names[simple]
        raise OracleError(f"the generator made no class of {cell.message}: it made {', '.join(self._names)}")

    def start(self) -> Any:
        return self._java


class GeneratedOracle(KafkaOracle):
    """The oracle of messages whose classes were made in this process, with the clients of a release.

    Made by `SchemaGenerator.oracle`. Kafka has no table of their headers, so the oracle has no frames.
    """

    def header_versions(self, cell: Cell) -> int | None:
        """None: the generator knows the headers of a whole module only."""
        self._java.class_name(cell)
        return None


class GeneratorOutcome(StrEnum):
    """The outcome for a schema, or for schemas that are processed together."""

    ACCEPTED = "accepted"
    """There are classes; since 4.0, a message without valid versions has none."""
    REFUSED = "refused"
    """The generator threw an exception."""
    NOT_COMPILED = "not-compiled"
    """The generator wrote Java that the compiler refused."""


@dataclass(frozen=True, slots=True)
class GeneratorVerdict:
    """The verdict on one schema.

    Attributes:
        cause: the text of the generator's exception (after the exception's class, unless it is a
            RuntimeException), or the compiler's first error; ``""`` if the schema is accepted.
        java_class: the classes that were made (Java: `SchemaJudgement`), for `SchemaGenerator.oracle`; None
            if there are none.
    """

    outcome: GeneratorOutcome
    cause: str = ""
    java_class: Any = None

    @property
    def accepted(self) -> bool:
        return self.outcome is GeneratorOutcome.ACCEPTED


BATCH: Final = 128
"""Schemas that are compiled together: the compiler's start is paid once, and the heap stays below 512 MiB."""

THREADS: Final = 2
"""Compilers at work at once."""


@dataclass(eq=False)
class SchemaGenerator:
    """The message generator of one release. The first call imports jpype and starts the JVM.

    Attributes:
        program: the jar of `org.apache.kafka:generator` and those of its dependencies.
        clients: the clients of the same release; the generated Java is compiled against them.
        shared: jars that the clients and the generated JSON converters need: slf4j and Jackson.
        cache_dir: the folder for helper classes compiled from a source checkout.
        ecj: returns the Eclipse compiler's jar, which compiles where the Java runtime has no ``javac``.
        peak: as of `JavaRelease`; it counts where this starts the JVM.
    """

    release: str
    program: Sequence[Path]
    clients: Path
    _: KW_ONLY
    shared: Sequence[Path]
    cache_dir: Path
    ecj: Callable[[], Path]
    peak: bool
    _jpype: Any = field(default=None, init=False)
    _java: Any = field(default=None, init=False)

    def judge(self, texts: Sequence[str], *, compiled: bool = True) -> list[GeneratorVerdict]:
        """Judge message files, each alone. Verdicts in the order of the texts.

        Args:
            texts: the text of each file.
            compiled: whether to run the Java compiler, too; without it no verdict has classes.

        Raises:
            OracleError: Java does not work, or does not answer in time.
        """
        verdicts: list[GeneratorVerdict] = []
        for begin in range(0, len(texts), BATCH):
            batch = list(texts[begin : begin + BATCH])
            with self._failures() as java:
                verdicts.extend(_verdict(each) for each in java.judge(batch, compiled))
        return verdicts

    def judge_set(self, texts: Sequence[str]) -> GeneratorVerdict:
        """Judge the message files of one module, processed together with the tables of types of their kinds.

        Raises OracleError if Java does not work, or does not answer in time.
        """
        with self._failures() as java:
            return _verdict(java.judgeSet(list(texts), True))

    def sources(self, text: str, package: str) -> dict[str, str]:
        """The Java that the generator writes for a schema, by qualified class name; empty where it refuses.

        Raises OracleError if Java does not work, or does not answer in time.
        """
        with self._failures() as java:
            return {str(name): str(source) for name, source in java.sources(text, package).items()}

    def oracle(self, verdicts: Sequence[GeneratorVerdict]) -> GeneratedOracle:
        """An oracle of the messages that were accepted, by their names. Its classes are unloaded with it.

        Args:
            verdicts: the results of `judge`; verdicts without classes are ignored.

        Raises:
            OracleError: two messages have one name, or Java does not work.
        """
        made = [verdict.java_class for verdict in verdicts if verdict.java_class is not None]
        names: dict[str, str] = {}
        for each in made:
            qualified = str(each.className())
            simple = qualified.rpartition(".")[2]
            if simple in names:
                raise OracleError(f"two messages have the class {simple}", "Open an oracle for each of them.")
            names[simple] = qualified
        with self._failures() as java:
            classes = _GeneratedClasses(self.release, java.open(made), names, self.peak)
            return GeneratedOracle(classes)

    @contextmanager
    def _failures(self) -> Iterator[Any]:
        """Yield the Java side; convert its exceptions, and missing answers."""
        java = self._start()
        try:
            with deadline():
                yield java
        except self._jpype.JException as error:
            raise OracleError(f"Kafka's generator of {self.release} failed: {error}") from error

    def _start(self) -> Any:
        jpype = _jvm.start(HEAP_MB, self.peak)
        if self._java is None:
            self._jpype = jpype
            helper = helper_jar(self.cache_dir, self.ecj)
            try:
                judge = _jvm.load_class(jpype, helper, "io.wireproof.oracle.generator.SchemaJudge")
                compiler = None if judge.hasCompiler() else str(self.ecj())
                program = [str(jar) for jar in self.program]
                classes = [str(jar) for jar in (self.clients, *self.shared)]
                # With each message's JSON converter, as Kafka's build makes it.
                self._java = judge.open(program, classes, compiler, THREADS, True)
            except jpype.JException as error:
                raise OracleError(
                    f"Kafka's generator of {self.release} cannot be loaded: {error}",
                    "Check that its jars are whole.",
                ) from error
        return self._java


def _verdict(judgement: Any) -> GeneratorVerdict:
    outcome = GeneratorOutcome(str(judgement.outcome()))
    made = judgement if str(judgement.className()) else None
    return GeneratorVerdict(outcome, str(judgement.cause()), made)
