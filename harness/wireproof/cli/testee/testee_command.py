"""``wireproof testee``: the codecs of other people, before they are proven."""

from collections.abc import Iterator
from pathlib import Path
from shlex import quote

import click

from kafkawire.primitives import PRIMITIVES
from wireproof.adapters.testee import TesteeAdapter
from wireproof.assembly.codec_under_test import CodecUnderTest, judge_hello, under_test
from wireproof.assembly.jar_store import open_store
from wireproof.assembly.prerequisites import need_libraries
from wireproof.assembly.run_inputs import snapshots, wanted_releases, with_primitives
from wireproof.assembly.worker_environment import NamingLayouts, open_testee
from wireproof.cli.options import release_option
from wireproof.cli.run_each import one_after_the_other
from wireproof.cli.testee.every_testee import chosen_words, print_list
from wireproof.cli.testee.surveys import Surveys, boundary_lines, limit_lines, some
from wireproof.fatal import FatalError
from wireproof.model import PRIMITIVES_MODULE, RECORDS_MODULE, Cell
from wireproof.output import echo
from wireproof.releases import table
from wireproof.run import ExitCode, Layouts, all_cells, header_layouts
from wireproof.testees import LANGUAGES, Hello, TesteeError, start_testee

__all__ = ["command"]


@click.group("testee")
def command() -> None:
    """Codecs of other people under test: which there are, how to start one, whether its adapter is sound.

    `wireproof run --testee NAME` proves one. docs/reference/testee-protocol.md says how to write one.
    """


@command.command("list")
@click.option("--format", "form", type=click.Choice(["text", "tsv"]), default="text", show_default=True)
def list_command(form: str) -> int:
    """The testees that come with wireproof, one a line.

    Name, version under test, language, variants, the number of known deviations in its ledger, and whether it
    is built in the cache (no, yes, slow: its build takes minutes). What one claims `wireproof testee check
    NAME` says, and `wireproof matrix` shows it of all.
    """
    print_list(open_store(None, offline=True).cache_dir, form)
    return int(ExitCode.PROVEN)


@command.command("run", context_settings={"ignore_unknown_options": True})
@click.argument("names", metavar="[NAME]... [OPTION]...", nargs=-1, type=click.UNPROCESSED)
@click.option("--all", "every", is_flag=True, help="All that come with wireproof, but those slow to build.")
def run_command(names: tuple[str, ...], every: bool) -> int:
    """The gates of several testees, one after the other: `wireproof run --testee NAME` for each.

    All options of `wireproof run` may follow the names; {testee} in them is the name. Whatever becomes of
    one, the next has its turn; the end says how each ended.

    \b
    wireproof testee run --all --events 'events-{testee}.ndjson'
    wireproof testee run python-kafka-python:compiled go-franz-go-kmsg --profile pr
    """
    from wireproof.cli.run.run_command import command as run

    first = next((index for index, word in enumerate(names) if word.startswith("-")), len(names))
    options = list(names[first:])

    def prove(word: str) -> int:
        filled = [option.replace("{testee}", word.replace("/", "-")) for option in options]
        return int(run.main(["--testee", word, *filled], "wireproof run", standalone_mode=False))

    return one_after_the_other(chosen_words(names[:first], every), prove)


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
        raise FatalError(error.message, error.advice, ExitCode.USAGE) from error
    for path in files:
        echo(str(path))
    word = quote(str(folder))
    echo("It works as it is. Type:", err=True)
    echo(f"  wireproof testee check {word}", err=True)
    echo(f"  wireproof run --testee {word}", err=True)
    echo(f"Then put your codec's calls into {files[1].name}, and type them again.", err=True)
    return int(ExitCode.PROVEN)


