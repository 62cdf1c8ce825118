"""Kafka's message generator: its opinion about a file, and the comparer of a fuzz run."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kafkawire.schema import MessageSpec
from wireproof.app.assembly.inputs.fork_classes import generator_of
from wireproof.app.assembly.prerequisites import open_generator
from wireproof.base.extras import install
from wireproof.definitions.fuzz.fuzz_run import MakeComparer
from wireproof.definitions.fuzz.schema_comparer import SchemaComparer
from wireproof.kafka.releases.jar_store import JarStore, generator_releases
from wireproof.kafka.releases.release_table import Release, ReleaseError
from wireproof.model.oracle import OracleError

if TYPE_CHECKING:
    from wireproof.kafka.oracle.generator.schema_generator import GeneratorVerdict


_MOST_TEXT: Final = 300
"""Characters of a cause that are printed."""
_PROPOSED: Final = {"headerVersions": "KIP-1313"}
"""Keys from proposals that the front end reads in every dialect."""


@dataclass(frozen=True, slots=True)
class GeneratorOpinion:
    """The opinion, or the reason why there is none.

    Attributes:
        lines: for the report.
        disagrees: the generator accepts what the front end refuses, or the other way round, and no known
            difference explains it.
    """

    lines: tuple[str, ...]
    disagrees: bool = False


def ask_generator(
    text: str, release: Release, store: JarStore, accepted: bool | None, spec: MessageSpec | None
) -> GeneratorOpinion:
    """Ask Kafka's generator about the text of a message file, and compare its opinion with ours.

    It is not an error if Java, jpype or a jar is missing: the opinion then has the reason.

    Args:
        release: selects the generator of its line, else the newest generator.
        accepted: True if the front end accepts the text; None if it stopped at a limit of its own.
        spec: the definition that the front end read; None if it refuses the text.
    """
    version = generator_of(release.version) or generator_releases()[0]
    name = f"Kafka's generator {version}"
    if find_spec("jpype") is None:
        return GeneratorOpinion((f"{name} is not asked: jpype1 is not installed ({install('oracle')})",))
    try:
        (verdict,) = open_generator(version, store).judge([text])
    except (ReleaseError, OracleError) as error:
        reason = ". ".join(filter(None, [error.message, error.advice]))
        return GeneratorOpinion((f"{name} is not asked: {reason}",))
    lines = [f"{name} {_words(verdict)}"]
    if accepted is None or verdict.accepted == accepted:
        return GeneratorOpinion(tuple(lines))
    unknown = next((key for key in _PROPOSED if f'Unrecognized field "{key}"' in verdict.cause), None)
    if spec is not None and unknown is not None:
        lines.append(
            f"wireproof accepts {unknown}, which this generator does not know ({_PROPOSED[unknown]})"
        )
        return GeneratorOpinion(tuple(lines))
    return GeneratorOpinion((*lines, *_disagreement(accepted)), disagrees=True)


def _words(verdict: "GeneratorVerdict") -> str:
    from wireproof.kafka.oracle.generator.schema_generator import GeneratorOutcome

    cause = " ".join(verdict.cause.split())
    cause = cause if len(cause) <= _MOST_TEXT else f"{cause[: _MOST_TEXT - 3]}..."
    match verdict.outcome:
        case GeneratorOutcome.ACCEPTED:
            return "accepts it"
        case GeneratorOutcome.REFUSED:
            return f"refuses it: {cause}"
        case GeneratorOutcome.NOT_COMPILED:
            return f"accepts it, and its Java does not compile: {cause}"


def _disagreement(accepted: bool) -> Iterator[str]:
    ours, theirs = ("accepts", "does not") if accepted else ("refuses", "does not")
    yield f"wireproof {ours} it, Kafka {theirs}. This is a fault of wireproof."
    yield "Please report it with the file: `wireproof doctor` prints the versions to name."


_NEWEST: Final = "newest"


def fuzz_release(text: str) -> str:
    """The patch release of the generator that a release, a line or ``newest`` means."""
    known = generator_releases()
    if text == _NEWEST:
        return known[0]
    for release in known:
        if text in (release, release.rpartition(".")[0]):
            return release
    raise ReleaseError(
        f"there is no generator of Kafka {text}: expected one of {', '.join(known)}",
        "Give one of them as --release.",
    )


def comparer_maker(
    release: str, store: JarStore | None, jars: Path | None = None, *, peak: bool
) -> MakeComparer:
    """The function that a worker calls to make its comparer.

    Args:
        store: where the generator's jars are fetched to; None to work without Java.
        jars: the user's folder of jars, which the store has too.
        peak: let Java optimise, for runs of minutes.
    """
    if store is None:
        return partial(SchemaComparer, release, None)
    store.generator_jars(release)  # fetched once, before the workers start
    store.support_jars()
    return partial(_with_java, release, store.cache_dir, jars, store.offline, peak)


def _with_java(release: str, cache_dir: Path, jars: Path | None, offline: bool, peak: bool) -> SchemaComparer:
    store = JarStore(cache_dir, jars_dir=jars, offline=offline)
    return SchemaComparer(release, open_generator(release, store, peak=peak))
