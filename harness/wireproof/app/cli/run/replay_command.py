"""``wireproof replay``."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from kafkawire.errors import CodecError
from wireproof.app.assembly.codec_under_test import under_test
from wireproof.app.assembly.corpus.corpus_in_use import use_corpus
from wireproof.app.assembly.inputs.run_inputs import (
    find_release,
    prepare,
    prepare_without_java,
    with_primitives_of,
)
from wireproof.app.assembly.ledger_in_use import ledger_path, open_ledger
from wireproof.app.assembly.prerequisites import installed_forms, open_store
from wireproof.app.assembly.worker_environment import environment_maker
from wireproof.app.cli.matrix.one_case import case_cell
from wireproof.app.cli.options import documented_command, jar_options, run_option, schemas_options, source_of
from wireproof.base.exit_codes import ExitCode, FatalError, as_fatal
from wireproof.base.text.parsing import MISSHAPEN, parse_json, read_text
from wireproof.base.text.wording import printable
from wireproof.kafka.releases.release_table import ReleaseError
from wireproof.model.cell import CaseId, Phase
from wireproof.model.oracle import CannotWorkError
from wireproof.proof.config.selection import SchemaSource
from wireproof.proof.run.core.cell_events import FailedCase
from wireproof.proof.run.engine.case_replay import NoSuchCaseError, replay
from wireproof.traffic.corpus.corpus_entry import entry_of
from wireproof.traffic.corpus.corpus_folder import EntrySource, LooseEntries
from wireproof.verdict.ledger.ledger import Ledger
from wireproof.verdict.report.failure_files import FailureFiles, read_failure
from wireproof.verdict.report.findings import CauseGroup, Findings
from wireproof.verdict.report.lines.cause_lines import finding_lines
from wireproof.verdict.report.text.escaping import marked, wrapped

_FOLDER = Path(".wireproof/failures")
OWN = "our own codec (kafkawire)"


@documented_command(
    "replay",
    {
        ExitCode.PROVEN: "The divergence is gone.",
        ExitCode.DIVERGENCE: "The divergence is still there, known or not.",
        ExitCode.NOTHING_RAN: "The corpus of --no-java has no entry.",
        ExitCode.MISSING: "",
        ExitCode.BROKEN: "",
        ExitCode.LEDGER: "The ledger is not valid.",
    },
)
@click.argument("case", metavar="CASE|FILE")
@run_option("testee")
@run_option("no_java")
@schemas_options
@click.option(
    "--ledger",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Name the entry of this ledger that explains the divergence. "
    f"The exit code stays {ExitCode.DIVERGENCE:d}. Default: ledger.toml in the folder of the testee.",
)
@jar_options
def command(case: str, **options: Any) -> int:
    """Try one case again.

    CASE is an id that a run printed: RELEASE/MESSAGE/VERSION/PHASE/NAME. If .wireproof/failures has a record
    of the case, the command uses it. Otherwise it makes the case again from its name. FILE is such a record.

    Use the same --testee and --schemas as the run; a record contains them. With a ledger, the report names
    the entry that explains the divergence.

    An entry of a corpus, RELEASE/MESSAGE/VERSION/corpus/ID, does not need Java. If there is no record of it,
    name the corpus with --no-java.
    """
    with as_fatal(ReleaseError, CannotWorkError, exit_code=ExitCode.MISSING):
        return _replay(case, options)


def _replay(text: str, options: dict[str, Any]) -> int:
    asked = options["testee"] or ""
    recorded = _recorded(text, asked)
    with as_fatal(ValueError, advice="A run prints the line to type."):
        case = CaseId.parse(recorded.get("case", text))
    source = source_of(options) or SchemaSource.from_record(recorded)
    release = find_release(case.cell.release, source)
    store = open_store(options["jars"], options["offline"])
    entries = _entries(case, recorded, options["no_java"])
    if entries is not None:
        prepared = prepare_without_java([release], store, installed_forms(), entries)
    else:
        prepared = prepare([release], store, installed_forms())
    subject = under_test(asked or recorded.get("testee") or None, store.cache_dir, offline=store.offline)
    prepared = with_primitives_of(replace(prepared, testee=subject.launch), subject.hello)
    environment = environment_maker(prepared)()
    cell = case_cell(prepared, case)
    shrunk = recorded.get("shrunk", {})
    path = ledger_path(options["ledger"], subject.ledger)
    ledger = None if path is None else open_ledger(path)
    try:
        value = shrunk.get("value") or recorded.get("value")
        after = recorded.get("after", ())
        causes = () if ledger is None else ledger.known_causes
        with as_fatal(CodecError, what=f"the recorded value is not a value of {cell.id}: "):
            failures = replay(environment, cell, case, value, recorded.get("header"), after, causes)
    except NoSuchCaseError:
        advice = f"The replay lines of a run have the names of the cases in the phase {case.phase}."
        raise FatalError(f"{cell.id} has no case {case.phase}/{case.name}", advice) from None
    return _report(failures, case, subject.word, ledger)


def _entries(case: CaseId, recorded: Mapping[str, Any], path: str | None) -> EntrySource | None:
    """The source of the corpus entry that the case is about; None for a case of another phase."""
    if case.phase is not Phase.CORPUS:
        return None
    if path is not None:
        return use_corpus(path).source
    line = recorded.get("entry")
    if not line:
        advice = "Name the corpus with --no-java PATH, or replay the recorded failure."
        raise FatalError(f"{case.name} is an entry of an unknown corpus", advice)
    with as_fatal(ValueError, what="the recorded entry is not valid: "):
        return LooseEntries((entry_of(parse_json(line)),))


def _recorded(text: str, testee: str) -> dict[str, Any]:
    """The record of the case; empty if there is none."""
    place = Path(text)
    if not place.is_file():
        place = FailureFiles(_FOLDER, testee).place(text)
        if not place.is_file():
            return {}
    try:
        return read_failure(place)
    except (OSError, ValueError) as error:
        lines = "".join(f"\n  {line}" for line in _judged_lines(place))
        if lines:
            words = f"{place} has the events of wireproof judge, whose findings have lines that repeat them"
            raise FatalError(words, f"Type one:{lines}") from error
        raise FatalError(f"cannot read {place}: {error}") from error


def _judged_lines(path: Path) -> list[str]:
    """Return the replay lines of an event file of `wireproof judge`; none for another file."""
    try:
        events = [parse_json(line) for line in read_text(path).splitlines()]
        return list(dict.fromkeys(each["replay"] for each in events if "replay" in each))
    except (OSError, *MISSHAPEN):
        return []


def _explained(failure: FailedCase, ledger: Ledger) -> FailedCase:
    """The failure, with the entries of the ledger that explain what no cause predicts."""
    if all(each.entry for each in failure.divergences):
        return failure
    return replace(failure, divergences=ledger.explain(failure.cell, failure.divergences))


def _known(failure: FailedCase, ledger: Ledger) -> Iterator[str]:
    """The lines about the ledger: the entries that explain the failure, or that none does."""
    words = ledger.words()
    entries = dict.fromkeys(each.entry for each in failure.divergences)
    for entry in filter(None, entries):
        yield f"  known    {entry}, {words[entry]} ({ledger.source})"
    if "" in entries:
        rest = "nothing in" if len(entries) == 1 else "for the rest nothing in"
        yield f"  known    {rest} {ledger.source} explains it"


def _report(failures: Sequence[FailedCase], case: CaseId, testee: str, ledger: Ledger | None) -> int:
    console = Console(stderr=True)
    findings = Findings()
    for failure in failures:
        findings.add(failure if ledger is None else _explained(failure, ledger))
    for finding in findings:
        for line in finding_lines(CauseGroup((finding,)), testee):
            console.print(wrapped(console, line), emoji=False, highlight=False, soft_wrap=True)
        for line in [] if ledger is None else _known(finding.first, ledger):
            console.print(printable(line), emoji=False, highlight=False, soft_wrap=True, markup=False)
    verdict, words = (
        ("[red]still there:[/]", "differs from") if failures else ("[green]gone:[/]", "agrees with")
    )
    line_text = f"{case}: {testee or OWN} {words} Kafka"
    console.print(f"{verdict} {marked(line_text)}", emoji=False, highlight=False, soft_wrap=True)
    return int(ExitCode.DIVERGENCE if failures else ExitCode.PROVEN)
