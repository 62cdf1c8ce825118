"""``wireproof ledger``: from a run's events to a file that a run takes; nothing here needs Java or jars."""

import io
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.commands.forked_command import run_command
from tests.support.environments.ledgers import OLD_TEXT, TEXT, cause, done, wild
from wireproof.base.exit_codes import ExitCode
from wireproof.model.agreement import LedgerProblem, ObservedCause
from wireproof.model.cell import Cell, FramePart, Phase
from wireproof.proof.config.selection import DEFAULT_PHASES, MutationSet
from wireproof.proof.run.core.cell_events import CellResult
from wireproof.proof.run.core.run_events import LedgerFinding, RunFooter, RunHeader, Totals
from wireproof.proof.testees.description.manifest import shipped_folder
from wireproof.verdict.ledger.evidence import Location
from wireproof.verdict.ledger.files.ledger_reading import read_ledger
from wireproof.verdict.ledger.files.repairing import added
from wireproof.verdict.report.events.event_json import EventFile

REAL = TEXT.replace("PingRequest", "FetchRequest").replace("1-3", "4-18").replace('"name"', '"topics"')


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "known.toml").write_text(REAL, encoding="utf-8")
    return tmp_path


def ledger(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return run_command(folder, "ledger", *words, env={"PATH": ""})


def text_of(folder: Path) -> str:
    return (folder / "known.toml").read_text(encoding="utf-8")


HEADER = RunHeader("1", (), 0, ("1.0.0",), {}, ("codec",), (Phase.ENUMERATED,), 0, {})


def write_events(folder: Path, *cells: CellResult, footer: bool = True, header: RunHeader = HEADER) -> None:
    stream = io.StringIO()
    listener = EventFile(stream)
    listener(replace(header, cells=len(cells)))
    for cell in cells:
        listener(cell)
    if footer:
        listener(RunFooter(Totals(), 1.0, ExitCode.DIVERGENCE))
    (folder / "events.ndjson").write_text(stream.getvalue(), encoding="utf-8")


ACCEPT = ("accept", "--from", "events.ndjson", "--reason-kind", "bug", "--owner", "me", "--ledger")


def test_a_ledger_is_made_of_events(folder: Path):
    """A file that was not there; a second time there is nothing to add, and the exit code says so."""
    write_events(folder, *(done(version, failed=2, causes=(cause(version),)) for version in (1, 2)))
    first = ledger(folder, *ACCEPT, "new.toml", "--link", "https://example.org/7")
    assert first.returncode == 0, first.stderr
    assert "new ping-request-name-bytes: PingRequest name, versions 1-2, bytes differs" in first.stderr
    text = (folder / "new.toml").read_text(encoding="utf-8")
    assert text.startswith("# Known deviations of this codec from Kafka")
    (entry,) = read_ledger(text, "new.toml").entries
    assert (entry.link, entry.case) == ("https://example.org/7", cause(1).case_id)
    again = ledger(folder, *ACCEPT, "new.toml")
    assert (again.returncode, (folder / "new.toml").read_text(encoding="utf-8")) == (3, text)
    assert "the events have no new cause" in again.stderr


def test_accepting_can_be_narrowed_and_tried(folder: Path):
    """By field, check, kind and message; --dry-run writes to standard output alone."""
    causes = (cause(1), cause(1, check="tail", field="", kind="accepted"), cause(1, field="hops[].at"))
    write_events(folder, done(1, failed=3, causes=causes))
    for words, wanted in (
        (("--check", "tail"), "ping-request-tail-accepted"),
        (("--field", "hops[].*"), "ping-request-hops-at-bytes"),
        (("--kind", "acc*"), "ping-request-tail-accepted"),
    ):
        ran = ledger(folder, *ACCEPT, "new.toml", "--dry-run", *words)
        assert [each.id for each in read_ledger(ran.stdout, "").entries] == [wanted]
    assert ledger(folder, *ACCEPT, "new.toml", "--message", "Fetch*").returncode == 3
    assert not (folder / "new.toml").exists()


def test_what_is_not_the_codecs_and_what_was_cut_short_is_reported(folder: Path):
    """On standard error, and nothing is written for it."""
    write_events(folder, done(1, failed=1, causes=(cause(1, subject="layout"),)), footer=False)
    ran = ledger(folder, *ACCEPT, "new.toml")
    assert ran.returncode == 3
    assert "the event file has no footer" in ran.stderr
    assert "it is not a fault of the codec: layout bytes, 1 times" in ran.stderr


def test_accepting_widens_what_is_there(folder: Path):
    """The comment in the entry stays."""
    cell = Cell("4.4.0", "clients", "FetchRequest", 3)
    met = ObservedCause(
        Phase.ENUMERATED, "bytes", "codec", "topics", "", "differs", 1, f"{cell.id}/x/y", "no"
    )
    write_events(folder, CellResult(cell, {Phase.ENUMERATED: 1}, 1, 1, 0.1, causes=(met,)))
    ran = ledger(folder, *ACCEPT, "known.toml")
    assert "widened ping-null: versions 3-18" in ran.stderr
    assert text_of(folder) == REAL.replace("4-18", "3-18")


def test_a_good_ledger_is_reported_as_good(folder: Path):
    """Against every release's messages and versions."""
    ran = ledger(folder, "check", "--ledger", "known.toml")
    assert (ran.returncode, ran.stdout) == (0, "")
    assert "entries: 1, faults: 0" in ran.stderr


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("FetchRequest", "FetchRequst", "stale ping-null: no release has a message FetchRequst"),
        ("4-18", "4-99", "over-broad ping-null: FetchRequest has the versions 0-18"),
    ],
)
def test_check_prints_the_command_that_repairs(folder: Path, old: str, new: str, fault: str):
    """Typed as it stands, the ledger is right."""
    (folder / "known.toml").write_text(REAL.replace(old, new), encoding="utf-8")
    ran = ledger(folder, "check", "--ledger", "known.toml")
    assert fault in ran.stderr
    words = next(line for line in ran.stderr.splitlines() if "  type: " in line).split()
    assert words[:3] == ["type:", "wireproof", "ledger"]
    assert ledger(folder, *words[3:]).returncode == 0
    again = ledger(folder, "check", "--ledger", "known.toml")
    assert (again.returncode, "type:" in again.stderr) == (0, False)


