"""The releases of a run, with their schemas read, and all other inputs of a worker environment.

The result is plain data: it is sent to the process, or the machine, that makes the environment.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from kafkawire.schema import resolve
from kafkawire.schema.layout import MessageLayout
from kafkawire.schema.model import SchemaSet
from wireproof.app.assembly.inputs.bundled_schemas import snapshots, with_own_modules, with_primitives
from wireproof.app.assembly.inputs.fork_classes import fork_classes, fork_digests
from wireproof.base.exit_codes import ExitCode, FatalError, as_fatal
from wireproof.base.text.wording import first_lines
from wireproof.base.version import own_version
from wireproof.kafka.releases.jar_store import JarStore
from wireproof.kafka.releases.release_schemas import count_differences, load_schemas
from wireproof.kafka.releases.release_table import Release, ReleaseError, ReleaseTable, table
from wireproof.kafka.releases.snapshots import forked, headers_of, lay_over, load_snapshot, with_headers
from wireproof.model.cell import Cell, full_pattern, release_in
from wireproof.model.kafka.releases import base_of, fork_name_of, release_number
from wireproof.proof.config.selection import SchemaSource
from wireproof.proof.run.core.environment import Layouts, all_cells
from wireproof.proof.run.core.plan import RunOptions
from wireproof.proof.run.core.run_events import ForkHeader, RunHeader
from wireproof.proof.testees.build.launch import Launch
from wireproof.proof.testees.description.hello import Hello
from wireproof.proof.testees.testee_errors import TesteeError
from wireproof.traffic.corpus.corpus_folder import EntrySource

OWN_NAME = "kafkawire"
"""The name of our own codec beside others."""

RECORDS_SUBJECT = "kafkawire[records]"
"""Our codec of record sets, which has one implementation."""


@dataclass(frozen=True, slots=True)
class ReleaseParts:
    """One release as a worker needs it; plain data, so that it can be pickled.

    Attributes:
        jars: module name to jar, in the order in which Java searches them; those of a fork first.
        fork_classes: the origin of a fork's classes, in words; empty for Kafka's own release.
    """

    release: Release
    schemas: SchemaSet
    jars: Mapping[str, Path]
    extras: Mapping[str, Path]
    fork_classes: str = ""

    @property
    def fork_header(self) -> ForkHeader | None:
        """The facts about a fork for the header of a run; None for Kafka's own release."""
        fork = self.release.fork
        if fork is None:
            return None
        folder, messages = str(fork.folder), fork.messages
        version = self.release.version
        return ForkHeader(version, folder, fork.sha256, messages, fork.changed, self.fork_classes)


