"""Faults of a ledger, by itself and by the results of a run; each with the command that fixes it."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from tests.support.environments.ledgers import CATALOGUE, ENTRY, TODAY, cause, done, entry, place, shown, wild
from tests.support.environments.small_environment import PHASES
from wireproof.model.agreement import LedgerProblem
from wireproof.model.cell import Cell, FramePart, Phase
from wireproof.proof.run.core.cell_events import CellResult
from wireproof.verdict.ledger.audit import AuditScope, audit, check_alone
from wireproof.verdict.ledger.entry import Entry, ReasonKind
from wireproof.verdict.ledger.evidence import Evidence
from wireproof.verdict.ledger.ledger import Ledger
from wireproof.verdict.ledger.repairs import Catalogue, EntryFault
from wireproof.verdict.ledger.spans import Releases

ALL = [done(version) for version in range(4)]
SHOWN = [done(0), *(done(version, "ping-null") for version in (1, 2, 3))]


def problems(*entries: Entry, cells: Any = (), **parts: Any) -> list[tuple[str, str, str]]:
    """Return the entry, fault and command of each problem."""
    return [(each.entry, each.fault, each.repair) for each in found(*entries, cells=cells, **parts)]


def found(*entries: Entry, cells: Any = (), **parts: Any) -> tuple[LedgerProblem, ...]:
    options = {"phases": PHASES, "catalogue": CATALOGUE, "today": TODAY, **parts}
    return audit(Ledger(entries, "known.toml"), cells, **options)


def command(name: str, *words: str) -> str:
    return " ".join(["wireproof ledger", name, "--ledger known.toml", *words])


def test_an_observed_cause_has_no_problem():
    """The cause was observed in every version that the entry names."""
    assert problems(ENTRY, cells=SHOWN) == []


def test_untried_cells_have_no_problem():
    """No cell of the entry was tried, or none at all."""
    assert problems(ENTRY) == []
    assert problems(ENTRY, cells=[done(0), done(1, message="PingResponse")]) == []


def test_an_entry_that_passes_everywhere_is_removed():
    """All its versions were tried and pass."""
    (problem,) = found(ENTRY, cells=ALL)
    assert (problem.fault, problem.repair) == (EntryFault.PASSED, command("remove", "ping-null"))
    assert problem.message == "PingRequest passes in versions 1-3 (1.0.0)"


def test_an_entry_that_passes_where_it_was_tried_is_narrowed():
    """Two of three versions were judged."""
    assert problems(ENTRY, cells=ALL[:3]) == [
        ("ping-null", EntryFault.PASSED, command("narrow", "ping-null", "--to all/3"))
    ]


def test_a_range_wider_than_where_it_shows_is_over_broad():
    """Version 2 passes, and the other versions stay."""
    cells = [done(1, "ping-null"), done(2), done(3, "ping-null")]
    (problem,) = found(ENTRY, cells=cells)
    assert (problem.fault, problem.repair) == (
        EntryFault.OVER_BROAD,
        command("narrow", "ping-null", "--to all/1,3"),
    )
    assert problem.message == "it shows in versions 1, 3 (1.0.0), and not in version 2 (1.0.0)"


@pytest.mark.parametrize(
    "cell",
    [done(2, failed=1), done(2, message="PingResponse"), replace(done(2), cases={Phase.RANDOM: 50})],
    ids=["a new failure may hide it", "another message", "its phase had no case"],
)
def test_a_cell_without_the_cases_is_not_a_pass(cell: CellResult):
    """A version passes only if its cases would have shown the cause."""
    assert problems(ENTRY, cells=[done(1, "ping-null"), cell, done(3, "ping-null")]) == []


@pytest.mark.parametrize("phases", [(Phase.RANDOM,), (Phase.FRAME, Phase.MUTATIONS)])
def test_a_phase_that_did_not_run_is_not_a_pass(phases):
    """The cause was seen in the enumerated cases, and the run left these out."""
    assert problems(ENTRY, cells=ALL, phases=phases) == []


def test_without_its_phases_all_of_its_check_have_to_run():
    """A hand-written entry does not name its phases, so no phase of its check may be missing."""
    bare = replace(ENTRY, phases=())
    assert problems(bare, cells=ALL, phases=PHASES) == []
    assert problems(bare, cells=ALL, phases=list(Phase)) != []
    frames = replace(ENTRY, check="frame-bytes", phases=())
    cells = [replace(cell, cases={Phase.FRAME: 9}) for cell in ALL]
    assert problems(frames, cells=cells, phases=(Phase.FRAME,)) != []


@pytest.mark.parametrize(
    "silent",
    [replace(ENTRY, phases=(Phase.RANDOM, Phase.BULK)), replace(ENTRY, reason_kind=ReasonKind.FLAKY)],
    ids=["chance", "flaky"],
)
def test_an_intermittent_cause_is_not_stale_after_a_pass(silent):
    """Only random cases have shown it, or the entry is marked as intermittent."""
    assert problems(silent, cells=ALL) == []


def test_a_deviation_hides_faults_of_state():
    """Only proven values go through the script of states: with another known deviation there may be few of
    them."""
    tail = replace(ENTRY, id="tail", check="tail", field="", kind="accepted")
    cells = [done(1, "tail"), done(2, "other"), done(3)]
    assert problems(tail, cells=cells) == [
        ("tail", EntryFault.OVER_BROAD, command("narrow", "tail", "--to all/1-2"))
    ]


def test_malformed_bytes_do_not_hide_faults_of_state():
    """They are tried in another phase, with other values: a cause of the script of states that does not show
    is gone."""
    tail = replace(ENTRY, id="tail", check="tail", field="", kind="accepted")
    malformed = replace(
        ENTRY, id="malformed", check="malformed", kind="laxer:count-null", phases=(Phase.MUTATIONS,)
    )
    cells = [done(1, "tail"), done(2, "malformed"), done(3)]
    faults = problems(tail, malformed, cells=cells)
    assert ("tail", EntryFault.OVER_BROAD, command("narrow", "tail", "--to all/1")) in faults


def test_another_kind_is_reported_without_a_fix():
    """A known place that fails in another way is a finding, and no command excuses it."""
    cells = [done(1, failed=2, causes=(cause(1, kind="crashed:TypeError"),)), done(2)]
    (problem,) = found(ENTRY, cells=cells)
    assert problem.fault == EntryFault.OTHER_KIND
    assert problem.message == (
        "its place fails with kind crashed:TypeError; the entry says differs. "
        "The new kind is a separate finding"
    )
    assert problem.repair == ""


def test_another_kind_is_reported_only_at_places_of_the_evidence():
    """An unrelated bug that fails the same check elsewhere does not concern an entry for all messages."""
    other = cause(1, kind="crashed:TypeError")
    for known, faults in (
        (wild(place(2)), []),
        (wild(place(1, "host")), []),
        (wild(place(1)), ["other-kind"]),
    ):
        cells = [done(1, failed=2, causes=(other,))]
        assert [fault for _, fault, _ in problems(known, cells=cells)] == faults


@pytest.mark.parametrize(
    "other",
    [cause(1, field="count"), cause(1, check="decode"), cause(1, subject="layout", kind="x")],
    ids=["field", "check", "subject"],
)
def test_another_place_is_not_another_kind(other):
    """It is a divergence like any other."""
    assert problems(ENTRY, cells=[done(1, failed=1, causes=(other,))]) == []


def test_a_cause_that_shows_in_one_place_has_its_kind():
    """A new kind next to the known one is a divergence, and the entry is right."""
    other = cause(3, kind="crashed:TypeError")
    assert problems(ENTRY, cells=[*SHOWN[:3], done(3, failed=1, causes=(other,))]) == []


@pytest.mark.parametrize(
    ("stale", "says"),
    [
        (entry(message="PongRequest"), "no release has a message PongRequest"),
        (entry(versions="7-9"), "PingRequest has the versions 0-3 in releases all, and not 7-9"),
        (entry(releases="4.4.0"), "PingRequest is not in releases 4.4.0, and not 1-3"),
    ],
)
def test_an_entry_about_nothing_is_stale(stale, says):
    """No run is needed to find this."""
    (problem,) = check_alone(Ledger((stale,), "known.toml"), CATALOGUE, TODAY)
    assert (problem.fault, problem.message) == (EntryFault.STALE, says)
    assert problem.repair == command("remove", "ping-null")


def test_versions_that_do_not_exist_are_over_broad():
    """The last version of the message is 3."""
    assert problems(entry(versions="2-9")) == [
        ("ping-null", EntryFault.OVER_BROAD, command("narrow", "ping-null", "--to all/2-3"))
    ]


def test_a_cause_has_one_entry():
    """The later entry is removed, or keeps only what the first does not cover; another subject, kind or
    version is another cause."""
    twice = entry(id="again", versions="2-3")
    assert problems(ENTRY, twice) == [("again", EntryFault.DOUBLED, command("remove", "again"))]
    wider = entry(id="again", versions="0-1")
    assert problems(ENTRY, wider) == [("again", EntryFault.DOUBLED, command("narrow", "again", "--to all/0"))]
    assert problems(ENTRY, entry(id="again", kind="invalid"), entry(id="more", versions="0")) == []
    assert problems(entry(subject="a"), entry(id="again", subject="b")) == []
    assert problems(ENTRY, entry(id="again", subject="b")) != []


def test_an_entry_expires():
    """After that day the entry fails; within thirty days before it is reported and passes."""
    soon, late = (replace(ENTRY, expires=TODAY + timedelta(days=days)) for days in (30, -1))
    (warning,) = found(soon, cells=SHOWN)
    assert (warning.fault, warning.fails) == (EntryFault.EXPIRES_SOON, False)
    (problem,) = found(late, cells=SHOWN)
    assert (problem.fault, problem.fails) == (EntryFault.EXPIRED, True)
    assert problem.repair == warning.repair == ""
    assert problem.message == "it expired on 2026-11-20; look at the deviation again"
    assert problems(replace(ENTRY, expires=TODAY + timedelta(days=31)), cells=SHOWN) == []


def test_an_entry_to_be_removed_is_not_renewed():
    """Each entry has one command, because a second one would not find the entry."""
    assert [fault for _, fault, _ in problems(replace(ENTRY, expires=TODAY - timedelta(1)), cells=ALL)] == [
        EntryFault.PASSED
    ]


WILD = wild(place(1), place(2), place(2, "hops[].name"), place(1, message="PingResponse"))


def test_an_entry_for_all_messages_is_compared_at_each_place():
    """If a place was tried and does not show the cause, the evidence is too broad."""
    cells = [
        done(1, "wild", known_at=shown("wild", "name")),
        done(2, "wild", known_at=shown("wild", "name", "host")),
        done(3),
    ]
    (problem,) = found(WILD, cells=cells)
    assert (problem.fault, problem.fails) == (EntryFault.OVER_BROAD, True)
    assert problem.message == (
        "it shows at message: 1 message, 1 field, and not at message: 1 message, 1 field"
    )
    assert problem.repair == command("narrow", "wild", "--without 'message/PingRequest 2: hops[].name'")


@pytest.mark.parametrize(
    "quiet",
    [{"failed": 1}, {"not_asked": 3}, {"cases": {Phase.RANDOM: 50}}],
    ids=["a new failure may hide it", "not all was asked", "its phase had no case"],
)
def test_a_place_that_was_not_tried_is_not_compared(quiet):
    """The same holds for an entry of one message."""
    cells = [replace(done(1, failed=quiet.pop("failed", 0)), **quiet)]
    assert problems(WILD, cells=cells) == []
    assert problems(WILD, cells=[done(3), done(0, message="PingResponse")]) == []


def test_an_entry_for_all_messages_that_shows_nowhere_is_removed_or_narrowed():
    """All its places were tried, or some of them."""
    all_right = [done(1), done(2), done(1, message="PingResponse")]
    assert problems(WILD, cells=all_right) == [("wild", EntryFault.PASSED, command("remove", "wild"))]
    places = "--without 'message/PingRequest 1-2: name' --without 'message/PingRequest 2: hops[].name'"
    assert problems(WILD, cells=all_right[:2]) == [
        ("wild", EntryFault.PASSED, command("narrow", "wild", places))
    ]


def test_a_place_includes_the_part_of_the_frame():
    """A deviation of a header is not evidence for the message."""
    cells = [done(1, "wild", known_at=shown("wild", "name", part=FramePart.HEADER))]
    assert [fault for _, fault, _ in problems(wild(place(1)), cells=cells)] == [EntryFault.PASSED]


def test_many_places_are_removed_in_several_commands():
    """The length of a command line is limited; the message has the number of places that are left."""
    many = [place(1, f"field{index}") for index in range(50)]
    versions = [place(index % 4, f"other{index}") for index in range(50)]
    known = wild(*many, *versions, *(place(0, f"x{index}", message=f"M{index}") for index in range(60)))
    (problem,) = check_alone(Ledger((known,), "known.toml"), CATALOGUE, TODAY)
    assert problem.repair.count("--without") == 40
    assert problem.message.endswith("the command removes 40 of 60 lines: type it, then run again")


def test_evidence_about_unknown_messages_is_stale():
    """The message, or its version, is in no release; no run is needed to find this."""
    known = wild(place(1), place(9), place(1, message="PongRequest"))
    (problem,) = check_alone(Ledger((known,), "known.toml"), CATALOGUE, TODAY)
    assert (problem.fault, problem.fails) == (EntryFault.STALE, True)
    assert (
        problem.message == "releases all do not have message/PingRequest 9: name, message/PongRequest 1: name"
    )
    words = "--without 'message/PingRequest 9: name' --without 'message/PongRequest 1: name'"
    assert problem.repair == command("narrow", "wild", words)


def test_places_are_unique():
    """Two entries of one cause have no place in common."""
    again = replace(WILD, id="again", seen=Evidence.of([place(2), place(3)]))
    words = "--without 'message/PingRequest 2: name'"
    assert problems(WILD, again) == [("again", EntryFault.DOUBLED, command("narrow", "again", words))]
    assert problems(WILD, replace(again, seen=Evidence.of([place(3)]))) == []


def test_an_entry_for_all_messages_makes_the_entry_of_one_message_superfluous():
    """The entry for all messages explains first, so the narrower entry is a duplicate instead of a pass."""
    where = [done(version, "wild", known_at=shown("wild", "name")) for version in (1, 2, 3)]
    known = wild(*(place(version) for version in (1, 2, 3)))
    (problem,) = found(known, ENTRY, cells=[done(0), *where])
    assert (problem.entry, problem.fault) == ("ping-null", EntryFault.DOUBLED)
    assert problem.message.startswith("wild explains this place already")
    assert problem.repair == command("remove", "ping-null")


def test_passing_releases_are_removed_from_failing_versions():
    """Each version keeps the releases that show the cause; a version that shows it nowhere is removed from
    all of them."""
    releases = ("2.8.2", "3.9.2", "3.10.0", "4.4.0")
    catalogue = Catalogue(
        Cell(release, "clients", "PingRequest", version) for release in releases for version in range(4)
    )
    cells = [
        *(done(1, "ping-null", release=release) for release in releases),
        done(2, "ping-null", release="2.8.2"), done(2, release="3.10.0"), done(2, release="4.4.0"),
        done(3, release="4.4.0"),
    ]  # fmt: skip
    assert problems(ENTRY, cells=cells, catalogue=catalogue) == [
        ("ping-null", EntryFault.OVER_BROAD, command("narrow", "ping-null", "--to all/1 --to 2.8.2-3.9.2/2"))
    ]


def test_an_entry_of_another_codec_does_not_concern_a_run():
    """Variants share a ledger: each is judged by its own entries, and by those of all variants."""
    known = replace(ENTRY, subject="codec[compiled]")
    assert [fault for _, fault, _ in problems(known, cells=ALL)] == [EntryFault.PASSED]
    of = {name: AuditScope((f"codec[{name}]",)) for name in ("compiled", "interpreted")}
    assert [fault for _, fault, _ in problems(known, cells=ALL, asked=of["compiled"])] == [EntryFault.PASSED]
    assert problems(known, cells=ALL, asked=of["interpreted"]) == []


def test_a_pass_counts_in_tried_releases_and_equal_layouts():
    """In other releases the entry is only presumed: its fix is reported, and the run does not fail for it."""
    cells = [Cell(release, "clients", "PingRequest", 1) for release in ("3.9.2", "4.3.1", "4.4.0")]
    catalogue = Catalogue(cells, lambda message, version, one, other: "3.9.2" not in (one, other))
    known = entry(versions="1", tried=Releases.parse("4.4.0"))

    def problems_of(*releases: str, **parts: Any) -> list[LedgerProblem]:
        seen = [replace(done(1), cell=cell) for cell in cells if cell.release in releases]
        ledger = Ledger((replace(known, **parts),), "known.toml")
        return list(audit(ledger, seen, phases=[Phase.ENUMERATED], catalogue=catalogue, today=TODAY))

    for release in ("4.4.0", "4.3.1"):
        assert [(each.fault, each.fails) for each in problems_of(release)] == [("passed", True)]
    (presumed,) = problems_of("3.9.2")
    assert (presumed.fault, presumed.fails) == ("over-broad", False)
    assert "whose layout differs from that in 4.4.0, where it was tried" in presumed.message
    assert presumed.repair == command("narrow", "ping-null", "--to", "4.3.1-4.4.0/1")
    assert [each.fails for each in problems_of("3.9.2", tried=Releases())] == [True]
    assert [each.fails for each in problems_of("3.9.2", tried=Releases.parse("2.8.2"))] == [True]


def test_a_known_end_whose_case_ends_nothing_has_passed() -> None:
    """A run asks that one case: other cells, other phases and a failed cell say nothing about the entry."""
    case = "1.0.0/PingRequest/2/mutations/default/count=max@7"
    end = entry(
        check="malformed", kind="death:count-huge", case=case, phases=(Phase.MUTATIONS,), versions="1-3"
    )
    asked = done(2)
    (problem,) = found(end, cells=[asked], phases=[Phase.MUTATIONS])
    assert (problem.fault, problem.repair) == (EntryFault.PASSED, command("remove", "ping-null"))
    assert problem.message == f"its case ended nothing: {case}"
    assert problems(end, cells=[done(1), done(3)], phases=[Phase.MUTATIONS]) == []
    assert problems(end, cells=[asked, done(1, "ping-null")], phases=[Phase.MUTATIONS]) == []
    assert problems(end, cells=[replace(asked, failed_cases=1)], phases=[Phase.MUTATIONS]) == []
    assert problems(end, cells=[asked], phases=[Phase.ENUMERATED]) == []
    skipped = replace(asked, skipped={case: 1})
    assert problems(end, cells=[skipped], phases=[Phase.MUTATIONS]) == []


def test_in_a_part_of_the_mutations_an_entry_is_judged_by_its_own_case() -> None:
    """Other versions say nothing; nor does the case where the entry shows in another cell."""
    case = "1.0.0/PingRequest/2/mutations/default/count=max@7"
    lax = entry(check="malformed", kind="laxer:count", case=case, phases=(Phase.MUTATIONS,), versions="1-3")
    passed = replace(done(2), passed=frozenset({case}))
    (problem,) = found(lax, cells=[passed, done(1)], phases=[Phase.ENUMERATED])
    assert (problem.fault, problem.repair) == (EntryFault.PASSED, command("remove", "ping-null"))
    assert problem.message == f"its case passes: {case}"
    assert problems(lax, cells=[passed, done(1, "ping-null")], phases=[Phase.ENUMERATED]) == []
    assert problems(lax, cells=[done(1), done(2)], phases=[Phase.ENUMERATED]) == []
    flaky = replace(lax, reason_kind=ReasonKind.FLAKY)
    assert problems(flaky, cells=[passed], phases=[Phase.ENUMERATED]) == []