def test_check_prints_no_command_that_renews(folder: Path):
    """Whoever renews an entry looks at the deviation first."""
    (folder / "known.toml").write_text(REAL.replace("2099-05-20", "2026-11-21"), encoding="utf-8")
    ran = ledger(folder, "check", "--ledger", "known.toml")
    assert "ping-null: it " in ran.stderr
    assert "type:" not in ran.stderr


def test_a_file_with_faults_is_reported_and_can_be_repaired(folder: Path):
    """Exit code 6 with the line; the command it names takes the entry out."""
    (folder / "known.toml").write_text(REAL.replace('"bytes"', '"bites"'), encoding="utf-8")
    ran = ledger(folder, "check", "--ledger", "known.toml")
    assert ran.returncode == 6
    assert "known.toml:10: entry ping-null: check 'bites' is unknown: did you mean 'bytes'?" in ran.stderr
    assert ledger(folder, "remove", "--ledger", "known.toml", "ping-null").returncode == 0
    assert text_of(folder) == "# Known.\nformat = 7\n"


def test_entries_are_listed_for_people_and_programs(folder: Path):
    """On standard output; tab-separated if asked."""
    assert "ping-null: FetchRequest topics, versions 4-18, releases all" in ledger(
        folder, "list", "--ledger", "known.toml"
    ).stdout  # fmt: skip
    row = ledger(folder, "list", "--ledger", "known.toml", "--format", "tsv").stdout.rstrip("\n").split("\t")
    place = ["FetchRequest", "4-18", "all", "topics"]
    assert row == ["ping-null", *place, "bytes", "differs", "bug", "me", "2099-05-20", "", "", ""]


@pytest.mark.parametrize(
    ("inside", "words", "named"),
    [
        (False, (), ""),
        (False, ("--testee", "my codec:fast"), "--testee 'my codec:fast' "),
        (True, (), "--testee {folder} "),
        (True, ("--testee", "other"), "--testee other "),
    ],
)
def test_a_replay_line_names_the_testee(
    folder: Path, inside: bool, words: tuple[str, ...], named: str
) -> None:
    """That of the ledger's folder, or the one that the option names: our own codec has none of its bugs."""
    case = "4.4.0/FetchRequest/4/enumerated/topics/null"
    (folder / "known.toml").write_text(REAL.replace('"topics"', f'"topics", case = "{case}"'), "utf-8")
    if inside:
        (folder / "testee.toml").write_text("")
    listed = ledger(folder, "list", "--ledger", "known.toml", *words).stdout
    assert f"  wireproof replay {named.format(folder=folder.resolve())}{case}\n" in listed


