"""``wireproof ledger``."""

import os
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any, Final

import click

from wireproof.app.assembly.ledger_in_use import catalogue, ledger_text, open_ledger, read_current, write_text
from wireproof.app.cli.ledger.ledger_accept import accept_command, ledger_option, parse_day
from wireproof.app.cli.ledger.ledger_fix import bound_command, fix_command
from wireproof.app.cli.options import CommandGroup, format_option
from wireproof.base.exit_codes import ExitCode, FatalError, as_fatal, worst
from wireproof.base.text.wording import document, echo, echo_lines
from wireproof.kafka.releases.release_table import table
from wireproof.proof.deviations.deviation_words import deviation_sentence
from wireproof.proof.testees.description.manifest import TESTEE_FILE, shipped_folder
from wireproof.verdict.ledger.audit import check_alone
from wireproof.verdict.ledger.entry import Entry, ReasonKind
from wireproof.verdict.ledger.evidence import Evidence, parse_words
from wireproof.verdict.ledger.files.ledger_reading import LedgerError
from wireproof.verdict.ledger.known_causes import LedgerCause
from wireproof.verdict.ledger.ledger import Ledger
from wireproof.verdict.ledger.repairs import Catalogue
from wireproof.verdict.ledger.spans import Extent
from wireproof.verdict.report.findings import replay_command

_INVALID: Final = {ExitCode.LEDGER: "The ledger is not valid."}
_WRITTEN: Final = {ExitCode.PROVEN: "The ledger is written.", **_INVALID}


@click.group("ledger", cls=CommandGroup)
def command() -> None:
    """Manage the known deviations of a codec, each with its reason and its last day.

    A ledger is a TOML file next to the adapter of the codec. It has a table for each reason: one thing to fix
    in the codec. The table has causes, which predict the codec's answers, and entries for the places of the
    rest: a message, its versions and releases, a field, a check and the kind of difference. They name no
    single cases, so they stay valid when cases change. `wireproof run --ledger FILE` counts the failures that
    they explain, and fails for all others.

    The run also checks the entries. An entry has a fault if its cause passes, shows in fewer places than the
    entry covers, or fails in another way. It also has a fault if it repeats another entry, names a message or
    version that does not exist, or has expired. The run then prints the command that removes the fault. No
    such command excuses a failure: only `accept` does. The run checks entries only in cells that it
    completed.

    \b
    wireproof run --message MetadataRequest --events events.ndjson
    wireproof ledger accept --from events.ndjson --ledger ledger.toml --reason-kind bug --owner me
    wireproof run --message MetadataRequest --ledger ledger.toml
    """


command.add_command(accept_command)
command.add_command(bound_command)
command.add_command(fix_command)


@command.command("list", exit_codes={ExitCode.PROVEN: "The list is complete.", **_INVALID})
@ledger_option
@format_option(
    "tsv",
    details="tsv: id, message, versions, releases, field or type, check, kind, reason kind, "
    "owner, expires, case, part, and the places that showed it, separated by semicolons; no header.",
)
@click.option("--places", is_flag=True, help="With text: list every place that showed the entry.")
@click.option(
    "--testee",
    metavar="NAME",
    help="Name this codec in the replay lines. Default: the testee in whose folder the ledger is, else our "
    "own.",
)
def list_command(path: str, form: str, testee: str | None, *, places: bool) -> int:
    """List the entries, each with the command that replays its case."""
    name = _testee_of(path) if testee is None else testee
    ledger = open_ledger(path)
    for cause in ledger.causes:
        echo_lines([_cause_row(cause)] if form == "tsv" else _cause_lines(cause, name))
    for entry in ledger.entries:
        echo_lines([_row(entry)] if form == "tsv" else _lines(entry, name, places=places))
    return 0


def _testee_of(path: str) -> str:
    """Return the name of the testee in whose folder the ledger is; empty if there is none."""
    folder = Path(os.path.realpath(path)).parent
    if not (folder / TESTEE_FILE).is_file():
        return ""
    return folder.name if folder == shipped_folder().resolve() / folder.name else str(folder)


def _cause_row(cause: LedgerCause) -> str:
    """Format a cause as tab-separated values: its trigger and action are in the columns of check and kind."""
    deviation = cause.deviation
    scope = deviation.scope_words("*")
    trigger, action = f"{deviation.direction} {deviation.trigger}", f"{deviation.action} {deviation.error}"
    place = "*", "all", "all", " ".join(sorted(deviation.fields or deviation.types))
    words = trigger, action.strip(), cause.reason_kind, cause.owner, cause.expires, cause.case, "", scope
    return "\t".join(map(str, (cause.id, *place, *words)))


