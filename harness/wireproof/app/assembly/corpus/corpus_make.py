"""``wireproof corpus make``: a corpus of all cells and classes of values, made by Kafka, for runs without
Java."""

import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import Any

from wireproof.app.assembly.inputs.fork_classes import fork_digests
from wireproof.app.assembly.inputs.run_inputs import ReleaseParts, RunInputs
from wireproof.app.assembly.worker_environment import environment_maker
from wireproof.base.exit_codes import ExitCode, FatalError
from wireproof.base.grouping import grouped
from wireproof.base.text.wording import counted, echo
from wireproof.base.version import own_version
from wireproof.kafka.releases.release_table import Release
from wireproof.model.cell import EMBEDDED_MODULE, Cell
from wireproof.model.oracle import CannotWorkError
from wireproof.proof.config.command_configs import CorpusConfig
from wireproof.proof.run.core.environment import MakeEnvironment, WorkerEnvironment
from wireproof.proof.run.corpus_entries.entry_generation import Made, UnsoundError, make_entries
from wireproof.traffic.corpus.corpus_entry import Entry
from wireproof.traffic.corpus.corpus_file import CorpusFile, CorpusHead, CorpusKind, corpus_file_text, head_of
from wireproof.traffic.corpus.corpus_folder import NewCorpusFolder
from wireproof.verdict.ledger.spans import Versions

_CLIENTS = "clients"
_STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_EVERY_S = 5.0
"""Seconds between two lines of progress."""


def make_set(prepared: RunInputs, cells: Sequence[Cell], config: CorpusConfig) -> str:
    """Write the corpus, completely or not at all; return a summary.

    Entries of kinds that are not written are made, too, because they contain facts about their cells.
    """
    output, kinds = config.output, config.kind or tuple(CorpusKind)
    groups = grouped(((cell.module, cell.message), cell) for cell in cells)
    messages = list(groups.values())  # one process makes the entries of a message
    (release,) = prepared.parts
    count = _Count(len(messages))
    try:
        made = _made(
            environment_maker(prepared), messages, config.largest_bytes, min(config.jobs, len(messages))
        )
        parts = (
            part
            for message, each in made
            for part in count.passed(_files(release, message, each))
            if part.head.kind in kinds
        )
        if output == "-":
            for part in parts:
                count.written(sys.stdout.write(corpus_file_text(part)), part)
            sys.stdout.flush()
        else:
            with NewCorpusFolder(Path(output)) as new:
                for part in parts:
                    count.written(new.write(part), part)
    except FileExistsError as error:
        raise FatalError(str(error), "Name another folder, or remove that one.") from error
    except OSError as error:
        raise FatalError(f"cannot write {output}: {error.strerror}") from error
    except (CannotWorkError, UnsoundError, BrokenProcessPool) as error:
        raise FatalError(
            f"cannot make the corpus: {error}", "Nothing was written.", ExitCode.BROKEN
        ) from error
    return count.words()


def _made(
    make: MakeEnvironment, messages: Sequence[Sequence[Cell]], largest_bytes: int, jobs: int
) -> Iterator[tuple[Sequence[Cell], list[Made]]]:
    """The entries of each message, in order. Several processes make them, each with its own JVM."""
    with ProcessPoolExecutor(jobs, get_context("spawn"), _begin, (make, largest_bytes)) as pool:
        # The parent handles Ctrl-C. Its children ignore it from their start: they inherit the handlers.
        handlers = {each: signal.signal(each, signal.SIG_IGN) for each in _STOPS}
        try:
            made = pool.map(_make, messages)
        finally:
            for each, handler in handlers.items():
                signal.signal(each, handler)
        try:
            yield from zip(messages, made, strict=True)
        except BaseException:
            for process in active_children():  # without waiting: their JVMs are busy
                process.kill()
            raise


_held: dict[str, Any] = {}
"""The state of one worker process."""


def _begin(make: MakeEnvironment, largest_bytes: int) -> None:
    _held.update(make=make, largest_bytes=largest_bytes)


def _make(cells: Sequence[Cell]) -> list[Made]:
    if "environment" not in _held:
        _held["environment"] = _held["make"]()
    environment: WorkerEnvironment = _held["environment"]
    return [make_entries(environment, cell, _held["largest_bytes"]) for cell in cells]


def _files(part: ReleaseParts, cells: Sequence[Cell], made: Sequence[Made]) -> Iterator[CorpusFile]:
    """Yield the files of a message, each with its head.

    A head has the digests of the module's jars; for a fork, also of the fork's jars and definitions.
    """
    module = cells[0].module
    like = CorpusHead(
        CorpusKind.GOLDEN,
        part.release.version,
        module,
        cells[0].message,
        f"wireproof {own_version()}",
        {**jars_of(part.release, module), **fork_digests(part.release, part.jars)},
        _uncovered(cells, made),
    )
    golden: list[Entry] = [entry for each in made for entry in each.golden]
    malformed: list[Entry] = [entry for each in made for entry in each.malformed]
    for kind, entries in ((CorpusKind.GOLDEN, golden), (CorpusKind.MALFORMED, malformed)):
        if entries:
            yield CorpusFile(head_of(kind, like, entries), tuple(entries))


def jars_of(release: Release, module: str) -> Mapping[str, str]:
    """The jars with the classes of a module, by file name, with their SHA-256."""
    jars = [each.jar for each in release.modules if each.name in (module, _CLIENTS)]
    if module == EMBEDDED_MODULE:
        jars += [extra.jar for extra in release.extras]
    return {jar.file_name: jar.sha256 for jar in jars}


def _uncovered(cells: Sequence[Cell], made: Sequence[Made]) -> dict[str, dict[str, str]]:
    """The classes that no entry meets, with their versions, by reason."""
    found: dict[str, dict[str, list[int]]] = {}
    for cell, each in zip(cells, made, strict=True):
        for reason, names in each.uncovered.items():
            for name in names:
                found.setdefault(reason, {}).setdefault(name, []).append(cell.version)
    return {
        reason: {name: str(Versions.of(versions)) for name, versions in names.items()}
        for reason, names in found.items()
    }


class _Count:
    """Counts the written entries, and reports progress on standard error."""

    def __init__(self, messages: int) -> None:
        self._messages = messages
        self._done = 0
        self._entries: dict[str, int] = {}
        self._cells: set[str] = set()
        self._files = self._bytes = 0
        self._started = self._reported = time.monotonic()

    def passed(self, parts: Iterator[CorpusFile]) -> Iterator[CorpusFile]:
        """Pass on the files of one more message."""
        yield from parts
        self._done += 1
        now = time.monotonic()
        if now - self._reported >= _EVERY_S:
            self._reported = now
            echo(f"{self._done}/{counted(self._messages, 'message')}, {self._sum()}", err=True)

    def written(self, size_bytes: int, part: CorpusFile) -> None:
        self._files += 1
        self._bytes += size_bytes
        kind = str(part.head.kind)
        self._entries[kind] = self._entries.get(kind, 0) + len(part.entries)
        self._cells.update(entry.cell for entry in part.entries)

    def words(self) -> str:
        """Return the summary as a sentence."""
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in self._entries.items())
        seconds = time.monotonic() - self._started
        return f"{self._sum()} ({kinds}), {counted(self._files, 'file')}, {seconds:.1f} s"

    def _sum(self) -> str:
        count = sum(self._entries.values())
        return f"{counted(count, 'entry', 'entries')} of {len(self._cells)} cells, {self._bytes / 1e6:.1f} MB"