def test_the_ledger_of_a_shipped_testee_names_it() -> None:
    """By its name alone."""
    path = shipped_folder() / "python-kafka-python" / "ledger.toml"
    listed = ledger(path.parent, "list", "--ledger", "ledger.toml").stdout
    assert "  wireproof replay --testee python-kafka-python " in listed
    assert "  wireproof replay 4" not in listed


def test_evidence_is_listed_and_taken_out(folder: Path):
    """Its sum, each place if asked, and all of them for programs."""
    places = Location(FramePart.MESSAGE, "FetchRequest", 4, "topics[].topic"), Location(
        FramePart.HEADER, "FetchRequest", 4, "clientId"
    )  # fmt: skip
    text = added(text_of(folder), [wild(*places)])
    (folder / "known.toml").write_text(text, encoding="utf-8")
    listed = ledger(folder, "list", "--ledger", "known.toml").stdout
    assert "  observed in message: 1 message, 1 field; header: 1 message, 1 field\n" in listed
    assert "topics[].topic" not in listed
    every = ledger(folder, "list", "--ledger", "known.toml", "--places").stdout
    assert "    message/FetchRequest 4: topics[].topic\n    header/FetchRequest 4: clientId\n" in every
    rows = ledger(folder, "list", "--ledger", "known.toml", "--format", "tsv").stdout.splitlines()
    assert (
        rows[1].split("\t")[-1] == "message/FetchRequest 4: topics[].topic; header/FetchRequest 4: clientId"
    )

    without = "--without", "header/FetchRequest 4: clientId"
    ran = ledger(folder, "narrow", "--ledger", "known.toml", "wild", *without)
    assert "wild holds for message: 1 message, 1 field" in ran.stderr
    (_, known) = read_ledger(text_of(folder), "").entries
    assert list(known.seen) == [places[0]]
    rest = "--without", "message/FetchRequest 4: topics[].topic"
    assert ledger(folder, "narrow", "--ledger", "known.toml", "wild", *rest).returncode == 2


def test_an_entry_is_amended_and_narrowed(folder: Path):
    """One command each; all else stays."""
    assert ledger(folder, "amend", "--ledger", "known.toml", "ping-null", "--owner", "you").returncode == 0
    assert text_of(folder) == REAL.replace('"me"', '"you"')
    assert (
        ledger(folder, "narrow", "--ledger", "known.toml", "ping-null", "--to", "all/4-7,9").returncode == 0
    )
    assert 'versions = "4-7, 9"' in text_of(folder)


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("check", "--ledger", "nothing.toml"), 2, "cannot read nothing.toml: No such file"),
        (("remove", "--ledger", "known.toml", "nobody"), 2, "there is no entry 'nobody'"),
        (("narrow", "--ledger", "known.toml", "nobody", "--to", "all/1"), 2, "has no entry 'nobody'"),
        (("narrow", "--ledger", "known.toml", "ping-null", "--to", "1-3"), 2, "is not RELEASES/VERSIONS"),
        (("amend", "--ledger", "known.toml", "ping-null"), 2, "nothing to change"),
        (("amend", "--ledger", "known.toml", "ping-null", "--kind", "invalid"), 2, "No such option"),
        (("narrow", "--ledger", "known.toml", "ping-null"), 2, "nothing to remove"),
        (("narrow", "--ledger", "known.toml", "ping-null", "--without", "x"), 2, "expected PART/MESSAGE"),
        (("amend", "--ledger", "known.toml", "ping-null", "--expires", "soon"), 2, "'soon' is not a date"),
        (("amend", "--ledger", "known.toml", "ping-null", "--expires", "2020-01-01"), 6, "left as it was"),
        (("amend", "--ledger", "known.toml", "ping-null", "--owner", " "), 6, "owner is empty"),
        (("amend", "--ledger", "known.toml", "ping-null", "--owner", ""), 6, "owner is empty"),
        ((*ACCEPT, "new.toml", "--expires", "2020-01-01"), 2, "a last day in the future"),
        (("accept", "--from", "known.toml", *ACCEPT[3:], "new.toml"), 2, "line 1 is not an event"),
    ],
)
def test_a_mistake_leaves_the_file_as_it_is(folder: Path, words: tuple[str, ...], code: int, says: str):
    """What is wrong goes to standard error, with an exit code of its own."""
    write_events(folder, done(1))
    ran = ledger(folder, *words)
    assert ran.returncode == code, ran.stderr
    assert says in ran.stderr
    assert text_of(folder) == REAL


