"""Entries that are made of the divergences of a run."""

import io
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from tests.support.environments.ledgers import CATALOGUE, ENTRY, TODAY, cause, done, entry, place, wild
from tests.support.environments.small_environment import cell
from wireproof.base.exit_codes import ExitCode
from wireproof.model.agreement import ObservedCause
from wireproof.model.cell import Cell, FramePart, Phase
from wireproof.model.repertoire import CodecDirection
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.deviations.search.cell_diagnosis import CellCause, CellDiagnosis
from wireproof.proof.run.core.run_events import RunFooter, RunHeader, Totals
from wireproof.verdict.ledger.accepting import Acceptance, Terms, accept
from wireproof.verdict.ledger.bounds import CountScope
from wireproof.verdict.ledger.entry import ReasonKind, Symptom
from wireproof.verdict.ledger.files.event_reading import ObservedCauses, merged_causes, read_events
from wireproof.verdict.ledger.files.ledger_reading import LedgerError
from wireproof.verdict.ledger.known_causes import LedgerCause
from wireproof.verdict.ledger.ledger import Ledger
from wireproof.verdict.ledger.repairs import Catalogue
from wireproof.verdict.ledger.spans import Releases
from wireproof.verdict.report.events.event_json import EventFile

TERMS = Terms(ReasonKind.BUG, "me", TODAY, date(2027, 5, 20))
DONE = frozenset(cell("PingRequest", version) for version in range(4))


def taken(*causes: tuple[int, ObservedCause], ledger: Ledger | None = None, **parts: Any) -> Acceptance:
    met = tuple((cell("PingRequest", version), each) for version, each in causes)
    seen = ObservedCauses(parts.pop("subjects", ("codec",)), DONE, met, complete=True)
    return accept(ledger or Ledger(()), seen, TERMS, CATALOGUE, **parts)


def test_versions_become_a_range_and_releases_all():
    """One cause is one entry, however many cells show it."""
    (new,) = taken(*((version, cause(version)) for version in (1, 2, 3))).new
    assert new == replace(
        ENTRY,
        id="ping-request-name-bytes",
        reason="the bytes differ from Kafka's",
        case=cause(1).case_id,
        tried=Releases.parse("1.0.0"),
    )


def test_an_entry_says_in_which_releases_it_was_tried():
    """These are all releases where each tried one shows it. Further runs add releases."""
    cells = [Cell(release, "clients", "PingRequest", 1) for release in ("3.9.2", "4.3.1", "4.4.0")]
    catalogue = Catalogue(cells)

    def entry_of(ledger: Ledger, done: list[Cell], **parts: Any) -> Acceptance:
        met = () if parts else tuple((cell, cause(1)) for cell in done)
        return accept(
            ledger, ObservedCauses(("codec",), frozenset(done), met, True, **parts), TERMS, catalogue
        )

    (new,) = entry_of(Ledger(()), cells[1:]).new
    assert (str(new.releases), str(new.tried)) == ("all", "4.3.1-4.4.0")
    old = replace(new, tried=Releases.parse("2.8.2, 4.4.0"))
    (wide,) = entry_of(Ledger((old,)), cells[:1], known=frozenset({(old.id, "3.9.2")})).widened.values()
    assert str(wide.tried) == "2.8.2, 3.9.2, 4.4.0"
    assert entry_of(Ledger((new,)), cells[1:], known=frozenset({(new.id, "4.4.0")})).widened == {}


def test_another_kind_field_or_check_is_another_entry():
    """Each entry has a distinct id."""
    causes = [
        cause(1),
        cause(1, kind="invalid"),
        cause(1, field="hops[].at"),
        cause(1, check="size", field=""),
    ]
    assert [new.id for new in taken(*((1, each) for each in causes)).new] == [
        "ping-request-name-bytes",
        "ping-request-name-bytes-invalid",
        "ping-request-hops-at-bytes",
        "ping-request-size",
    ]