def _cause_lines(cause: LedgerCause, testee: str) -> Iterator[str]:
    yield f"{cause.id}: {deviation_sentence(cause.deviation)}"
    yield f"  in {cause.deviation.scope_words('every message')}"
    yield f"  {cause.reason_kind}: {cause.reason}"
    yield f"  {cause.owner}, until {cause.expires}{f', {cause.link}' if cause.link else ''}"
    if cause.case:
        yield f"  {replay_command(cause.case, testee)}"


def _row(entry: Entry) -> str:
    """Format the entry as tab-separated values."""
    place = entry.message, entry.versions, entry.releases, entry.field or entry.type
    words = entry.check, entry.kind, entry.reason_kind, entry.owner, entry.expires, entry.case
    row = entry.id, *place, *words, entry.part, "; ".join(entry.seen.words())
    return "\t".join(map(str, row))


def _lines(entry: Entry, testee: str, *, places: bool) -> Iterator[str]:
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


@command.command(
    "check",
    exit_codes={
        ExitCode.PROVEN: "The ledger has no fault.",
        ExitCode.LEDGER: "The ledger has faults. The report prints the command that repairs each.",
    },
)
@click.argument("files", nargs=-1, type=click.Path(dir_okay=False), metavar="[FILE]...")
@click.option(
    "--ledger",
    "ledgers",
    multiple=True,
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Check this ledger.",
)
def check_command(files: tuple[str, ...], ledgers: tuple[str, ...]) -> int:
    """Check the format, duplicates, stale entries and places, and dates of ledgers.

    The command does not need jars, Java or a network. `wireproof run --ledger FILE` also checks that the
    causes still show.
    """
    paths = (*ledgers, *files)
    if not paths:
        raise click.UsageError("Missing a ledger: name one, such as ledger.toml.")
    known = catalogue()
    return worst([_checked(path, known) for path in paths])


def _checked(path: str, known: Catalogue) -> int:
    ledger = open_ledger(path)
    problems = check_alone(ledger, known, date.today())
    for problem in problems:
        echo(f"{problem.fault} {problem.entry}: {problem.message}", err=True)
        if problem.repair:
            echo(f"  type: {problem.repair}", err=True)
    wrong = sum(problem.fails for problem in problems)
    number = len(ledger.causes) + len(ledger.entries)
    echo(f"{path}: entries: {number}, faults: {wrong}", err=True)
    return int(ExitCode.LEDGER if wrong else ExitCode.PROVEN)


@command.command("remove", exit_codes=_WRITTEN)
@ledger_option
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
def remove_command(path: str, ids: tuple[str, ...]) -> int:
    """Remove entries, each with the comment directly above it."""
    from wireproof.verdict.ledger.files.repairing import removed

    before = ledger_text(path)
    text, resolved = read_current(path)
    for entry_id in ids:
        text = _edited(removed, text, resolved(entry_id))
    write_text(path, text, before)
    echo(f"{path}: removed {', '.join(ids)}", err=True)
    return 0


@command.command("merge", exit_codes=_WRITTEN)
@ledger_option
@click.argument("ids", nargs=-1, required=True, metavar="ID ID...")
def merge_command(path: str, ids: tuple[str, ...]) -> int:
    """Give the first of some causes the places of all, and remove the others.

    They must do the same and have the same reason: one mistake in the codec's source, which shows in several
    types or messages. The ledger explains neither more nor less than before.
    """
    from wireproof.verdict.ledger.files.repairing import merge_causes

    if len(set(ids)) < 2:
        raise FatalError("one cause alone", "Name two causes: ledger merge ID ID.")
    before = ledger_text(path)
    write_text(path, _edited(merge_causes, read_current(path)[0], open_ledger(path), ids), before)
    echo(f"{path}: {ids[0]} has the places of {', '.join(ids)}", err=True)
    return 0