def test_a_run_refuses_a_file_that_is_no_ledger(folder: Path):
    """Before anything is fetched."""
    (folder / "known.toml").write_text("format = 7\n[entry]\n", encoding="utf-8")
    ran = run_command(folder, "run", "--offline", "--ledger", "known.toml", env={"PATH": ""})
    assert ran.returncode == 6
    assert "write [[entry]] before each" in ran.stderr


def test_an_older_file_is_migrated_as_printed(folder: Path):
    """Whoever reads it says so; it is understood, and the command brings it up to date."""
    old = OLD_TEXT.replace("format = 6", "format = 1").replace('"name"', '"name"\ncase = "4.4.0/x"')
    (folder / "known.toml").write_text(old, encoding="utf-8")
    ran = ledger(folder, "list", "--ledger", "known.toml")
    assert ran.returncode == 0
    assert "written by an older wireproof; type: wireproof ledger migrate --ledger known.toml" in ran.stderr
    dry = ledger(folder, "migrate", "--ledger", "known.toml", "--dry-run")
    assert text_of(folder) == old

    ran = ledger(folder, "migrate", "--ledger", "known.toml")
    assert (ran.returncode, text_of(folder)) == (0, dry.stdout)
    assert "ping-null: tried = 4.4.0" in ran.stderr
    assert "older" not in ledger(folder, "list", "--ledger", "known.toml").stderr


def test_an_id_of_before_is_understood(folder: Path):
    """In every command that takes one."""
    aliased = REAL.replace("format = 7", 'format = 3\n[aliases]\nbefore = "ping-null"\n')
    commands = (
        ("amend", "before", "--owner", "you"),
        ("narrow", "before", "--to", "all/4-5"),
        ("remove", "before"),
    )
    for words in commands:
        (folder / "known.toml").write_text(aliased, encoding="utf-8")
        ran = ledger(folder, words[0], "--ledger", "known.toml", *words[1:])
        assert ran.returncode == 0, ran.stderr
        assert text_of(folder) != aliased


def test_a_newer_file_is_refused(folder: Path):
    """By every command, and left as it is."""
    newer = REAL.replace("format = 7", "format = 99")
    for words in (("check",), ("migrate",), ("list",)):
        (folder / "known.toml").write_text(newer, encoding="utf-8")
        ran = ledger(folder, *words, "--ledger", "known.toml")
        assert (ran.returncode, text_of(folder)) == (6, newer)
        assert "install a newer wireproof" in ran.stderr


def printed(folder: Path, *repairs: str) -> None:
    """Write the events of a run that printed these repairs."""
    write_events(folder, done(1), footer=False)
    with (folder / "events.ndjson").open("a", encoding="utf-8") as stream:
        for repair in repairs:
            EventFile(stream)(LedgerFinding(LedgerProblem("ping-null", "passed", "all is right", repair)))


FIX = ("fix", "--ledger", "known.toml", "--from", "events.ndjson")


def test_the_repairs_of_a_run_are_shown_and_applied(folder: Path):
    """Without --yes nothing is written if standard input is not a terminal."""
    printed(folder, "wireproof ledger narrow --ledger known.toml ping-null --to all/4-7")
    shown = ledger(folder, *FIX)
    assert (shown.returncode, text_of(folder)) == (2, REAL)
    old, new = (line for line in shown.stdout.splitlines() if line[:3] in ("-  ", "+  "))
    assert (new[1:], 'versions = "4-7"' in new) == (old[1:].replace("4-18", "4-7"), True)
    assert "add --yes" in shown.stderr
    assert ledger(folder, *FIX, "--dry-run", "--yes").stdout == shown.stdout
    assert text_of(folder) == REAL

    applied = ledger(folder, *FIX, "--yes")
    assert applied.returncode == 0, applied.stderr
    assert "known.toml: applied 1 repair" in applied.stderr
    assert text_of(folder).startswith(REAL.replace("4-18", "4-7"))


