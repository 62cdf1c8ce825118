"""``wireproof testee``: the codecs of other people."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from shlex import quote
from typing import Final

import click

from kafkawire.primitives import PRIMITIVES
from kafkawire.schema import MessageSpec
from wireproof.app.assembly.adapter_check.survey import KnownValues
from wireproof.app.assembly.adapter_check.surveys import (
    Surveys,
    boundary_lines,
    known_lines,
    limit_lines,
    some,
)
from wireproof.app.assembly.codec_under_test import LEDGER, CodecUnderTest, judge_hello, under_test
from wireproof.app.assembly.inputs.bundled_schemas import snapshots, with_primitives
from wireproof.app.assembly.inputs.run_inputs import NamingLayouts, wanted_releases
from wireproof.app.assembly.ledger_in_use import open_ledger
from wireproof.app.assembly.prerequisites import need_libraries, open_store
from wireproof.app.assembly.worker_environment import open_testee
from wireproof.app.cli.options import CommandGroup, Decorator, format_option, one_after_the_other, run_option
from wireproof.base.exit_codes import ExitCode, FatalError, as_fatal
from wireproof.base.text.wording import did_you_mean, echo, echo_lines, echo_wrapped
from wireproof.base.version import page_url
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.model.cell import PRIMITIVES_MODULE, RECORDS_MODULE, Cell
from wireproof.model.repertoire import BOTH_DIRECTIONS, CodecDirection
from wireproof.proof.adapters.testee.testee_adapter import TesteeAdapter
from wireproof.proof.checks.fault_attribution import is_codecs_result
from wireproof.proof.config.selection import SchemaSource
from wireproof.proof.run.core.environment import Layouts, all_cells, header_layouts
from wireproof.proof.testees.build.scaffold import LANGUAGES, start_testee
from wireproof.proof.testees.build.testee_build import is_built
from wireproof.proof.testees.description.hello import Hello
from wireproof.proof.testees.description.manifest import Manifest, every_shipped_word, shipped_manifests
from wireproof.proof.testees.testee_errors import TesteeError
from wireproof.verdict.ledger.ledger import Ledger
from wireproof.verdict.report.lines.totals_lines import limit_words


def chosen_words(names: Sequence[str], every: bool) -> list[str]:
    """The testees of a command; `click.UsageError` if neither names nor --all are given, or both."""
    if bool(names) == every:
        raise click.UsageError("name testees, or give --all")
    return list(names) or list(every_shipped_word())


_HEAD: Final = ("name", "version", "language", "variants", "known deviations", "built")


def print_list(cache_dir: Path, form: str) -> None:
    rows = [_listed(manifest, cache_dir) for manifest in shipped_manifests()]
    if form == "tsv":
        for row in rows:
            echo("\t".join(row))
        return
    widths = [max(map(len, column)) for column in zip(_HEAD, *rows, strict=True)]
    for row in (_HEAD, *rows):
        echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _listed(manifest: Manifest, cache_dir: Path) -> tuple[str, ...]:
    """The texts of a line, below `_HEAD`."""
    built = "yes" if is_built(manifest, cache_dir) else "slow" if manifest.slow else "no"
    return (
        manifest.name,
        manifest.version,
        manifest.language,
        ",".join(manifest.variants) or "-",
        str(_known(manifest.folder / LEDGER)),
        built,
    )


def _known(ledger: Path) -> int:
    """The number of reasons that a ledger has for its causes and entries; 0 without a ledger."""
    if not ledger.is_file():
        return 0
    known = open_ledger(str(ledger))
    return len({cause.reason for cause in known.causes} | {entry.reason for entry in known.entries})


_every_option: Decorator = click.option(
    "--all",
    "every",
    is_flag=True,
    help="Take all that come with wireproof, except those that are slow to build.",
)


@click.group(
    "testee",
    cls=CommandGroup,
    help=f"""Manage codecs under test: list them, start one, check adapters, run several.

    `wireproof run --testee NAME` proves one. A page explains how to write one.

    \b
    The testee protocol: {page_url("reference/testee-protocol.md")}
    """,
)
def command() -> None:
    """The group of these commands."""


@command.command(
    "list",
    exit_codes={
        ExitCode.PROVEN: "The list is complete.",
        ExitCode.LEDGER: "The ledger of a testee cannot be read.",
    },
)
@format_option("tsv", details="tsv: the same columns, no header.")
def list_command(form: str) -> int:
    """List the testees that come with wireproof, one per line.

    The columns are: name, version under test, language, variants, number of known deviations (the reasons in
    the ledger), and built: yes, no, or slow if a build takes minutes. `wireproof testee check NAME` lists the
    claims of a testee, `wireproof matrix` those of all.
    """
    print_list(open_store(None, offline=True).cache_dir, form)
    return int(ExitCode.PROVEN)


@command.command(
    "run",
    context_settings={"ignore_unknown_options": True},
    exit_codes={
        **dict.fromkeys(ExitCode, ""),
        ExitCode.PROVEN: "Every testee agrees with Kafka, or its ledger explains the differences.",
    },
)
@click.argument("names", metavar="[NAME]... [OPTION]...", nargs=-1, type=click.UNPROCESSED)
@_every_option
def run_command(names: tuple[str, ...], every: bool) -> int:
    """Prove several testees, one after the other: `wireproof run --testee NAME` for each.

    All options of `wireproof run` may follow the names. {testee} in them is replaced by the name. A failure
    does not stop the others. The exit code of each is listed at the end; the command returns the one that
    takes precedence.

    \b
    wireproof testee run --all --events 'events-{testee}.ndjson'
    wireproof testee run python-kafka-python:compiled go-franz-go-kmsg --profile pr
    """
    from wireproof.app.cli.run.run_command import command as run

    first = next((index for index, word in enumerate(names) if word.startswith("-")), len(names))
    options = list(names[first:])

    def prove(word: str) -> int:
        filled = [option.replace("{testee}", word.replace("/", "-")) for option in options]
        return int(run.main(["--testee", word, *filled], "wireproof run", standalone_mode=False))

    return one_after_the_other(chosen_words(names[:first], every), prove)


@command.command("new", exit_codes={ExitCode.PROVEN: "The files are written."})
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--language", required=True, type=click.Choice(LANGUAGES), help="Write the adapter in this language."
)
@click.option(
    "--message",
    metavar="NAME",
    help="Generate the adapter and its example codec for this message, in each version of the newest "
    "release: with arrays, structs that may be null, tags.",
)
@click.option(
    "--only",
    type=click.Choice([str(each) for each in CodecDirection]),
    help="Claim only this direction of --message. A broker decodes requests and encodes responses.",
)
def new_command(folder: Path, language: str, message: str | None, only: str | None) -> int:
    """Start a testee: write FOLDER with a testee.toml and an adapter that works at once.

    The adapter claims one small message, or that of --message, and contains an example codec for it. Replace
    the example by calls of your codec, and claim the messages that it supports.

    \b
    wireproof testee new ./my-codec --language python
    wireproof testee new ./my-broker --language go --message MetadataResponse --only encode
    """
    directions = BOTH_DIRECTIONS if only is None else frozenset({CodecDirection(only)})
    with as_fatal(TesteeError):
        files = start_testee(folder, language, _message(message, only), directions)
    echo_lines(files)
    word = quote(str(folder))
    echo("It works as it is. Type:", err=True)
    echo(f"  wireproof testee check {word}", err=True)
    echo(f"  wireproof run --testee {word}", err=True)
    echo(f"Then put your codec's calls into {files[1].name}, and type them again.", err=True)
    return int(ExitCode.PROVEN)


def _message(name: str | None, only: str | None) -> MessageSpec | None:
    """Return the definition of a message in the newest release; None if none is named."""
    if name is None:
        if only is not None:
            raise FatalError("--only has no effect without --message", "Add --message NAME.")
        return None
    (release,) = table().choose("newest")
    found = {spec.name: spec for _, spec in load_snapshot(release) if not spec.retired}
    if name not in found:
        advice = did_you_mean(name, sorted(found)) or "`wireproof cells` lists the messages."
        raise FatalError(f"Kafka {release.version} has no message {name}", advice)
    return found[name]


@command.command(
    "check",
    exit_codes={
        ExitCode.PROVEN: "The adapter is sound.",
        ExitCode.DIVERGENCE: "The adapter has a fault, or a plain value is altered.",
        ExitCode.MISSING: "The testee cannot be built or started, or a package is missing.",
    },
)
@click.argument("names", metavar="[NAME|FOLDER]...", nargs=-1)
@_every_option
@run_option("release")
@run_option("schemas")
def check_command(names: tuple[str, ...], every: bool, release: tuple[str, ...], schemas: Path | None) -> int:
    """Check that an adapter follows the testee protocol.

    The command builds and starts the testee and reads its claims. It asks for every claimed operation on the
    default instance of every claimed cell. Then the testee encodes and decodes the fullest instance of every
    claimed cell, and the boundary values of the newest version of each message. The report has the values
    that each limit excludes, and the results of the library when it reads and writes such values in spite of
    the limit. The command warns if an adapter answers from its own input.

    Plain values of every claimed cell have to be read from known bytes and written as these, or the ledger in
    the testee's folder has to explain the difference. It does not need Java: it checks the adapter, not the
    codec.
    """

    def check(name: str) -> int:
        return _check(name, release, SchemaSource.of(schemas))

    return one_after_the_other(chosen_words(names, every), check)


def _check(name: str, releases: tuple[str, ...], source: SchemaSource | None) -> int:
    subject = under_test(name, open_store(None, offline=True).cache_dir, offline=False)
    assert subject.launch is not None
    assert subject.hello is not None
    chosen = wanted_releases(table(), releases, (), source)
    schemas = {name: with_primitives(each) for name, each in snapshots(chosen).items()}
    layouts = Layouts(schemas)
    cells = [cell for each in schemas.values() for cell in all_cells(each)]
    if any(cell.module == RECORDS_MODULE for cell in subject.claimed(cells)):
        need_libraries()
    headers = {key: layout for each in schemas.values() for key, layout in header_layouts(each).items()}
    testee = open_testee(subject.launch)
    ledger = open_ledger(subject.ledger) if subject.ledger else Ledger(())
    surveys = Surveys(known=KnownValues(ledger))
    try:
        surveys.ask(TesteeAdapter(testee, headers, NamingLayouts()), layouts, subject.claimed(cells))
    finally:
        orderly = testee.stop()
    orderly &= surveys.orderly
    problems = judge_hello(subject.hello, cells)
    sound = orderly and not surveys.first.faults and not problems and not surveys.known.altered
    for line in _report_lines(subject, subject.hello, cells, surveys, orderly=orderly):
        echo_wrapped(line)
    for problem in problems:
        echo(f"the hello is at fault: {problem.fault} {problem.line}")
        echo(f"  {problem.advice}")
    echo(_verdict(sound=sound, warnings=len(surveys.inputs.warnings)))
    return int(ExitCode.PROVEN if sound else ExitCode.DIVERGENCE)


def _verdict(*, sound: bool, warnings: int) -> str:
    if not sound:
        return "The adapter is not sound."
    return "The adapter is sound." if not warnings else f"The adapter is sound; warnings: {warnings}."


def _report_lines(
    subject: CodecUnderTest, hello: Hello, cells: list[Cell], surveys: Surveys, *, orderly: bool
) -> Iterator[str]:
    survey = surveys.first
    identity = hello.identity
    yield f"{identity}, {identity.language}{', ' + identity.runtime if identity.runtime else ''}"
    held = "; ".join(f"{name}: {limit_words(name, words)}" for name, words in subject.enforced.items())
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
    yield _refusal_line(hello)
    yield f"registry: {len(hello.registry)} APIs" if hello.registry else "registry: none"
    yield from _index_lines(hello)
    for operation in sorted({operation for operation, _ in survey.answered}):
        counts = {what: count for (asked, what), count in survey.answered.items() if asked == operation}
        if counts:
            yield f"{operation}: " + ", ".join(f"{count} {what}" for what, count in sorted(counts.items()))
    yield from boundary_lines(surveys.boundaries)
    yield from known_lines(surveys.known)
    for words, ids in survey.failures.items():
        yield f"the codec fails at {some(ids)}: {words}"
    for words, ids in survey.faults.items():
        owner = "the adapter or the codec" if is_codecs_result(words) else "the adapter"
        yield f"{owner} is at fault at {some(ids)}: {words}"
    for words, ids in surveys.inputs.warnings.items():
        yield f"warning: {words}, at {some(ids)}"
    if not orderly:
        yield "the adapter is at fault: it does not answer `stop` and exit with 0"


def _refusal_line(hello: Hello) -> str:
    """Return the line about values that a version cannot hold: whether the hello promises to refuse them."""
    if hello.refuses:
        return "refusals: it promises to refuse values that a version cannot hold"
    return (
        "refusals: not stated, so a run counts values that a version cannot hold and the codec writes, and "
        "fails none; set `refuses` in the hello if the codec checks its values"
    )


def _index_lines(hello: Hello) -> Iterator[str]:
    """The size of the library, and the reasons for the messages that are not claimed."""
    if not hello.index:
        yield "index: none, so the messages that it has and does not claim are unknown"
        return
    yield f"index: {len(hello.repertoire.has)} (message, version)"
    for each in hello.unclaimed:
        count = sum(map(len, each.messages.values()))
        yield f"not claimed: {count} of {some(list(each.messages))}: {each.reason}"