@command.command("narrow", exit_codes=_WRITTEN)
@ledger_option
@click.argument("entry_id", metavar="ID")
@click.option(
    "--to",
    "extents",
    multiple=True,
    metavar="RELEASES/VERSIONS",
    help="Set the extent: all/1-3 or 2.8.2-3.9.2,4.4.0/1-3,7. May be repeated: each extent gets a copy of "
    "the entry.",
)
@click.option(
    "--without",
    "places",
    multiple=True,
    metavar="'PART/MESSAGE VERSIONS: FIELDS'",
    help="Remove these places from an entry for all messages, such as 'message/FetchRequest 4-7: "
    "topics[].topic'.",
)
@click.option(
    "--without-cells",
    "cells",
    multiple=True,
    metavar="'MESSAGE VERSIONS'",
    help="Take these versions of a message out of a cause that predicts answers: 'FetchRequest 4-7'.",
)
def narrow_command(
    path: str, entry_id: str, extents: tuple[str, ...], places: tuple[str, ...], cells: tuple[str, ...]
) -> int:
    """Remove releases, versions or places from an entry whose cause does not show there.

    The command refuses an extent for which the entry does not hold: `accept` widens an entry.
    """
    from wireproof.verdict.ledger.files.repairing import LedgerRepair, narrow_cause, narrow_entry

    ledger = open_ledger(path)
    if cells:
        write_text(path, _edited(narrow_cause, read_current(path)[0], ledger, entry_id, cells))
        echo(f"{path}: {entry_id} no longer covers {' and '.join(cells)}", err=True)
        return 0
    with as_fatal(ValueError):
        parsed = [Extent.parse(text) for text in extents]
        gone = Evidence.of(place for text in places for place in parse_words(text))
    if not (parsed or gone):
        raise FatalError("nothing to remove", "Add --to RELEASES/VERSIONS or --without PLACE.")
    entry = ledger.find(entry_id)
    if entry is None:
        raise _unknown(ledger, entry_id)
    repair = LedgerRepair(path, (entry_id,), tuple(parsed), gone)
    releases = [release.version for release in table().choose("all")]
    write_text(path, _edited(narrow_entry, read_current(path)[0], ledger, entry, repair, releases))
    holds = [*map(str, parsed), *([(entry.seen - gone).summary()] if gone else [])]
    echo(f"{path}: {entry_id} holds for {' and '.join(holds)}", err=True)
    return 0


@command.command("amend", exit_codes=_WRITTEN)
@ledger_option
@click.argument("entry_id", metavar="ID")
@click.option(
    "--reason-kind", type=click.Choice([str(kind) for kind in ReasonKind]), help="Set the kind of reason."
)
@click.option("--reason", metavar="TEXT", help="Set the reason, in a sentence.")
@click.option("--link", metavar="URL", help="Set the link to a page about it.")
@click.option("--owner", metavar="NAME", help="Set the person in charge of it.")
@click.option("--expires", metavar="DATE", help="Set its last day, such as 2027-05-20.")
def amend_command(path: str, entry_id: str, **words: str | None) -> int:
    """Change the reason, owner or last day of an entry; `accept` and `narrow` change its places."""
    from wireproof.verdict.ledger.files.repairing import amended

    changes: dict[str, Any] = {
        name.replace("_", "-"): parse_day(word) if name == "expires" else word
        for name, word in words.items()
        if word is not None
    }
    if not changes:
        raise FatalError("nothing to change", "`wireproof ledger amend --help` lists the options.")
    if words["owner"] == "":
        raise LedgerError("owner is empty", "Give --owner NAME.")
    before = ledger_text(path)
    text, resolved = read_current(path)
    write_text(path, _edited(amended, text, resolved(entry_id), changes), before)
    echo(f"{path}: {entry_id}: changed {' and '.join(changes)}", err=True)
    return 0


@command.command(
    "migrate",
    exit_codes={
        ExitCode.PROVEN: "The ledger has the present format.",
        ExitCode.LEDGER: "The ledger is not valid, or a newer wireproof wrote it.",
    },
)
@ledger_option
@click.option("--dry-run", is_flag=True, help="Print the ledger to standard output and write nothing.")
def migrate_command(path: str, *, dry_run: bool) -> int:
    """Convert a ledger of an older wireproof to the present format and names.

    wireproof reads old names, too. This command renames ids that were made from one; the old ids stay valid
    as aliases. An entry for all messages without evidence (format 4 and older) explains nothing until
    `accept` has read the events of a run. The command refuses a file of a newer wireproof.
    """
    from wireproof.verdict.ledger.files.repairing import migrated

    before = ledger_text(path)
    text, changes = migrated(before)
    if dry_run:
        document(text)
    elif changes:
        write_text(path, text, before)
    echo_lines(changes, err=True)
    echo(f"{path}: changes: {len(changes)}", err=True)
    return int(ExitCode.PROVEN)


def _edited(edit: Any, *words: Any) -> str:
    with as_fatal(LedgerError):
        return str(edit(*words))


def _unknown(ledger: Ledger, entry_id: str) -> FatalError:
    return FatalError(
        f"{ledger.source} has no entry {entry_id!r}", "`wireproof ledger list` lists the entries."
    )
