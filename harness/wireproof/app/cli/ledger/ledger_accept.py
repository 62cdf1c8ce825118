"""``wireproof ledger accept``, and the options that the commands for ledgers share."""

from collections import Counter
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import click

from wireproof.app.assembly.ledger_in_use import catalogue, open_ledger, read_current, write_text
from wireproof.app.cli.options import Decorator, documented_command
from wireproof.base.exit_codes import ExitCode, FatalError
from wireproof.base.text.wording import document, echo, one_line
from wireproof.model.agreement import ObservedCause
from wireproof.model.cell import Cell
from wireproof.proof.deviations.deviation_words import deviation_sentence
from wireproof.verdict.ledger.accepting import Acceptance, Terms, accept
from wireproof.verdict.ledger.audit import LIFETIME
from wireproof.verdict.ledger.entry import ReasonKind
from wireproof.verdict.ledger.files.cause_tables import scope_values
from wireproof.verdict.ledger.files.event_reading import ObservedCauses, merged_causes, read_events
from wireproof.verdict.ledger.files.ledger_reading import NEW_FILE, LedgerError
from wireproof.verdict.ledger.ledger import Ledger

events_option: Decorator = click.option(
    "--from",
    "events",
    required=True,
    multiple=True,
    type=click.Path(dir_okay=False, allow_dash=True),
    metavar="EVENTS",
    help="Read the file that `wireproof run --events EVENTS` wrote; - is standard input. May be repeated, "
    "for the runs of a codec's variants.",
)


def _ledger_option(help_text: str) -> Decorator:
    return click.option(
        "--ledger", "path", required=True, type=click.Path(dir_okay=False), metavar="FILE", help=help_text
    )


ledger_option: Decorator = _ledger_option("Use this ledger.")
written_ledger_option: Decorator = _ledger_option("Write this ledger. It is created if it does not exist.")


@documented_command(
    "accept",
    {
        ExitCode.PROVEN: "Entries were written.",
        ExitCode.NOTHING_RAN: "The events have no new cause.",
        ExitCode.LEDGER: "The ledger is not valid.",
    },
)
@events_option
@written_ledger_option
@click.option(
    "--reason-kind",
    required=True,
    type=click.Choice([str(kind) for kind in ReasonKind]),
    help="Set the kind of reason: a bug to fix, by design, not supported; flaky causes may pass.",
)
@click.option("--owner", required=True, metavar="NAME", help="Set the person in charge of it.")
@click.option(
    "--reason", default="", metavar="TEXT", help="Set the reason, in a sentence. Default: the run's summary."
)
@click.option(
    "--link",
    default="",
    metavar="URL",
    help="Set the link to a page about it, such as the codec's own issue.",
)
@click.option("--expires", metavar="DATE", help="Set the last day. Default: 180 days from now.")
@click.option(
    "--message", default="*", metavar="NAME", help="Accept only causes in this message; * matches any text."
)
@click.option(
    "--field",
    default="*",
    metavar="PATH",
    help="Accept only causes at this field: 'topics[].name'; * matches any text.",
)
@click.option("--check", default="*", metavar="NAME", help="Accept only causes of this check.")
@click.option(
    "--kind", default="*", metavar="KIND", help="Accept only causes of this kind: differs, 'refused:*'."
)
@click.option(
    "--primitives",
    is_flag=True,
    help="Write one entry for all messages if three or more show a cause in a primitive: a type such as "
    "string, or a check without a field. It explains the places that showed it, and no others.",
)
@click.option("--dry-run", is_flag=True, help="Print the ledger to standard output and write nothing.")
def accept_command(**options: Any) -> int:
    """Write entries for the causes in a run's events that no entry explains yet.

    A cause that predicts the codec's answers gets one entry, and every place that it predicts needs no other.
    For the rest, versions become ranges. Releases become `all` if each tried release shows the cause;
    `tried` lists these.
    An existing entry of the same cause is widened; one for all messages by evidence of the places (part,
    message, versions, field) that show it. Causes of random cases only (Hypothesis, bulk, instances of
    Kafka's) get separate entries, and a pass is not a fault of these.

    \b
    wireproof ledger accept --from events.ndjson --ledger ledger.toml --reason-kind bug --owner me
    wireproof ledger accept --from events.ndjson --ledger ledger.toml --reason-kind by-design --owner me \\
        --check tail --primitives --reason 'a stream may hold more'
    """
    path = options["path"]
    ledger = open_ledger(path) if Path(path).exists() else Ledger((), path)
    seen = merged_causes([read_causes(events) for events in options["events"]])
    terms = _terms(options)
    accepted = accept(
        ledger, seen, terms, catalogue(), wanted=_filter(options), primitives=options["primitives"]
    )
    _report(path, seen, accepted)
    text = read_current(path)[0] if Path(path).exists() else ""
    text = _written(text, accepted, terms)
    if options["dry_run"]:
        document(text)
    elif accepted.any:
        write_text(path, text)
    return int(ExitCode.PROVEN if accepted.any else ExitCode.NOTHING_RAN)