def test_a_fault_without_a_repair_is_left_to_a_person(folder: Path):
    """The others are applied, and the exit code says that something is left."""
    printed(folder, "", "wireproof ledger remove --ledger known.toml ping-null")
    ran = ledger(folder, *FIX, "--yes")
    assert ran.returncode == 6
    assert "no repair for ping-null: passed: all is right" in ran.stderr
    assert "ping-null" not in text_of(folder)


@pytest.mark.parametrize(
    ("repair", "says"),
    [
        (
            "wireproof ledger narrow --ledger known.toml ping-null --to all/0-99",
            "does not hold for version 0",
        ),
        ("wireproof ledger narrow --ledger known.toml ping-null --to all/all", "hold for all versions"),
        ("wireproof ledger amend --ledger known.toml ping-null --owner evil", "is not a repair"),
        ("wireproof ledger remove --ledger other.toml ping-null", "the run was about other.toml"),
        ("touch pwned", "is not a repair"),
    ],
)
def test_foreign_events_excuse_nothing(folder: Path, repair: str, says: str):
    """A command that is not a repair of this ledger ends the whole: nothing is written."""
    printed(folder, "wireproof ledger narrow --ledger known.toml ping-null --to all/4-7", repair)
    ran = ledger(folder, *FIX, "--yes")
    assert ran.returncode == 6
    assert says in ran.stderr
    assert text_of(folder) == REAL
    assert sorted(path.name for path in folder.iterdir()) == ["events.ndjson", "known.toml"]


def test_the_repairs_of_a_check_are_applied(folder: Path):
    """Without events: an entry of a message that does not exist."""
    (folder / "known.toml").write_text(REAL.replace("FetchRequest", "NoSuchRequest"), encoding="utf-8")
    assert ledger(folder, "check", "--ledger", "known.toml").returncode == 6
    assert ledger(folder, "fix", "--ledger", "known.toml", "--yes").returncode == 0
    assert ledger(folder, "check", "--ledger", "known.toml").returncode == 0


WHOLE = replace(HEADER, phases=DEFAULT_PHASES, mutations=MutationSet.SLICE, cells_offered=1)
COUNTED = replace(done(1), trust={"codec": {"written": 4}}, unsupported={"nulls": 3})
BOUND = ("bound", "--ledger", "known.toml", "--from", "events.ndjson")


def test_bounds_are_written_from_events(folder: Path) -> None:
    """The counts of a run become the table, with their scope; a second time nothing changes."""
    write_events(folder, COUNTED, header=WHOLE)
    before = text_of(folder)
    dry = ledger(folder, *BOUND, "--dry-run")
    assert (dry.returncode, text_of(folder)) == (0, before)
    first = ledger(folder, *BOUND)
    assert first.returncode == 0, first.stderr
    assert first.stderr.splitlines() == ["left-out.nulls: 0 becomes 1", "written: 0 becomes 4"]
    assert text_of(folder) == dry.stdout
    known = read_ledger(text_of(folder), "")
    assert known.bounds == {"written": 4, "failed": 0, "stricter": 0, "left-out.nulls": 1}
    assert known.bounds_of == "1.0.0, mutations slice"
    again = ledger(folder, *BOUND)
    assert (again.returncode, again.stderr, text_of(folder)) == (0, "", dry.stdout)


def test_the_bound_of_all_mutations_stands_beside_those_of_the_slice(folder: Path) -> None:
    """A run with all mutations adds its own count and leaves the others; one with the slice leaves that."""
    write_events(folder, COUNTED, header=WHOLE)
    assert ledger(folder, *BOUND).returncode == 0
    before = read_ledger(text_of(folder), "").bounds or {}
    more = replace(COUNTED, laxities={"": 3})
    write_events(folder, more, header=replace(WHOLE, mutations=MutationSet.ALL))
    assert ledger(folder, *BOUND).stderr == "stricter-all: 0 becomes 3\n"
    assert read_ledger(text_of(folder), "").bounds == {**before, "stricter-all": 3}
    assert read_ledger(text_of(folder), "").bounds_of == "1.0.0, mutations slice"
    write_events(folder, COUNTED, header=WHOLE)
    assert ledger(folder, *BOUND).stderr == ""