@dataclass(frozen=True, slots=True)
class RunInputs:
    """All that a worker environment is made of; plain data.

    Attributes:
        support: the jars on the class loader that all releases share.
        implementations: the forms of our own codec under test (`prerequisites`).
        testee: the codec under test in place of our own; None for our own.
        corpus: the entries that the corpus phase tries.
        java: whether Kafka's classes are asked at all.
        beside: codecs that are compared with the first implementation of ours, by name.
        helper: the jar of the oracle's own classes; None if it is found beside the code.
    """

    parts: tuple[ReleaseParts, ...]
    support: tuple[Path, ...]
    cache_dir: Path
    offline: bool
    implementations: tuple[str, ...]
    testee: Launch | None = None
    corpus: EntrySource | None = None
    java: bool = True
    beside: tuple[tuple[str, Launch], ...] = ()
    helper: Path | None = None

    @property
    def layouts(self) -> Layouts:
        return Layouts({part.release.version: part.schemas for part in self.parts})

    @property
    def every_cell(self) -> list[Cell]:
        """The cells of all releases, claimed or not."""
        return [cell for part in self.parts for cell in all_cells(part.schemas)]

    @property
    def files(self) -> list[Path]:
        """The files of this machine that a worker environment on another one needs."""
        own = [] if self.helper is None else [self.helper]
        jars = (jar for part in self.parts for jar in (*part.jars.values(), *part.extras.values()))
        return list(dict.fromkeys([*own, *self.support, *jars]))

    def found(self, find: Callable[[Path], Path]) -> "RunInputs":
        """Return the inputs with the path of each of these files on another machine."""
        parts = tuple(
            replace(
                part,
                jars={name: find(jar) for name, jar in part.jars.items()},
                extras={name: find(jar) for name, jar in part.extras.items()},
            )
            for part in self.parts
        )
        helper = None if self.helper is None else find(self.helper)
        return replace(self, parts=parts, support=tuple(map(find, self.support)), helper=helper)

    @property
    def fork_headers(self) -> tuple[ForkHeader, ...]:
        return tuple(header for part in self.parts if (header := part.fork_header) is not None)

    @property
    def jar_digests(self) -> dict[str, str]:
        """File name to SHA-256 of the jars with messages, and of the definitions of forks."""
        digests = {jar.file_name: jar.sha256 for part in self.parts for jar in part.release.jars}
        for part in self.parts:
            digests |= fork_digests(part.release, part.jars)
        return digests

    @property
    def subjects(self) -> tuple[str, ...]:
        if self.beside:
            return (OWN_NAME, *(name for name, _ in self.beside))
        if self.testee is not None:
            return (self.testee.name,)
        return (*(f"kafkawire[{name}]" for name in self.implementations), RECORDS_SUBJECT)

    def header(self, options: RunOptions, cells: int, **more: Any) -> RunHeader:
        """Return the first event of a run with this number of cells."""
        return RunHeader(
            version=own_version(),
            command=tuple(sys.argv),
            seed=options.seed,
            releases=tuple(part.release.version for part in self.parts),
            subjects=self.subjects,
            phases=options.phases,
            cells=cells,
            forks=self.fork_headers,
            **{"jars": self.jar_digests, "retired": {}, **more},
        )


class MisreadError(FatalError):
    """Our schema reader reads the schemas of a release differently from Kafka."""

    exit_code = ExitCode.DIVERGENCE


def wanted_releases(
    table: ReleaseTable, words: Sequence[str], patterns: Sequence[str], source: SchemaSource | None = None
) -> list[Release]:
    """Choose releases: those named (all of them for ``all``), else those that the cell patterns begin with,
    else the newest.

    Args:
        source: the definitions of a fork, which replaces each release. A word names the fork, such as
            ``4.4.0+acme``, or the release.
    """
    heads = [release_in(full_pattern(pattern)) for pattern in patterns]
    named = [*words] or [head for head in heads if "*" not in head]
    with as_fatal(ReleaseError):
        if source is None:
            return list(dict.fromkeys(one for word in named or ["newest"] for one in table.choose(word)))
        chosen = dict.fromkeys(one for word in named or ["newest"] for one in table.choose(base_of(word)))
        forks = [forked(release, source.folder, source.jars) for release in chosen]
    names = {fork_name_of(each.version) for each in forks}
    for word in named:
        if base_of(word) != word and fork_name_of(word) not in names:
            raise FatalError(
                f"{source.folder} has no {word}: it has {', '.join(each.version for each in forks)}",
                "The part after the plus is the folder's name.",
            )
    return forks


def find_release(word: str, source: SchemaSource | None = None) -> Release:
    """The one release, or the fork of it, that a word means."""
    found = wanted_releases(table(), [word], (), source)
    if len(found) != 1:
        raise FatalError(f"{word} is {len(found)} releases", "Name one: 4.4, or 4.4.0.")
    return found[0]