def test_a_known_cause_is_not_written_again():
    """An entry that covers the cell is enough."""
    result = taken((1, cause(1)), ledger=Ledger((ENTRY,)))
    assert (result.new, result.widened) == ([], {})


def test_an_entry_of_the_same_cause_is_widened():
    """Its id, reason and date stay; its versions and phases are extended."""
    result = taken((0, cause(0)), (0, cause(0, phase=Phase.FRAME)), ledger=Ledger((ENTRY,)))
    assert result.new == []
    (wide,) = result.widened.values()
    assert wide == replace(entry(versions="0-3"), phases=(Phase.ENUMERATED, Phase.FRAME))


def test_random_findings_have_their_own_entry():
    """A version that only the random phase has seen cannot make an entry stale; one seen both ways can."""
    sure, chance = taken(
        (1, cause(1)), (1, cause(1, phase=Phase.RANDOM)), (2, cause(2, phase=Phase.RANDOM))
    ).new
    assert (str(sure.versions), sure.phases) == ("1", (Phase.ENUMERATED,))
    assert (str(chance.versions), chance.phases) == ("2", (Phase.RANDOM,))
    assert not chance.judged_phases
    assert chance.id == "ping-request-name-bytes-2"


def test_a_codec_among_several_is_named():
    """A cause that both codecs show has an entry for both."""
    (one,) = taken((1, cause(1)), subjects=("codec", "twin")).new
    assert one.subject == "codec"
    (both,) = taken((1, cause(1)), (1, cause(1, subject="twin")), subjects=("codec", "twin")).new
    assert both.subject == ""


def test_faults_of_the_layout_or_of_kafka_are_not_accepted():
    """They are left out, and reported."""
    result = taken((1, cause(1, subject="oracle")), (1, cause(1, subject="layout")))
    assert result.new == []
    assert [each.subject for _, each in result.left] == ["oracle", "layout"]


def test_releases_that_do_not_show_it_are_left_out():
    """Releases are grouped into as few entries as possible."""
    cells = [
        Cell(release, "clients", "PingRequest", v) for release in ("3.9.2", "4.3.1", "4.4.0") for v in (1, 2)
    ]
    shown = tuple(
        (where, cause(where.version)) for where in cells if where.release != "3.9.2" or where.version == 1
    )
    seen = ObservedCauses(("codec",), frozenset(cells), shown, complete=True)
    new = accept(Ledger(()), seen, TERMS, Catalogue(cells)).new
    assert [str(each.extent) for each in new] == ["all/1", "4.3.1-4.4.0/2"]


def test_three_messages_make_a_primitive_if_asked():
    """A type has one entry, and so does a check without a field; a struct has none."""
    cells = [cell(name, 1) for name in ("PingRequest", "PingResponse", "RequestHeader")]
    tail = cause(1, check="tail", field="", type="", kind="accepted")
    causes = [cause(1), tail, cause(1, type="PingHop")]
    seen = ObservedCauses(
        ("codec",), frozenset(cells), tuple((where, each) for where in cells for each in causes), True
    )
    new = accept(Ledger(()), seen, TERMS, CATALOGUE, primitives=True).new
    wild = [each for each in new if each.any_message]
    assert [(each.id, each.type, str(each.extent)) for each in wild] == [
        ("any-string-bytes", "string", "all/all"),
        ("any-tail-accepted", "", "all/all"),
    ]
    assert len(new) == 2 + 3
    assert not any(each.any_message for each in accept(Ledger(()), seen, TERMS, CATALOGUE).new)