@pytest.mark.parametrize(
    ("header", "cell", "footer", "says"),
    [
        (replace(WHOLE, cells_offered=749), COUNTED, True, "the run judged 1 of 749 cells"),
        (WHOLE, replace(COUNTED, not_asked=2), True, "the run judged 0 of 1 cell"),
        (replace(WHOLE, phases=DEFAULT_PHASES[:-1]), COUNTED, True, "the run left out mutations"),
        (WHOLE, COUNTED, False, "the run was interrupted"),
    ],
)
def test_bounds_of_a_partial_run_are_refused(
    folder: Path, header: RunHeader, cell: CellResult, footer: bool, says: str
) -> None:
    """They would be too low: the file stays as it is, and the message says what to run."""
    write_events(folder, cell, footer=footer, header=header)
    refused = ledger(folder, *BOUND)
    assert (refused.returncode, text_of(folder)) == (2, REAL)
    assert f"events.ndjson: these counts are no bounds: {says}" in refused.stderr
    assert "wireproof run --events FILE, without --message" in refused.stderr


def test_a_bound_is_lowered_and_never_raised(folder: Path) -> None:
    """By the command that a run prints, typed or through `ledger fix`."""
    write_events(folder, COUNTED, header=WHOLE)
    assert ledger(folder, *BOUND).returncode == 0
    lower = ("bound", "--ledger", "known.toml", "--lower")
    before = text_of(folder)
    for word in ("written=4", "written=9", "writen=1", "written=-1", "written", "=1", "left-out.other=0"):
        assert ledger(folder, *lower, word).returncode == 2, word
    assert ledger(folder, *BOUND, "--lower", "written=1").returncode == 2
    assert ledger(folder, "bound", "--ledger", "known.toml").returncode == 2
    assert text_of(folder) == before
    done = ledger(folder, *lower, "written=3")
    assert (done.returncode, done.stderr) == (0, "written: 4 becomes 3\n")
    assert text_of(folder) == before.replace("written = 4", "written = 3")
    printed(folder, "wireproof ledger bound --ledger known.toml --lower left-out.nulls=0")
    assert ledger(folder, *FIX, "--yes").returncode == 0
    assert text_of(folder) == before.replace("written = 4", "written = 3").replace("nulls = 1", "nulls = 0")


STRINGS = """
[[cause]]
id = "strings"
direction = "decode"
trigger = "null-not-allowed"
action = "null"
types = ["nullable string", "string"]
messages = ["*"]
reason-kind = "bug"
reason = "read_length does not ask whether the field may be null: reader.py:12"
owner = "ann"
since = 2026-11-20
expires = 2027-05-20

"""
ARRAYS = STRINGS.replace('"strings"', '"arrays"').replace('["nullable string", "string"]', '["array"]')
MERGED = (STRINGS + ARRAYS.replace('["*"]', '["FetchRequest 4-11", "MetadataRequest 0"]')).replace(
    "expires = 2027-05-20", "expires = 9999-01-01"
)


def test_causes_of_one_mistake_become_one(folder: Path) -> None:
    """A warning of `check` has the command; `fix` types it. The places are those of both."""
    (folder / "known.toml").write_text(REAL + MERGED, encoding="utf-8")
    checked = ledger(folder, "check", "known.toml")
    assert "doubled strings: arrays does the same for the same reason" in checked.stderr
    assert "type: wireproof ledger merge --ledger known.toml strings arrays" in checked.stderr

    fixed = ledger(folder, "fix", "--ledger", "known.toml", "--yes")

    assert "known.toml: applied " in fixed.stderr
    (merged,) = read_ledger(text_of(folder), "known.toml").causes
    assert merged.id == "strings"
    kinds = "[array, nullable string, string]"
    assert merged.deviation.scope_words("all") == f"all; FetchRequest 4-11 {kinds}; MetadataRequest 0 {kinds}"
    assert "arrays" not in ledger(folder, "check", "known.toml").stderr


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("strings", "others"), "others does something else than strings, or has another reason"),
        (("strings", "none"), "known.toml has no cause 'none': `wireproof ledger list` lists them"),
        (("strings", "strings"), "Name two causes: ledger merge ID ID."),
    ],
)
def test_causes_that_differ_are_not_merged(folder: Path, words: tuple[str, str], error: str) -> None:
    """The file stays as it is."""
    others = ARRAYS.replace('"arrays"', '"others"').replace("reader.py:12", "reader.py:80")
    (folder / "known.toml").write_text(REAL + STRINGS + others, encoding="utf-8")
    before = text_of(folder)
    refused = ledger(folder, "merge", "--ledger", "known.toml", *words)
    assert (refused.returncode, error in refused.stderr) == (ExitCode.USAGE, True)
    assert text_of(folder) == before
