"""Reading event files back: the exact inverse of writing them, and clear errors for other texts."""

import io
import json
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Final

import jsonschema
import pytest

from tests.support.reports.sample_events import CELL, DIAGNOSIS, DONE, EVENTS, FAILED, FINISHED, STARTED
from wireproof.base.exit_codes import ExitCode
from wireproof.model.agreement import (
    AgreementGroup,
    CellComparison,
    CodecTask,
    Disagreement,
    ObservedDeviation,
)
from wireproof.model.cell import FramePart, Phase
from wireproof.model.codec_ends import CodecEnd
from wireproof.model.divergence import ByteEvidence, NamedBytes
from wireproof.model.malformed_input import MalformedVerdict
from wireproof.proof.config.selection import MutationSet
from wireproof.proof.run.core.cell_events import (
    CellProgress,
    ComparedCell,
    DeviantCase,
    EndedCodec,
    ShrunkCase,
)
from wireproof.proof.run.core.run_events import (
    AcceptedDeviation,
    BrokenRun,
    ForkHeader,
    ReportedEvent,
    RunEvent,
    Totals,
)
from wireproof.verdict.report.events.event_json import EventFile
from wireproof.verdict.report.events.event_reader import EventFileError, read_event_file, read_event_lines

END = CodecEnd("codec", "hang", "no answer", case="mutations/default/count=max@4", site="count", left_s=51.5)
COMPARED = CellComparison(
    {CodecTask.ENCODE: 7},
    {"codec": {MalformedVerdict.LAXER: 2}},
    (
        Disagreement(
            CodecTask.DECODE, "clientId",
            (AgreementGroup(("Kafka",), "reads"), AgreementGroup(("codec",), "x")), 3, FAILED.case_id,
        ),
    ),
)  # fmt: skip
BYTES = ByteEvidence(NamedBytes("00ff", 4, 9, ((0, 6, "topics count"),)), None, NamedBytes("", 0, 0))
MORE: Sequence[RunEvent] = (
    EndedCodec(CELL, f"{CELL.id}/{END.case}", END),
    ComparedCell(CELL, COMPARED),
    DeviantCase(CELL, FAILED.phase, FAILED.case_id, FAILED.divergences[:1], '{"a":1}', None, "00ff"),
    BrokenRun("the harness failed", "", ExitCode.BROKEN),
    replace(
        DONE, verdicts={MalformedVerdict.AGREE: 3}, not_asked=4,
        known_at=(ObservedDeviation("e", FramePart.HEADER, "a", 2),),
        skipped={FAILED.case_id: 2}, trust={"codec": {"written": 1}}, laxities={"": 1},
        unsupported={"nan": 2}, errata={"KAFKA-1": 3}, phase_s={Phase.RANDOM: 1.5}, diagnosis=DIAGNOSIS,
    ),
    replace(FAILED, divergences=(replace(FAILED.divergences[0], bytes=BYTES),)),
    replace(FAILED, input="00ff", header='{"a":1}', entry="e.jsonl:7", after=(FAILED.case_id,)),
)  # fmt: skip
HEADER = replace(
    STARTED, testee="./codec", limits={"nan": "no NaN"}, where="a container", enforced={"network": "none"},
    ledger={"e": "bug: x"}, ledger_of="1.2", corpus={"broker": 3}, unsaid=("x",), mutations=MutationSet.SLICE,
    cells_offered=508, unclaimed={"4.4.0/clients/FetchRequest": (0, 1)},
    terms={"e": AcceptedDeviation("bytes", "2026-01-02", "2026-07-02", "team", "https://example.org/1")},
    forks=(ForkHeader("4.4.0+acme", "acme", "ab", ("TracePing",), ("FetchRequest",), "Kafka's generator"),),
)  # fmt: skip


def written(events: Sequence[RunEvent]) -> str:
    stream = io.StringIO()
    write = EventFile(stream)
    for event in events:
        write(event)
    return stream.getvalue()


TWO: Final = written([STARTED, FAILED])


def read(text: str) -> list[ReportedEvent]:
    return list(read_event_lines(io.StringIO(text)))


def test_each_event_is_read_as_it_was_written():
    """Every kind of event is among them, with every field set somewhere."""
    unset = [each.name for each in fields(HEADER) if getattr(HEADER, each.name) == each.default]
    assert not unset
    events = [HEADER, *EVENTS[1:-1], *MORE, FINISHED]
    kept = [event for event in events if not isinstance(event, CellProgress)]

    assert read(written(events)) == kept
    kinds = {json.loads(line)["event"] for line in written(events).splitlines()}
    schema = json.loads((Path(__file__).parents[4] / "docs/reference/events.schema.json").read_text())
    assert kinds == {each["$ref"].rpartition("/")[2] for each in schema["oneOf"]}