@command.command("check")
@click.argument("names", metavar="[NAME|FOLDER]...", nargs=-1)
@click.option("--all", "every", is_flag=True, help="All that come with wireproof, but those slow to build.")
@release_option
def check_command(names: tuple[str, ...], every: bool, releases: tuple[str, ...]) -> int:
    """Whether an adapter does what the protocol asks for, before its codec is blamed for anything.

    Builds and starts the testee, reads its claims, and asks every operation of every claimed cell about the
    default instance. Then it encodes and decodes the fullest instance of every claimed cell, and the boundary
    values of the newest version of each message. The report says what each limit leaves out, and what the
    library does with such values when it reads and writes them past the limit. It warns if an adapter answers
    from its own input. No Java is needed: what is right is not judged here, only what is sound. Exit code 1
    where the adapter has a fault.
    """

    def check(name: str) -> int:
        try:
            return _check(name, releases)
        except TesteeError as error:
            raise FatalError(error.message, error.advice, ExitCode.MISSING) from error

    return one_after_the_other(chosen_words(names, every), check)


def _check(name: str, releases: tuple[str, ...]) -> int:
    subject = under_test(name, open_store(None, offline=True).cache_dir, offline=False)
    assert subject.launch is not None
    assert subject.hello is not None
    chosen = wanted_releases(table(), releases, ())
    schemas = {name: with_primitives(each) for name, each in snapshots(chosen).items()}
    layouts = Layouts(schemas)
    cells = [cell for each in schemas.values() for cell in all_cells(each)]
    if any(cell.module == RECORDS_MODULE for cell in subject.claimed(cells)):
        need_libraries()
    headers = {key: layout for each in schemas.values() for key, layout in header_layouts(each).items()}
    testee = open_testee(subject.launch)
    surveys = Surveys()
    try:
        surveys.ask(TesteeAdapter(testee, headers, NamingLayouts()), layouts, subject.claimed(cells))
    finally:
        orderly = testee.stop()
    orderly &= surveys.orderly
    problems = judge_hello(subject.hello, cells)
    sound = orderly and not surveys.first.faults and not problems
    for line in _told(subject, subject.hello, cells, surveys, orderly=orderly):
        echo(line)
    for problem in problems:
        echo(f"the hello is at fault: {problem.fault} {problem.line}")
        echo(f"  {problem.advice}")
    echo(_verdict(sound=sound, warnings=len(surveys.inputs.warnings)))
    return int(ExitCode.PROVEN if sound else ExitCode.DIVERGENCE)


def _verdict(*, sound: bool, warnings: int) -> str:
    if not sound:
        return "The adapter is not sound."
    return "The adapter is sound." if not warnings else f"The adapter is sound; warnings: {warnings}."


def _told(
    subject: CodecUnderTest, hello: Hello, cells: list[Cell], surveys: Surveys, *, orderly: bool
) -> Iterator[str]:
    survey = surveys.first
    identity = hello.identity
    yield f"{identity}, {identity.language}{', ' + identity.runtime if identity.runtime else ''}"
    held = "; ".join(f"{name}: {words}" for name, words in subject.enforced.items())
    yield f"runs in {subject.where}" + (f", held to: {held}" if held else "")
    for name, words in hello.limits.items():
        yield f"limit {name}: {words}"
        yield from limit_lines(surveys.boundaries, name)
    known = {(cell.message, cell.version) for cell in cells if cell.module != PRIMITIVES_MODULE}
    claimed = {*hello.claims, *hello.embedded}
    yield f"claims {len(claimed & known)} of {len(known)} cells"
    beyond = sorted(claimed - known)
    if beyond:
        yield f"claims {len(beyond)} that the release does not have: {some([f'{m}/{v}' for m, v in beyond])}"
    if any(hello.primitives):
        yield f"claims {len(set(hello.primitives))} of {len(PRIMITIVES)} primitives"
    yield f"registry: {len(hello.registry)} APIs" if hello.registry else "registry: none"
    yield from _told_index(hello)
    for operation in sorted({operation for operation, _ in survey.answered}):
        counts = {what: count for (asked, what), count in survey.answered.items() if asked == operation}
        if counts:
            yield f"{operation}: " + ", ".join(f"{count} {what}" for what, count in sorted(counts.items()))
    yield from boundary_lines(surveys.boundaries)
    for words, ids in survey.failures.items():
        yield f"the codec fails at {some(ids)}: {words}"
    for words, ids in survey.faults.items():
        yield f"the adapter is at fault at {some(ids)}: {words}"
    for words, ids in surveys.inputs.warnings.items():
        yield f"warning: {words}, at {some(ids)}"
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
        yield f"not claimed: {count} of {some(list(each.messages))}: {each.reason}"
