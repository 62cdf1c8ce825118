"""``wireproof testee``: the codecs of other people, before they are proven."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote

import click

from kafkawire.compiler import compile_layout
from kafkawire.schema.layout import MessageLayout
from wireproof.cli.claims import judge_hello
from wireproof.cli.options import Fatal, release_option
from wireproof.cli.store import open_store
from wireproof.cli.under_test import Subject, under_test
from wireproof.cli.wiring import NamingLayouts, open_testee, snapshots, wanted_releases
from wireproof.model import (
    Cell,
    Crashed,
    Decode,
    Encode,
    Reencode,
    Refused,
    Reply,
    Request,
    Size,
    Unsupported,
)
from wireproof.releases import table
from wireproof.run import ExitCode, Layouts, all_cells, header_layouts
from wireproof.testees import (
    LANGUAGES,
    Hello,
    Operation,
    TesteeAdapter,
    TesteeError,
    shipped,
    shipped_folder,
    start_testee,
)
from wireproof.testees.manifest import read_manifest

__all__ = ["command"]

_ADAPTER_FAULTS = frozenset({"protocol", "value"})
"""Crashes that are the adapter's doing: an answer that the protocol does not allow, a value that is none."""
_LISTED = 12


@click.group("testee")
def command() -> None:
    """Codecs of other people under test: which there are, how to start one, whether its adapter is sound.

    `wireproof run --testee NAME` proves one. docs/testee-protocol.md says how to write one.
    """


@command.command("list")
def list_command() -> int:
    """The testees that come with wireproof: name, version under test, language, variants; one a line."""
    for name in shipped():
        manifest = read_manifest(shipped_folder() / name)
        variants = ",".join(manifest.variants)
        click.echo("\t".join([name, manifest.version, manifest.language, variants]).rstrip())
    return int(ExitCode.PROVEN)


@command.command("new")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--language", required=True, type=click.Choice(LANGUAGES), help="What the codec can be called from."
)
def new_command(folder: Path, language: str) -> int:
    """Start a testee: write FOLDER with a testee.toml and an adapter that works at once.

    It claims one small message, with a codec of its own that stands in for yours: put your codec's calls in
    place of it, and claim what it can do.
    """
    try:
        files = start_testee(folder, language)
    except TesteeError as error:
        raise Fatal(error.message, error.advice, ExitCode.USAGE) from error
    for path in files:
        click.echo(path)
    word = quote(str(folder))
    click.echo("It works as it is. Type:", err=True)
    click.echo(f"  wireproof testee check {word}", err=True)
    click.echo(f"  wireproof run --testee {word}", err=True)
    click.echo(f"Then put your codec's calls into {files[1].name}, and type them again.", err=True)
    return int(ExitCode.PROVEN)


@command.command("check")
@click.argument("name", metavar="NAME|FOLDER")
@release_option
def check_command(name: str, releases: tuple[str, ...]) -> int:
    """Whether an adapter does what the protocol asks for, before its codec is blamed for anything.

    Builds and starts the testee, reads its claims, asks every operation of every claimed cell about the
    default instance, and stops it. No Java is needed: what is right is not judged here, only what is sound.
    Exit code 1 where the adapter has a fault.
    """
    try:
        return _check(name, releases)
    except TesteeError as error:
        raise Fatal(error.message, error.advice, ExitCode.MISSING) from error


def _check(name: str, releases: tuple[str, ...]) -> int:
    subject = under_test(name, open_store(None, offline=True).cache_dir)
    assert subject.launch is not None
    assert subject.hello is not None
    chosen = wanted_releases(table(), releases, ())
    schemas = snapshots(chosen)
    layouts = Layouts(schemas)
    cells = [cell for each in schemas.values() for cell in all_cells(each)]
    headers = {key: layout for each in schemas.values() for key, layout in header_layouts(each).items()}
    testee = open_testee(subject.launch)
    survey = Survey()
    try:
        adapter = TesteeAdapter(testee, headers, NamingLayouts())
        for cell in subject.claimed(cells):
            survey.ask(adapter, cell, layouts.of(cell))
    finally:
        orderly = testee.stop()
    problems = judge_hello(subject.hello, cells)
    sound = orderly and not survey.faults and not problems
    for line in _told(subject, subject.hello, cells, survey, orderly=orderly):
        click.echo(line)
    for problem in problems:
        click.echo(f"the hello is at fault: {problem.fault} {problem.line}")
        click.echo(f"  {problem.advice}")
    click.echo("The adapter is sound." if sound else "The adapter is not sound.")
    return int(ExitCode.PROVEN if sound else ExitCode.DIVERGENCE)