def prepare(releases: Sequence[Release], store: JarStore, implementations: Sequence[str]) -> RunInputs:
    """Fetch the missing jars and read the schemas out of them."""
    parts = []
    for release in releases:
        jars = store.release_jars(release)
        schemas, words = _read(release.original, tuple(jars.items())), ""
        if release.fork is not None:
            schemas = lay_over(release.fork, release.version, schemas)
            classes = fork_classes(release, jars, store)
            jars, words = {**classes.jars, **jars}, classes.words
        schemas = with_own_modules(release, schemas)
        parts.append(ReleaseParts(release, schemas, jars, store.extra_jars(release), words))
    support = tuple(store.support_jars())
    return RunInputs(tuple(parts), support, store.cache_dir, store.offline, tuple(implementations))


def prepare_without_java(
    releases: Sequence[Release], store: JarStore, implementations: Sequence[str], corpus: EntrySource
) -> RunInputs:
    """Return the inputs of a run against a corpus: the project's schema snapshots, without a jar."""
    schemas = snapshots(releases)
    parts = [ReleaseParts(release, schemas[release.version], {}, {}) for release in releases]
    return RunInputs(
        tuple(parts), (), store.cache_dir, store.offline, tuple(implementations), corpus=corpus, java=False
    )


def with_primitives_of(prepared: RunInputs, *hellos: Hello | None) -> RunInputs:
    """Return the inputs with the cells of single primitives, if a testee claims any of them."""
    if not prepared.java or not any(hello is not None and any(hello.primitives) for hello in hellos):
        return prepared
    parts = tuple(replace(part, schemas=with_primitives(part.schemas)) for part in prepared.parts)
    return replace(prepared, parts=parts)


@lru_cache(maxsize=4)
def _read(release: Release, jars: tuple[tuple[str, Path], ...]) -> SchemaSet:
    """The schemas of the jars, compared with independent counts in the release table.

    Kafka generates its classes from these files, so a file that we cannot read is our mistake. The store has
    checked the digests of the jars, so a process that plans several runs reads the jars only once.
    """
    try:
        schemas = load_schemas(release, dict(jars))
        differences = count_differences(release, schemas)
        if not differences:
            return with_headers(schemas, headers_of(load_snapshot(release)))
    except ReleaseError as error:
        differences = error.message.splitlines()
    raise MisreadError("\n".join(first_lines(differences, _LISTED)), _MISREAD)


_LISTED = 20
_MISREAD = "Kafka's generator reads these files differently: look at kafkawire.schema."


class NamingLayouts:
    """The layouts of the releases whose names a testee uses, from the project's own snapshots."""

    def __init__(self) -> None:
        self._schemas: dict[str, SchemaSet] = {}

    def __call__(self, release: str, message: str, version: int) -> MessageLayout | None:
        """Return a layout; None if the release lacks it. `TesteeError` if the table lacks the release."""
        if release not in self._schemas:
            try:
                (found,) = table().choose(release)
            except (ReleaseError, ValueError) as error:
                words = f"a testee takes its names from {release!r}, which is not a release of Kafka"
                raise TesteeError(words) from error
            self._schemas[release] = load_snapshot(found)
        try:
            _, spec = self._schemas[release].find(message)
        except KeyError:
            return None
        return resolve(spec, version) if version in spec.valid_versions else None


class OtherReleases:
    """Finds a cell in the releases outside the run, because a codec may be right for one of them.

    It reads nothing before the first question, so that a run without failures loses no time.
    """

    def __init__(self, used: Sequence[Release]) -> None:
        self._used = {release.version for release in used}
        self._layouts = NamingLayouts()

    def __call__(self, cell: Cell) -> Iterator[tuple[str, MessageLayout]]:
        """Yield each release that has the cell, with its layout, the nearest release first."""
        for release in sorted(table(), key=lambda each: _distance(each.version, cell.release)):
            if release.version in self._used:
                continue
            layout = self._layouts(release.version, cell.message, cell.version)
            if layout is not None:
                yield release.version, layout


def _distance(release: str, other: str) -> tuple[int, ...]:
    """Return the distance of two releases; of two at the same distance, the newer comes first."""
    one, two = release_number(release), release_number(other)
    return (*(abs(a - b) for a, b in zip(one, two, strict=True)), *(-part for part in one))