def test_an_entry_for_all_messages_lists_its_evidence():
    """Evidence has message, version, field and part: a header's field is another place than the message's."""
    cells = [
        cell(name, version) for name in ("PingRequest", "PingResponse", "RequestHeader") for version in (0, 1)
    ]
    met = [*((where, cause(1)) for where in cells), (cells[0], cause(0, field="hops[].name"))]
    met += [(cells[2], cause(0, field="clientId", part=FramePart.HEADER))]
    seen = ObservedCauses(("codec",), frozenset(cells), tuple(met), complete=True)
    (new,) = accept(Ledger(()), seen, TERMS, CATALOGUE, primitives=True).new
    assert new.seen.words() == [
        "message/PingRequest 0: hops[].name",
        "message/PingRequest 0-1: name",
        "message/PingResponse 0-1: name",
        "message/RequestHeader 0-1: name",
        "header/PingResponse 0: clientId",
    ]
    assert not any(new.explains(Symptom.of_cause(cells[1], each)) for each in (cause(1, field="host"),))


def test_the_way_a_decoder_ends_is_one_cause_for_fields_of_all_types():
    """The type of a field is part of the cause only where the codec is laxer."""
    cells = [cell(name, 1) for name in ("PingRequest", "PingResponse", "RequestHeader")]
    laxer = cause(1, check="malformed", field="name", kind="laxer:text")
    ended = [
        cause(1, check="malformed", field=field, type=type_, kind="crashed:KeyError")
        for field, type_ in (("name", "string"), ("hops", "[]PingHop"), ("header.clientId", ""))
    ]
    met = tuple((where, each) for where in cells for each in (laxer, *ended))
    seen = ObservedCauses(("codec",), frozenset(cells), met, complete=True)
    new = accept(Ledger(()), seen, TERMS, CATALOGUE, primitives=True).new
    assert [(each.message, each.type, each.kind) for each in new] == [
        ("*", "string", "laxer:text"),
        ("*", "", "crashed:KeyError"),
    ]
    assert new[1].seen.words()[0] == "message/PingRequest 1: header.clientId, hops, name"


@pytest.mark.parametrize("before", [(), (place(0, "host"),)], ids=["of an older wireproof", "with evidence"])
def test_a_new_place_extends_the_evidence_of_an_existing_entry(before):
    """With or without --primitives, its id, reason, date and evidence stay."""
    known = wild(*before)
    met = ((cell("PingRequest", 1), cause(1)), (cell("PingRequest", 2), cause(2, phase=Phase.FRAME)))
    result = accept(Ledger((known,)), ObservedCauses(("codec",), DONE, met, complete=True), TERMS, CATALOGUE)
    assert result.new == []
    (wide,) = result.widened.values()
    assert set(wide.seen) == {*before, place(1), place(2)}
    phases = (Phase.ENUMERATED, Phase.FRAME)
    assert wide == replace(known, seen=wide.seen, phases=phases)
    again = accept(Ledger((wide,)), ObservedCauses(("codec",), DONE, met, complete=True), TERMS, CATALOGUE)
    assert (again.new, again.widened) == ([], {})


def test_random_places_are_not_evidence_for_every_run():
    """They have their own entry, which never becomes stale by a pass."""
    known = wild(place(1))
    met = ((cell("PingRequest", 2), cause(2, phase=Phase.RANDOM)),)
    result = accept(Ledger((known,)), ObservedCauses(("codec",), DONE, met, complete=True), TERMS, CATALOGUE)
    assert result.widened == {}
    (new,) = result.new
    assert (new.message, str(new.versions), new.judged_phases) == ("PingRequest", "2", frozenset())


def test_another_part_of_a_message_has_its_own_entry():
    """A field of a header and a field of the same name in the message are two entries."""
    new = taken((1, cause(1)), (1, cause(1, part=FramePart.HEADER))).new
    assert [(each.id, each.part) for each in new] == [
        ("ping-request-name-bytes", ""),
        ("ping-request-header-name-bytes", "header"),
    ]


def test_only_selected_divergences_are_accepted():
    """The rest stays a divergence."""
    result = taken((1, cause(1)), (2, cause(2)), wanted=lambda where, each: where.version == 2)
    assert [str(each.versions) for each in result.new] == ["2"]


