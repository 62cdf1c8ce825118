"""``wireproof ledger``."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import click

from wireproof.assembly.ledger_in_use import catalogue, open_ledger, read_current, read_text, write_text
from wireproof.cli.ledger.ledger_accept import accept_command
from wireproof.fatal import FatalError
from wireproof.ledger import (
    Entry,
    Evidence,
    Extent,
    Ledger,
    LedgerError,
    ReasonKind,
    check_alone,
    parse_words,
)
from wireproof.output import document, echo
from wireproof.report.findings import replay_command
from wireproof.run import ExitCode
from wireproof.testees import TESTEE_FILE, shipped_folder

__all__ = ["command"]

_file = click.option(
    "--ledger", "path", required=True, type=click.Path(dir_okay=False), metavar="FILE", help="The ledger."
)


@click.group("ledger")
def command() -> None:
    """The known deviations of a codec: what a run forgives, why, and until when.

    A ledger is a TOML file beside the codec. Each entry names one cause: a message, its versions and
    releases, a field, a check and the kind of difference; not single cases, so that it lives through new
    ones. An entry for all messages lists the places where it was observed, and explains no others.
    `wireproof run --ledger FILE` counts what an entry explains, and fails for everything else.

    It is held both ways. A run ends with 6 where a cause has passed, shows in fewer places than the entry
    says, fails in another way, stands there twice, is about nothing that exists, or is past its date; and
    prints the command that takes out what is wrong. No such command excuses a failure: that is what `accept`
    is for. An entry is held only against what the run has tried to its end.

    \b
    wireproof run --message MetadataRequest --events events.ndjson
    wireproof ledger accept --from events.ndjson --ledger ledger.toml --reason-kind bug --owner me
    wireproof run --message MetadataRequest --ledger ledger.toml
    """


command.add_command(accept_command)


@command.command("list")
@_file
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "tsv"]),
    default="text",
    show_default=True,
    help="tsv: id, message, versions, releases, field or type, check, kind, reason kind, owner, expires, "
    "case, part, and the places where it was observed with semicolons between them; no header.",
)
@click.option("--places", is_flag=True, help="With text: every place where an entry was observed.")
@click.option(
    "--testee",
    metavar="NAME",
    help="The codec that the replay lines name. Default: the testee in whose folder the ledger is, else "
    "our own.",
)
def list_command(path: str, form: str, testee: str | None, *, places: bool) -> int:
    """List the entries, each with a line that tries its case again."""
    name = _testee_of(path) if testee is None else testee
    for entry in open_ledger(path).entries:
        for line in [_row(entry)] if form == "tsv" else _lines(entry, name, places=places):
            echo(line)
    return 0


def _testee_of(path: str) -> str:
    """The word that names the testee in whose folder a ledger is; empty where it is in no such folder."""
    folder = Path(path).resolve().parent
    if not (folder / TESTEE_FILE).is_file():
        return ""
    return folder.name if folder == shipped_folder().resolve() / folder.name else str(folder)


def _row(entry: Entry) -> str:
    """The entry for programs."""
    place = entry.message, entry.versions, entry.releases, entry.field or entry.type
    words = entry.check, entry.kind, entry.reason_kind, entry.owner, entry.expires, entry.case
    row = entry.id, *place, *words, entry.part, "; ".join(entry.seen.words())
    return "\t".join(map(str, row))


def _lines(entry: Entry, testee: str, *, places: bool) -> Iterator[str]:
    """The entry for people."""
    where = " ".join(filter(None, (entry.message, entry.part, entry.field or entry.type)))
    yield f"{entry.id}: {where}, versions {entry.versions}, releases {entry.releases}"
    yield f"  {entry.check} {entry.kind}; {entry.reason_kind}: {entry.reason}"
    yield f"  {entry.owner}, until {entry.expires}{f', {entry.link}' if entry.link else ''}"
    if entry.any_message:
        yield (
            f"  observed in {entry.seen.summary()}" if entry.seen else "  observed nowhere: explains nothing"
        )
    if places:
        yield from (f"    {words}" for words in entry.seen.words())
    if entry.case:
        yield f"  {replay_command(entry.case, testee)}"


@command.command("check")
@_file
def check_command(path: str) -> int:
    """Check a ledger by itself: its form, doubled and stale entries and places, dates.

    Needs no jar, no Java, no network. Exit code 6 where something is wrong; each fault comes with the command
    that repairs it. Whether a cause still shows is for `wireproof run --ledger FILE` to say.
    """
    ledger = open_ledger(path)
    problems = check_alone(ledger, catalogue(), date.today())
    for problem in problems:
        echo(f"{problem.fault} {problem.entry}: {problem.message}", err=True)
        if problem.repair:
            echo(f"  type: {problem.repair}", err=True)
    wrong = sum(problem.fails for problem in problems)
    echo(f"{path}: entries: {len(ledger.entries)}, things wrong with them: {wrong}", err=True)
    return int(ExitCode.LEDGER if wrong else ExitCode.PROVEN)


@command.command("remove")
@_file
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
def remove_command(path: str, ids: tuple[str, ...]) -> int:
    """Take entries out, each with the comment right above it."""
    from wireproof.ledger.files.ledger_editing import removed

    before = read_text(path)
    text, resolved = read_current(path)
    for entry_id in ids:
        text = _edited(removed, text, resolved(entry_id))
    write_text(path, text, before)
    echo(f"{path}: removed {', '.join(ids)}", err=True)
    return 0


@command.command("narrow")
@_file
@click.argument("entry_id", metavar="ID")
@click.option(
    "--to",
    "extents",
    multiple=True,
    metavar="RELEASES/VERSIONS",
    help="Where it is to hold: all/1-3 or 2.8.2-3.9.2,4.4.0/1-3,7. Given again, a copy is made for each.",
)
@click.option(
    "--without",
    "places",
    multiple=True,
    metavar="'PART/MESSAGE VERSIONS: FIELDS'",
    help="Of an entry for all messages: places where it does not show, such as 'message/FetchRequest 4-7: "
    "topics[].topic'.",
)
def narrow_command(path: str, entry_id: str, extents: tuple[str, ...], places: tuple[str, ...]) -> int:
    """Take releases, versions or places out of an entry: it keeps those where its cause does show."""
    ledger = open_ledger(path)
    try:
        parsed = [Extent.parse(text) for text in extents]
        gone = Evidence.of(place for text in places for place in parse_words(text))
    except ValueError as error:
        raise FatalError(str(error), "", ExitCode.USAGE) from error
    if not (parsed or gone):
        raise FatalError(
            "nothing to take out", "Say --to RELEASES/VERSIONS or --without PLACE.", ExitCode.USAGE
        )
    entry = ledger.find(entry_id)
    if entry is None:
        raise _unknown(ledger, entry_id)
    write_text(path, _narrowed(read_current(path)[0], ledger, entry, parsed, gone))
    holds = [*map(str, parsed), *([(entry.seen - gone).summary()] if gone else [])]
    echo(f"{path}: {entry_id} holds for {' and '.join(holds)}", err=True)
    return 0


def _narrowed(text: str, ledger: Ledger, entry: Entry, extents: Sequence[Extent], gone: Evidence) -> str:
    from wireproof.ledger.files.ledger_editing import narrowed, with_evidence

    if gone:
        entry = replace(entry, seen=entry.seen - gone)
        if not entry.seen:
            raise FatalError(
                f"nothing would be left of {entry.id}", "`wireproof ledger remove`.", ExitCode.USAGE
            )
        text = with_evidence(text, entry.id, entry.seen)
    return narrowed(text, ledger, entry, extents) if extents else text


@command.command("amend")
@_file
@click.argument("entry_id", metavar="ID")
@click.option(
    "--reason-kind",
    type=click.Choice([str(kind) for kind in ReasonKind]),
    help="Why it is let be: a word.",
)
@click.option("--reason", metavar="TEXT", help="Why, in a sentence.")
@click.option("--link", metavar="URL", help="Where more is said.")
@click.option("--owner", metavar="NAME", help="Who looks after it.")
@click.option("--expires", metavar="DATE", help="Its last day, such as 2027-05-20.")
def amend_command(path: str, entry_id: str, **words: str | None) -> int:
    """Change why, by whom and until when an entry is let be; `accept` and `narrow` change its places."""
    from wireproof.ledger.files.ledger_editing import amended

    changes = {name.replace("_", "-"): word for name, word in words.items() if word is not None}
    if not changes:
        raise FatalError(
            "nothing to change", "`wireproof ledger amend --help` lists what can be.", ExitCode.USAGE
        )
    before = read_text(path)
    text, resolved = read_current(path)
    write_text(path, _edited(amended, text, resolved(entry_id), _with_days(changes)), before)
    echo(f"{path}: {entry_id} has another {' and '.join(changes)}", err=True)
    return 0


@command.command("migrate")
@_file
@click.option("--dry-run", is_flag=True, help="Print the ledger to standard output and write nothing.")
def migrate_command(path: str, *, dry_run: bool) -> int:
    """Bring a file of an older wireproof up to date: its form, and names of checks and kinds.

    Old names are understood anyway; ids that were made of one are made anew, and the old ones go on to name
    their entry. An entry for all messages without evidence of the places where it was observed (format 4 and
    older) explains nothing until `accept` has read the events of a run. A file of a newer wireproof is
    refused.
    """
    from wireproof.ledger.files.ledger_editing import migrated

    before = read_text(path)
    try:
        text, changes = migrated(before)
    except LedgerError as error:
        raise FatalError(str(error), "", ExitCode.LEDGER) from error
    if dry_run:
        document(text)
    elif changes:
        write_text(path, text, before)
    for words in changes:
        echo(words, err=True)
    echo(f"{path}: changes: {len(changes)}", err=True)
    return int(ExitCode.PROVEN)


def _with_days(changes: Mapping[str, str]) -> dict[str, Any]:
    try:
        return {
            name: date.fromisoformat(word) if name == "expires" else word for name, word in changes.items()
        }
    except ValueError as error:
        raise FatalError(f"{changes['expires']!r} is no day", "Write 2027-05-20.", ExitCode.USAGE) from error


def _edited(edit: Any, *words: Any) -> str:
    try:
        return str(edit(*words))
    except LedgerError as error:
        raise FatalError(str(error), "", ExitCode.USAGE) from error


def _unknown(ledger: Ledger, entry_id: str) -> FatalError:
    return FatalError(
        f"{ledger.source} has no entry {entry_id!r}", "`wireproof ledger list` shows them.", ExitCode.USAGE
    )