@dataclass(slots=True)
class Survey:
    """What a testee answered to questions about default instances.

    Attributes:
        answered: by operation, how many were answered right, refused, or left out.
        faults: of the adapter, by their words, with the cells.
        failures: of the codec, likewise.
    """

    answered: Counter[tuple[Operation, str]] = field(default_factory=Counter)
    faults: dict[str, list[str]] = field(default_factory=dict)
    failures: dict[str, list[str]] = field(default_factory=dict)

    def ask(self, adapter: TesteeAdapter, cell: Cell, layout: MessageLayout) -> None:
        """Every claimed operation of one cell."""
        data = compile_layout(layout).encode({})
        questions: dict[Operation, Request] = {
            Operation.ENCODE: Encode({}),
            Operation.SIZE: Size({}),
            Operation.DECODE: Decode(data),
            Operation.REENCODE: Reencode(data),
        }
        asked = [operation for operation in questions if operation in adapter.claimed(cell)]
        replies = adapter.ask(cell, layout, [questions[operation] for operation in asked])
        for operation, reply in zip(asked, replies, strict=True):
            self._count(operation, cell, reply)

    def _count(self, operation: Operation, cell: Cell, reply: Reply) -> None:
        match reply:
            case Crashed(error, message):
                told = self.faults if error in _ADAPTER_FAULTS else self.failures
                told.setdefault(f"{operation}: {error}: {message[:200]}", []).append(cell.id)
                self.answered[operation, "failed"] += 1
            case Refused(error, message):
                self.failures.setdefault(f"{operation}: {error}: {message[:200]}", []).append(cell.id)
                self.answered[operation, "refused"] += 1
            case Unsupported(reason):
                self.answered[operation, f"left out by {reason}"] += 1
            case _:
                self.answered[operation, "answered"] += 1


def _told(
    subject: Subject, hello: Hello, cells: list[Cell], survey: Survey, *, orderly: bool
) -> Iterator[str]:
    identity = hello.identity
    yield f"{identity}, {identity.language}{', ' + identity.runtime if identity.runtime else ''}"
    held = "; ".join(f"{name}: {words}" for name, words in subject.enforced.items())
    yield f"runs in {subject.where}" + (f", held to: {held}" if held else "")
    for name, words in hello.limits.items():
        yield f"limit {name}: {words}"
    known = {(cell.message, cell.version) for cell in cells}
    claimed = set(hello.claims)
    yield f"claims {len(claimed & known)} of {len(known)} cells"
    beyond = sorted(claimed - known)
    if beyond:
        yield f"claims {len(beyond)} that the release does not have: {_some([f'{m}/{v}' for m, v in beyond])}"
    yield f"registry: {len(hello.registry)} APIs" if hello.registry else "registry: none"
    yield from _told_index(hello)
    for operation in Operation:
        counts = {what: count for (asked, what), count in survey.answered.items() if asked is operation}
        if counts:
            yield f"{operation}: " + ", ".join(f"{count} {what}" for what, count in sorted(counts.items()))
    for words, ids in survey.failures.items():
        yield f"the codec fails at {_some(ids)}: {words}"
    for words, ids in survey.faults.items():
        yield f"the adapter is at fault at {_some(ids)}: {words}"
    if not orderly:
        yield "the adapter is at fault: it does not answer `stop` and exit with 0"


def _told_index(hello: Hello) -> Iterator[str]:
    """How much the library has, and why some of it is not claimed."""
    if not hello.index:
        yield "index: none, so nobody knows what it has and does not claim"
        return
    yield f"index: {len(hello.repertoire.has)} (message, version)"
    for each in hello.unclaimed:
        count = sum(map(len, each.messages.values()))
        yield f"not claimed: {count} of {_some(list(each.messages))}: {each.reason}"


def _some(names: list[str]) -> str:
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more