def _deviation(action: str, kind: str) -> CellCause:
    deviation = Deviation(CodecDirection.DECODE, "negative-length", action, types=frozenset({"string"}))
    shown = frozenset({("decode", "name", kind)})
    return CellCause(deviation, frozenset({"name"}), 1, cause(1).case_id, 9, "", "", "", shown)


def test_a_deviation_that_says_otherwise_leaves_its_causes_to_entries():
    """The ledger knows that the codec goes back; in another cell than that it may crash."""
    known = _deviation("back", "differs").deviation.shown_in("PingRequest", 1)
    ledger = Ledger(
        (), causes=(LedgerCause("back", known, ReasonKind.BUG, "r", "me", TODAY, date(2027, 5, 20)),)
    )
    met = [cause(version, check="decode", kind="crashed:Oops") for version in (1, 2)]
    seen = ObservedCauses(
        ("codec",),
        DONE,
        (),
        complete=True,
        deviations=tuple((cell("PingRequest", each), _deviation("crash", "crashed:Oops")) for each in (1, 2)),
        predicted=tuple((cell("PingRequest", each), met[each - 1]) for each in (1, 2)),
    )
    accepted = accept(ledger, seen, TERMS, CATALOGUE)
    assert [(each.deviation.action, each.deviation.scope) for each in accepted.causes] == [
        ("crash", {"PingRequest": frozenset({2})})
    ]
    assert [(each.kind, str(each.versions)) for each in accepted.new] == [("crashed:Oops", "1")]


def test_a_cause_of_every_message_gives_way_where_another_one_shows():
    """Nobody looked at every message; the cell that shows the other one says what the codec does there."""
    wide = _deviation("back", "differs").deviation.everywhere({})
    ledger = Ledger(
        (), causes=(LedgerCause("back", wide, ReasonKind.BUG, "r", "me", TODAY, date(2027, 5, 20)),)
    )
    shown = cell("PingRequest", 2)
    seen = ObservedCauses(
        ("codec",),
        DONE,
        (),
        complete=True,
        deviations=((shown, _deviation("crash", "crashed:Oops")),),
        predicted=((shown, cause(2, check="decode", kind="crashed:Oops")),),
    )
    accepted = accept(ledger, seen, TERMS, CATALOGUE)
    assert accepted.new == []
    assert [each.deviation.action for each in accepted.causes] == ["crash"]
    assert accepted.widened_causes["back"].deviation.outside == {"PingRequest": frozenset({2})}


@pytest.mark.parametrize(("shown", "everywhere"), [(12, False), (13, True)])
def test_a_deviation_of_most_messages_is_one_of_all(shown: int, everywhere: bool):
    """Half of the messages that the run judged are not most; one that does otherwise stays outside."""
    back, crash = _deviation("back", "differs"), _deviation("crash", "crashed:Oops")
    found = [(cell(f"M{number}Request", 1), back) for number in range(shown)]
    seen = ObservedCauses(
        ("codec",),
        frozenset(cell(f"M{number}Request", 1) for number in range(25)),
        (),
        complete=True,
        deviations=(*found, (cell("M24Request", 1), crash)),
    )
    wide, narrow = accept(Ledger(()), seen, TERMS, CATALOGUE).causes
    assert bool(wide.deviation.scope) is not everywhere
    assert wide.deviation.outside == ({"M24Request": frozenset({1})} if everywhere else {})
    assert wide.deviation.covers("M20Request", 7) is everywhere
    assert not wide.deviation.covers("M24Request", 1)
    assert narrow.deviation.scope == {"M24Request": frozenset({1})}