def read_causes(events: str) -> ObservedCauses:
    """Read the causes in an event file; ``-`` is standard input."""
    try:
        with click.open_file(events, encoding="utf-8") as lines:
            return read_events(lines)
    except OSError as error:
        raise FatalError(f"cannot read {events}: {error.strerror}") from error
    except LedgerError as error:
        raise FatalError(f"{events}: {error}", "`wireproof run --events FILE` writes such a file.") from error


def parse_day(text: str) -> date:
    """Return the day of a text such as ``2027-05-20``; `FatalError` if it is not one."""
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise FatalError(f"{text!r} is not a date", "Write it as 2027-05-20.") from error


def _terms(options: dict[str, Any]) -> Terms:
    today = date.today()
    expires = parse_day(options["expires"]) if options["expires"] else today + LIFETIME
    if expires < today or not options["owner"].strip():
        raise FatalError(
            "an entry needs an owner and a last day in the future", "Give --owner NAME, or a later --expires."
        )
    kind = ReasonKind(options["reason_kind"])
    return Terms(kind, options["owner"], today, expires, options["reason"], options["link"])


def _filter(options: dict[str, Any]) -> Any:
    def wanted(cell: Cell, cause: ObservedCause) -> bool:
        parts = {"message": cell.message, "field": cause.field, "check": cause.check, "kind": cause.kind}
        patterns = {name: options[name].replace("[", "[[]") for name in parts}
        return all(fnmatchcase(text, patterns[name]) for name, text in parts.items())

    return wanted


def _report(path: str, seen: ObservedCauses, accepted: Acceptance) -> None:
    if not seen.complete:
        echo(
            "the event file has no footer: the run was interrupted, and its unfinished cells are left out",
            err=True,
        )
    for cause in accepted.causes:
        echo(one_line(f"new {cause.id}: {deviation_sentence(cause.deviation)}"), err=True)
    for entry in accepted.new:
        place = " ".join(filter(None, (entry.message, entry.field or entry.type)))
        where = f"observed in {entry.seen.summary()}" if entry.seen else f"versions {entry.versions}"
        echo(one_line(f"new {entry.id}: {place}, {where}, {entry.check} {entry.kind}"), err=True)
    for entry in accepted.widened.values():
        tried = f", tried in {entry.tried}" if entry.tried.spans else ""
        where = f"observed in {entry.seen.summary()}" if entry.seen else f"versions {entry.versions}"
        echo(f"widened {entry.id}: {where}{tried}", err=True)
    left = Counter((cause.subject, cause.check) for _, cause in accepted.left)
    for (subject, check), count in left.items():
        words = f"left out, as it is not a fault of the codec: {subject} {check}, {count} times"
        echo(one_line(words), err=True)
    for cause in accepted.widened_causes.values():
        echo(one_line(f"widened {cause.id}: {deviation_sentence(cause.deviation)}"), err=True)
    count = len(accepted.causes) + len(accepted.new) + len(accepted.widened) + len(accepted.widened_causes)
    echo(
        f"{path}: entries written: {count}" if count else "the events have no new cause: nothing to write",
        err=True,
    )


def _written(text: str, accepted: Acceptance, terms: Terms) -> str:
    from wireproof.verdict.ledger.files.repairing import added, amended, defaults_text, evidence_values

    if not text.strip():
        text = f"{NEW_FILE}\n{defaults_text(terms.reason_kind, terms.owner, terms.since, terms.expires)}"

    for entry in accepted.widened.values():
        changes: dict[str, Any] = {"versions": str(entry.versions)}
        if entry.tried.spans:
            changes["tried"] = str(entry.tried)
        if entry.phases:
            changes["phases"] = [str(phase) for phase in entry.phases]
        if entry.seen:
            changes["seen"] = evidence_values(entry.seen)
        text = amended(text, entry.id, changes)
    for cause in accepted.widened_causes.values():
        text = amended(text, cause.id, scope_values(cause))
    return added(text, accepted.new, accepted.causes)