def test_the_smaller_instance_of_a_failure_is_of_its_module():
    """The line does not name the module."""
    shrunk = [event for event in read(written(EVENTS)) if isinstance(event, ShrunkCase)]

    assert [event.cell for event in shrunk] == [CELL]


def test_the_schema_describes_a_diagnosis():
    """It is of the event of a cell; `null` is no diagnosis."""
    schema = json.loads((Path(__file__).parents[4] / "docs/reference/events.schema.json").read_text())
    for diagnosis in (DIAGNOSIS, None):
        jsonschema.validate(json.loads(written([replace(DONE, diagnosis=diagnosis)])), schema)
    wrong = json.loads(written([replace(DONE, diagnosis=DIAGNOSIS)]))
    wrong["diagnosis"]["deviations"][0]["moon"] = 1
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, schema)


def test_a_cell_of_before_the_diagnosis_is_read():
    """The member is optional: event files of before have none."""
    line = json.loads(written([DONE]))
    del line["diagnosis"]

    assert read(f"{written([STARTED])}{json.dumps(line)}\n") == [STARTED, DONE]


@pytest.mark.parametrize(
    ("member", "garbage"),
    [
        ("deviations", 5),
        ("restCauses", [["cut", "", "accepted"]]),
        ("restCauses", [[1, "", "accepted", 2]]),
        ("rest", "many"),
        ("exhausted", 1),
        ("direction", "sideways"),
        ("trigger", "moon"),
        ("action", "clamp"),
        ("types", "int64"),
        ("onlyFields", [1]),
        ("fields", None),
        ("predicted", 1.5),
        ("case", "no case"),
        ("divergences", ["abc"]),
        ("divergences", [[1, 2, 3]]),
    ],
)
def test_garbage_in_a_diagnosis_is_refused_with_its_line(member: str, garbage: object):
    """Reports trust what they are given: they print no traceback later."""
    line = json.loads(written([replace(DONE, diagnosis=DIAGNOSIS)]))
    found = line["diagnosis"]
    (found if member in found else found["deviations"][0])[member] = garbage

    with pytest.raises(EventFileError, match="line 2: this is not an event"):
        read(f"{written([STARTED])}{json.dumps(line)}\n")


def test_a_line_that_is_cut_off_is_left_out():
    """The run was killed while it wrote the line, or is writing it now."""
    text = written(EVENTS)

    assert read(text[:-1]) == read(text)[:-1]
    assert read(text[: len(text) // 2]) == read(text)[: text[: len(text) // 2].count("\n")]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "line 1: there is no event"),
        ('{"event":"header"', "line 1: there is no event"),
        ("\n", "line 1: this is not an event"),
        ("[]\n", "line 1: this is not an event"),
        (written([FINISHED]), "line 1: the first event is not a header"),
        (written([STARTED]).replace('"format":1', '"format":2'), "this wireproof reads format 1"),
        (written([STARTED]) + '{"event":"later"}\n', "line 2: this is not an event"),
        (TWO.replace('"phase":"enumerated"', '"phase":"nonsense"'), "line 2: this is not an event"),
        (TWO.replace('"divergences":[', '"divergences":[],"x":['), "line 2: this is not an event"),
        (TWO.replace('"event":"failed"', '"event":"footer"'), "line 2: this is not an event"),
        (written([STARTED]) + "[" * 100_000 + "\n", "line 2: this is not an event"),
    ],
)  # fmt: skip
def test_another_text_is_refused_with_its_line(text: str, words: str):
    """The error says which line is wrong, and what was expected."""
    with pytest.raises(EventFileError) as caught:
        read(text)

    assert words in str(caught.value)
    assert len(str(caught.value)) < 500


def test_bytes_that_are_not_utf_8_are_refused_with_their_line(tmp_path: Path):
    """They end no command with a traceback."""
    path = tmp_path / "events.ndjson"
    path.write_bytes(written([STARTED]).encode() + b"\xff\xfe\n")

    with pytest.raises(EventFileError, match="line 2"):
        list(read_event_file(path))


def test_an_older_header_is_read():
    """Its two keys in snake_case were written before the schema of the events was kept."""
    text = written([HEADER]).replace("cellsOffered", "cells_offered").replace("ledgerOf", "ledger_of")

    assert read(text) == [HEADER]


def test_a_footer_keeps_its_totals():
    """Claims below their floor show in the exit code alone."""
    totals = Totals(9, 8, 7, 6, classes_met=5, claims=4, known={"e": 3}, ended={"hang": 2}, cells_not_whole=1)
    footer = replace(FINISHED, totals=totals, exit_code=ExitCode.BELOW_FLOOR)

    assert read(written([STARTED, footer]))[1] == footer