def test_causes_are_read_from_an_event_file():
    """Subjects, cells and causes are read as a run writes them; a file without a footer is incomplete."""
    stream = io.StringIO()
    listener = EventFile(stream)
    listener(RunHeader("1", (), 0, ("1.0.0",), {}, ("codec",), (Phase.ENUMERATED,), 1, {}))
    listener(done(1, failed=1, causes=(cause(1),)))
    lines = stream.getvalue().splitlines()
    assert read_events(lines) == ObservedCauses(
        ("codec",),
        frozenset({cell("PingRequest", 1)}),
        ((cell("PingRequest", 1), cause(1)),),
        complete=False,
        scopes=(CountScope(("1.0.0",), (Phase.ENUMERATED,), judged=1),),
    )
    listener(RunFooter(Totals(), 1.0, ExitCode.DIVERGENCE))
    assert read_events(stream.getvalue().splitlines()).complete


@pytest.mark.parametrize("rest", [0, 1])
def test_what_is_hidden_behind_predicted_cases_needs_no_entry(rest):
    """Two exchanged fields are one cause, and two differences in the bytes. A case without a cause may hide
    anything."""
    swapped = Deviation(CodecDirection.ENCODE, "neighbours", "swapped", fields=frozenset({"name"}))
    shown = frozenset({("bytes", "name", "differs")})
    found = CellCause(swapped, frozenset({"name"}), 1, cause(1).case_id, 9, "", "", "", shown)
    left = ((("bytes", "other", "differs"), 1),) if rest else ()
    stream = io.StringIO()
    listener = EventFile(stream)
    listener(RunHeader("1", (), 0, ("1.0.0",), {}, ("codec",), (Phase.ENUMERATED,), 1, {}))
    cell_done = done(1, failed=1, causes=(cause(1),), hidden_causes=(cause(1, field="version"),))
    listener(replace(cell_done, diagnosis=CellDiagnosis((found,), 1 + rest, rest, left)))
    accepted = accept(Ledger(()), read_events(stream.getvalue().splitlines()), TERMS, CATALOGUE)
    assert [each.deviation.trigger for each in accepted.causes] == ["neighbours"]
    assert [each.field for each in accepted.new] == ["version"] * rest


@pytest.mark.parametrize("line", ["x", "[]", "{}", '{"event":"cell","cell":"1.0.0/PingRequest/1"}'])
def test_a_line_that_is_not_an_event_is_reported(line):
    """It is another file, or a file of another release of wireproof."""
    with pytest.raises(LedgerError, match="line 2 is not an event"):
        read_events(['{"event":"broken"}', line])


def test_frames_show_primitives_too():
    """Header and body have the same bytes for unknown tags, and for fields of a type."""
    cells = [cell(name, 1) for name in ("PingRequest", "PingResponse", "RequestHeader")]
    tags = cause(1, check="frame-bytes", field="_tags", type="tags", phase=Phase.FRAME)
    named = replace(tags, field="name", type="string")
    met = tuple((where, each) for where in cells for each in (tags, named))
    new = accept(
        Ledger(()), ObservedCauses(("codec",), frozenset(cells), met, True), TERMS, CATALOGUE, primitives=True
    ).new
    assert [(each.id, each.type) for each in new if each.any_message] == [
        ("any-tags-frame-bytes", "tags"),
        ("any-string-frame-bytes", "string"),
    ]
    assert len(new) == 2


def test_codecs_with_different_versions_have_separate_entries():
    """Otherwise an entry would cover too many versions of one codec."""
    new = taken(
        *((version, cause(version)) for version in (1, 2)),
        (1, cause(1, subject="twin")),
        subjects=("codec", "twin"),
    ).new
    assert [(each.subject, str(each.versions)) for each in new] == [("codec", "1-2"), ("twin", "1")]


def test_runs_of_several_codecs_are_merged():
    """Subjects, cells and causes are merged; the result is complete if each run is."""
    one = ObservedCauses(("codec",), DONE, ((cell("PingRequest", 1), cause(1)),), complete=True)
    other = ObservedCauses(("twin",), frozenset({cell("PingResponse", 1)}), (), complete=False)
    both = merged_causes([one, other])
    assert both == ObservedCauses(("codec", "twin"), DONE | other.done, one.causes, complete=False)
