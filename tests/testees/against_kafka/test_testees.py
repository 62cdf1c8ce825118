"""Testees against Kafka's classes: our own codec behind the protocol, right, and wrong in one way each."""

import io
import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from tests.support.commands.forked_command import run_command
from tests.support.testees.inline_run import as_json, prove_here, run_here
from tests.support.testees.own_object import own_object
from tests.support.testees.own_testee import DEFECTS, FRAMED, HOLES, TRAITS
from wireproof.kafka.releases.jar_store import cache_folder
from wireproof.proof.config.run_config import RunConfig
from wireproof.proof.testees.build.launch import prepare_testee
from wireproof.verdict.report.run.terminal_report import TerminalReport

OWN = Path(__file__).parents[2] / "support/testees/own_testee.py"
MESSAGES = (
    *("MetadataRequest", "MetadataResponse", "RecordBatch", "ProduceRequest", "ConsumerProtocolSubscription"),
    *("EndTxnMarker", "LeaderChangeMessage", "OffsetCommitKey", "OffsetCommitValue", "RegisterBrokerRecord"),
    "StickyAssignorUserData",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A testee whose variants are the flaws of our own codec."""
    made = tmp_path_factory.mktemp("testees") / "own"
    made.mkdir()
    run = [sys.executable, str(OWN), "--defect", "{variant}", "4.4.0", *MESSAGES]
    settings = {
        "name": "own",
        "language": "python",
        "version": "0",
        "run": run,
        "variants": ["none", *TRAITS, *DEFECTS, *FRAMED, *HOLES],
    }
    lines = [f"{key} = {json.dumps(value)}\n" for key, value in settings.items()]
    (made / "testee.toml").write_text("".join(lines))
    return made


def wireproof(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return run_command(folder, *words)


def run_events(folder: Path, *words: str) -> tuple[int, list[dict[str, Any]]]:
    """The exit code and the events of a run."""
    ran = wireproof(folder, "run", "--jobs", "1", "--shrink", "0", "--events", "-", *words)
    assert ran.stdout, ran.stderr
    return ran.returncode, [json.loads(line) for line in ran.stdout.splitlines()]


def object_here(variant: str, *words: str) -> tuple[int, list[dict[str, Any]]]:
    """The exit code and the events of a run in this process, with the codec in it."""
    return run_here(*words, launch=own_object(variant, "4.4.0", MESSAGES))


ENDING = ("ends-when-it-encodes", "dies-of-what-it-may-write")
"""The variants that end their process."""


def events_here(folder: Path, variant: str, cell: str, phase: str) -> tuple[int, list[dict[str, Any]]]:
    """The same of a run in this process, with the codec in it unless that ends its process."""
    if variant in ENDING:
        launch = prepare_testee(f"{folder}:{variant}", cache_folder(), print)
    else:
        launch = own_object(variant, "4.4.0", MESSAGES)
    return as_json(prove_here(RunConfig(cell=(cell,), phase=(phase,), shrink=0, jobs=1), launch))


@cache
def wrong_bytes(cell: str) -> list[dict[str, Any]]:
    """The events of a cell's mutations by our own codec."""
    _, events = object_here("none", "--cell", cell, "--phase", "mutations")
    return events


def test_behind_the_protocol_it_is_what_it_is_in_process(folder: Path) -> None:
    """Proven, in as many cells, with the same classes of values met; what is asked for is found sound."""
    words = ("--message", "Metadata*", "--message-version", "0,9,13")
    code, behind = run_here("--testee", str(folder), *words)
    assert code == 0, failed(behind)
    code, within = run_here("--twin", "compiled", *words)
    assert code == 0, failed(within)
    for key in ("cellsDone", "classesMet", "classesReachable", "classesUnreachable", "errata"):
        assert behind[-1][key] == within[-1][key]
    for phase in ("shape", "oracle", "frame", "random"):
        assert behind[-1]["cases"][phase] == within[-1]["cases"][phase]
    fresh = 4 * behind[-1]["cellsDone"]  # two instances, read and written by a process that is new to them
    assert behind[-1]["cases"]["enumerated"] == within[-1]["cases"]["enumerated"] + fresh
    assert behind[-1]["unsupported"] == {}

    assert wireproof(folder, "testee", "check", str(folder)).returncode == 0


def test_wrong_bytes_behind_the_protocol(folder: Path) -> None:
    """Every mutation is read there, and the verdicts are those of the codec in process: but for bytes
    that Kafka leaves, too, where this codec says that it leaves them and that one refuses them."""
    words = ("--cell", "4.4.0/MetadataRequest/12", "--phase", "mutations")
    code, behind = run_here("--testee", str(folder), *words)
    assert code == 0, failed(behind)
    _, within = run_here("--twin", "compiled", *words)
    assert behind[-1]["cases"] == within[-1]["cases"]
    assert sum(behind[-1]["verdicts"].values()) == sum(within[-1]["verdicts"].values())
    stopped = behind[-1]["verdicts"]["agree"] - within[-1]["verdicts"]["agree"]
    tails = within[-1]["laxities"].pop("trailing-bytes")
    assert tails - behind[-1]["laxities"].pop("trailing-bytes", 0) == stopped > 0
    assert behind[-1]["laxities"] == within[-1]["laxities"]


@pytest.mark.parametrize(
    "words",
    [
        ("--cell", "4.4.0/RecordBatch/2", "--phase", "enumerated", "--phase", "random", "--examples", "10"),
        ("--cell", "4.4.0/RecordBatch/1", "--phase", "enumerated", "--phase", "mutations"),
        ("--cell", "4.4.0/ProduceRequest/3", "--cell", "4.4.0/ProduceRequest/11", "--phase", "records"),
        (*(f"--message={name}" for name in MESSAGES[4:]), "--phase", "embedded"),
    ],
    ids=["records", "old-records", "messages-with-records", "framings"],
)
def test_records_and_framings_behind_the_protocol(folder: Path, words: tuple[str, ...]) -> None:
    """The same cases, classes of values and verdicts as in process; nothing is left out."""
    code, behind = run_here("--testee", str(folder), *words)
    assert code == 0, failed(behind)
    code, within = run_here("--twin", "compiled", *words)
    assert code == 0, failed(within)
    for key in ("cellsDone", "verdicts", "laxities", "classesMet", "classesReachable", "unsupported"):
        assert behind[-1][key] == within[-1][key]
    cases = dict(behind[-1]["cases"])
    if "enumerated" in cases:  # a process that is new to the message is asked some of the sets once more
        again = cases["enumerated"] - within[-1]["cases"]["enumerated"]
        assert 0 < again <= 16
        cases["enumerated"] -= again
    assert cases == within[-1]["cases"]
    assert sum(cases.values()) > 10


def test_classes_of_sets_that_a_codec_does_not_claim_are_excused() -> None:
    """The set of several compressions has one that the codec lacks: the enumerated phase is whole without."""
    code, events = object_here("two-compressions", "--cell", "4.4.0/RecordBatch/1", "--phase", "enumerated")
    assert code == 0, failed(events)
    end = events[-1]
    assert end["classesExcused"] > 0
    assert end["classesMet"] + end["classesExcused"] == end["classesReachable"]


def test_primitives_and_objects(folder: Path) -> None:
    """What our own codec writes and reads alone is what Kafka's types do, of the oldest and the newest line,
    wrong bytes included; its objects keep the law of equality. The cells are there as they are claimed."""
    phases = (f"--phase={phase}" for phase in ("enumerated", "random", "mutations"))
    lines = ("--release=2.8", "--release=4.4")
    words = ("--module", "primitives", *phases)
    code, events = object_here("objects", *words, *lines)
    assert code == 0, failed(events)
    assert events[-1]["cellsDone"] == 20 * 2
    assert events[-1]["classesMet"] == events[-1]["classesReachable"]
    assert set(events[-1]["verdicts"]) == {"agree", "stricter"}
    words = ("--cell", "4.4.0/MetadataRequest/12", "--phase", "enumerated")
    code, events = object_here("objects", *words)
    assert code == 0, failed(events)
    _, without = object_here("none", *words)
    assert events[-1]["cases"]["enumerated"] > without[-1]["cases"]["enumerated"]
    assert wireproof(folder, "run", "--testee", str(folder), "--module", "primitives").returncode == 3
    assert wireproof(folder, "testee", "check", f"{folder}:objects").returncode == 0


def test_a_codec_that_writes_what_kafkas_class_writes_is_not_blamed(folder: Path) -> None:
    """The schema is the reference of user data. The bytes and the values of Kafka's own class are counted by
    the name of its bug; a codec that writes the schema's bytes meets none."""
    words = ("--message", "StickyAssignorUserData", "--phase", "embedded", "--release=2.8", "--release=4.4")
    code, events = run_here("--testee", f"{folder}:as-kafkas-class", *words)
    assert code == 0, failed(events)
    assert events[-1]["errata"].keys() == {"STICKY-CLASS"}
    code, schema = run_here("--testee", str(folder), *words)
    assert code == 0, failed(schema)
    assert schema[-1]["errata"] == {}


def test_a_codec_may_read_the_records_with_the_message() -> None:
    """Its values hold record sets, which are compared by content: it compresses otherwise than Kafka. Bytes
    that are no record set are left out."""
    cell, left_out, cases = ("--cell", "4.4.0/ProduceRequest/11"), {}, {}
    for phase in ("enumerated", "records", "mutations"):
        code, events = object_here("records-with-the-message", *cell, "--phase", phase)
        assert code == 0, failed(events)
        left_out[phase], cases[phase] = set(events[-1]["unsupported"]), events[-1]["cases"]
    assert left_out == {"enumerated": {"record-bytes"}, "records": set(), "mutations": {"record-bytes"}}
    left = events[-1]["unsupported"]["record-bytes"]
    assert sum(events[-1]["verdicts"].values()) > 10 * left, (events[-1]["verdicts"], left)
    _, plain = object_here("none", *cell, "--phase", "records")
    assert cases["records"] == plain[-1]["cases"]


def test_a_codec_that_reads_streams_is_asked_for_frames_in_parts(folder: Path) -> None:
    """Two frames of a cell come in parts, each a case; a codec without the claim is asked for none."""
    words = ("--cell", "4.4.0/MetadataRe*/12", "--phase", "enumerated", "--phase", "frame")
    code, events = run_here("--testee", f"{folder}:streams", *words)
    assert code == 0, failed(events)
    _, without = run_here("--testee", str(folder), *words)
    assert events[-1]["cases"]["frame"] == without[-1]["cases"]["frame"] + 2 * 2
    assert wireproof(folder, "testee", "check", f"{folder}:streams").returncode == 0


@pytest.mark.parametrize("trait", [each for each in TRAITS if each.startswith("any-tag")])
def test_tags_that_nobody_may_write_are_no_crash(folder: Path, trait: str) -> None:
    """Kafka reads tags of 2^31 - 1 and above; a codec that keeps them, too, agrees with it, whether it says
    values or writes again what it read. The strict codec is stricter there."""
    cell = "4.4.0/MetadataRequest/12"
    code, lax = events_here(folder, trait, cell, "mutations")
    assert code == 0, failed(lax)
    by_number = wrong_bytes(cell)[-1]["laxities"]["tag-number"]
    assert by_number > 0
    assert "crash" not in lax[-1]["verdicts"]
    assert "different" not in lax[-1]["verdicts"]
    # What stays is in frames: their headers have tags of their own.
    assert lax[-1]["laxities"].get("tag-number", 0) < by_number


def test_without_the_promise_what_is_written_is_a_property() -> None:
    """Values that a version cannot hold are asked for all the same; that they are written is no failure."""
    phases = ("enumerated", "evolution")
    config = RunConfig(cell=("4.4.0/MetadataRequest/*",), phase=phases, shrink=0, jobs=1)
    told = prove_here(config, own_object("trusts-its-caller", "4.4.0", MESSAGES))
    code, events = as_json(told)
    assert code == 0, failed(events)
    (outcomes,) = events[-1]["trust"].values()
    assert set(outcomes) == {"written"}
    of_cells = sum(event["trust"].get("kafkawire", {}).get("written", 0) for event in events[1:-1])
    assert outcomes["written"] == of_cells > 100
    _, promised = as_json(prove_here(config, own_object("none", "4.4.0", MESSAGES)))
    assert promised[-1]["trust"] == {}
    assert promised[-1]["cases"] == events[-1]["cases"]
    words_of = f"kafkawire trusts its caller: {of_cells:,} of {of_cells:,} impossible values were written"
    text = io.StringIO()
    report = TerminalReport(Console(file=text, width=400))
    for event in told:
        report(event)
    assert words_of in text.getvalue()


def test_a_hang_hides_no_other_bug_of_its_cell(folder: Path) -> None:
    """A testee that hangs, dies and is laxer at different places of one cell: all three are found. Each hang
    is said when it happens; only what does the same at the same place as one of them is left out."""
    words = ("--cell", "4.4.0/MetadataRequest/1", "--phase", "mutations")
    command = (
        "run",
        "--verbose",
        "--jobs",
        "1",
        "--shrink",
        "0",
        "--events",
        "-",
        "--testee",
        f"{folder}:three-bugs",
        *words,
    )
    ran = wireproof(folder, *command)
    events = [json.loads(line) for line in ran.stdout.splitlines()]
    ended = [event for event in events if event["event"] == "codecEnded"]
    footer = events[-1]
    assert ran.returncode == 1
    assert {"hang", "crash", "laxer"} <= set(footer["verdicts"])
    assert {event["error"] for event in ended} == {"hang", "process"}
    assert footer["skipped"]
    assert footer["skipped"].keys() <= {event["case"] for event in ended}
    assert footer["notAsked"] == 0
    assert all(event["secondsLeft"] > 0 for event in ended)
    said = [line for line in ran.stderr.splitlines() if line.startswith("hangs 4.4.0/MetadataRequest/1/")]
    assert len(said) == footer["ended"]["hang"] == sum(event["error"] == "hang" for event in ended)


def failed(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [event for event in events if event["event"] == "failed"]


CONVICTED = {
    "size-off-by-one": ("size", "differs", None),
    "null-as-empty": ("bytes", "empty-for-null", "topics"),
    "claim-not-kept": ("claim", "differs", "size"),
    "consumed-too-short": ("decode", "stopped-early", None),
    "value-reported-wrongly": ("decode", "empty-for-null", "topics"),
    "wrong-header": ("registry", "differs", None),
    "checksum-not-looked-at": ("checksum", "accepted", None),
    "checksum-of-control-batches-not-looked-at": ("checksum", "accepted", None),
    "reads-on-after-a-refused-header": ("recover", "refused:trailing-bytes", None),
    "takes-half-a-header": ("cut", "accepted", None),
    "headers-lost": ("decode", "differs", "batches[0].records[0].headers"),
    "headers-lost-in-messages": ("decode", "differs", "topicData[0].partitionData[0].records"),
    "prefix-always-0": ("label", "differs", None),
    "newer-is-refused": ("tolerance", "refused:Newer", None),
    "needs-an-older-version": ("fresh", "refused:unknown-label", None),
    "keeps-the-highest-version": ("interleave", "differs", None),
    "keeps-what-it-refused": ("recover", "refused:tag-order", None),
    "takes-any-version": ("versions", "accepted", None),
    "stays-at-a-version-that-it-refused": ("interleave", "refused:UnsupportedVersion", None),
    "writes-after-what-it-refused": ("recover", "differs", "topics"),
    "writes-what-it-promised-to-refuse": ("refusal", "accepted", "topics[].topicId"),
    "dies-of-what-it-may-write": ("refusal", "crashed:process", "topics[].topicId"),
    "overruns-its-buffer": ("bytes", "differs", "topics[1560].topicId"),
    "overruns-its-buffer-in-an-older-version": ("bytes", "differs", "topics[1560].topicId"),
    "zigzag-forgotten": ("bytes", "differs", "value"),
    "primitive-reads-on": ("tail", "accepted", None),
    "answers-before-the-last-byte": ("feed", "early", None),
    "takes-bytes-of-the-next-frame": ("feed", "read-past-end", None),
    "wants-the-size-in-one-part": ("feed", "refused:truncated", None),
    "loses-a-short-read": ("feed", "differs", "topics"),
    "equal-by-the-first-field": ("equal", "seen-equal", "allowAutoTopicCreation"),
    "equal-by-lengths": ("equal", "seen-equal", "topics[0].name"),
    "hash-of-the-object": ("equal", "hashes-differ", None),
    "copy-loses-nulls": ("copy", "empty-for-null", "topics"),
    "default-of-its-own": ("bytes", "default:differs", "allowAutoTopicCreation"),
}
IN_STATE = (
    *("needs-an-older-version", "keeps-the-highest-version", "keeps-what-it-refused"),
    *("takes-any-version", "stays-at-a-version-that-it-refused"),
    *("reads-on-after-a-refused-header", "takes-half-a-header"),
    *("writes-after-what-it-refused", "writes-what-it-promised-to-refuse", "dies-of-what-it-may-write"),
)
IN_SETS = (
    *("checksum-not-looked-at", "checksum-of-control-batches-not-looked-at", "headers-lost"),
    "headers-lost-in-messages",
    *("prefix-always-0", "newer-is-refused"),
)
ALONE = ("zigzag-forgotten", "primitive-reads-on")
OF_DEFAULTS = ("default-of-its-own",)
OF_OBJECTS = ("equal-by-the-first-field", "equal-by-lengths", "hash-of-the-object", "copy-loses-nulls")
OF_STREAMS = (
    *("answers-before-the-last-byte", "takes-bytes-of-the-next-frame"),
    *("wants-the-size-in-one-part", "loses-a-short-read"),
)
BLAMED = dict.fromkeys(
    ("size-off-by-one", "wrong-header", *IN_STATE, *IN_SETS, *ALONE, *OF_DEFAULTS, *OF_OBJECTS, *OF_STREAMS),
    "codec",
)
"""Our own codec behind the protocol does nothing wrong: all else goes wrong between it and the protocol.
Of state, record sets, framings, primitives and objects no witness is asked: it is the codec's."""

TRIED = {
    "checksum-not-looked-at": ("4.4.0/RecordBatch/2", "enumerated"),
    "checksum-of-control-batches-not-looked-at": ("4.4.0/RecordBatch/2", "enumerated"),
    "headers-lost": ("4.4.0/RecordBatch/2", "enumerated"),
    "headers-lost-in-messages": ("4.4.0/ProduceRequest/11", "records"),
    "reads-on-after-a-refused-header": ("4.4.0/MetadataRequest/12", "frame"),
    "takes-half-a-header": ("4.4.0/MetadataRequest/12", "frame"),
    "prefix-always-0": ("4.4.0/ConsumerProtocolSubscription/3", "embedded"),
    "newer-is-refused": ("4.4.0/ConsumerProtocolSubscription/3", "embedded"),
    "needs-an-older-version": ("4.4.0/MetadataRequest/1*", "enumerated"),
    "keeps-the-highest-version": ("4.4.0/MetadataRequest/9", "enumerated"),
    **dict.fromkeys(OF_STREAMS, ("4.4.0/MetadataRequest/12", "frame")),
    "overruns-its-buffer": ("4.4.0/MetadataRequest/13", "enumerated"),
    "overruns-its-buffer-in-an-older-version": ("4.4.0/MetadataRequest/12", "enumerated"),
    "takes-any-version": ("4.4.0/MetadataRequest/13", "evolution"),
    "stays-at-a-version-that-it-refused": ("4.4.0/MetadataRequest/13", "evolution"),
    "zigzag-forgotten": ("4.4.0/Varint/0", "enumerated"),
    "primitive-reads-on": ("4.4.0/CompactString/0", "enumerated"),
}
"""Where a flaw shows that does not show in a request."""


FOLLOWS = {
    "null-as-empty": {"oracle-reads", "round-trip"},
    "default-of-its-own": {"oracle-reads", "round-trip"},
    "consumed-too-short": {"claim"},
    "prefix-always-0": {"oracle-reads", "round-trip"},
    "keeps-what-it-refused": {"buffer", "cut", "interleave", "threads"},
    "headers-lost": {"round-trip"},
    "value-reported-wrongly": {"claim"},
    "overruns-its-buffer": {"oracle-reads", "round-trip", "size"},
    "overruns-its-buffer-in-an-older-version": {"oracle-reads", "round-trip", "size"},
    "zigzag-forgotten": {"decode", "oracle-reads", "round-trip", "encode"},
}
"""What else a flaw shows in."""


@pytest.mark.parametrize("flaw", DEFECTS)
def test_a_flaw_is_convicted_by_its_check(folder: Path, flaw: str) -> None:
    """Exit code 1, and the check, the kind and the field that say what is wrong."""
    cell, phase = TRIED.get(flaw, ("4.4.0/MetadataRequest/12", "enumerated"))
    code, events = events_here(folder, flaw, cell, phase)

    assert code == 1
    found = {
        (each["check"], each["kind"], each.get("path"))
        for event in failed(events)
        for each in event["divergences"]
    }
    assert CONVICTED[flaw] in found
    blamed = {each["blame"]["whose"] for each in failed(events)}
    allowed = {BLAMED.get(flaw, "adapter"), "codec or adapter"}
    assert blamed <= allowed, [each["blame"] for each in failed(events)]
    assert {check for check, _, _ in found} - {CONVICTED[flaw][0]} <= FOLLOWS.get(flaw, set())


def test_a_fault_of_state_in_wrong_bytes_is_not_blamed_on_a_byte(folder: Path) -> None:
    """The finding names the question before it, and the replay of what was recorded asks that first."""
    testee = f"{folder}:keeps-what-it-refused"
    code, events = run_events(
        folder, "--testee", testee, "--cell", "4.4.0/MetadataRequest/8", "--phase", "mutations"
    )
    assert code == 1
    assert failed(events)
    for event in failed(events):
        (found,) = event["divergences"]
        assert found["kind"].startswith("state:")
        assert "path" not in found
        assert event["blame"]["whose"] == "codec or adapter"
        assert event["after"][0] in event["blame"]["evidence"]
    again = wireproof(folder, "replay", "--testee", testee, failed(events)[0]["case"])
    assert again.returncode == 1, again.stderr
    assert failed(events)[0]["after"][0] in again.stderr
    right = wireproof(folder, "replay", "--testee", f"{folder}:none", failed(events)[0]["case"])
    assert right.returncode == 0, right.stderr


def test_right_values_that_end_the_codec_are_skipped_for_their_cause(folder: Path) -> None:
    """Some are reported; the others of that operation are skipped under its name, and all else is asked."""
    cell = "4.4.0/MetadataRequest/12"
    code, events = events_here(folder, "ends-when-it-encodes", cell, "enumerated")
    assert code == 1
    assert events[-1]["notAsked"] == 0
    assert set(events[-1]["skipped"]) == {
        "4.4.0/MetadataRequest/12: encode of a value, the first of the cell"
    }
    assert {each["kind"] for event in failed(events) for each in event["divergences"]} == {"crashed:process"}


def test_a_field_of_an_element_that_equality_does_not_see(folder: Path) -> None:
    """The fullest instance is compared with itself but for one field; the case is made again by its name."""
    code, events = events_here(folder, "equal-by-lengths", "4.4.0/MetadataRequest/12", "enumerated")
    assert code == 1
    cases = {event["case"].removeprefix("4.4.0/MetadataRequest/12/enumerated/") for event in failed(events)}
    assert cases == {"topics[].topicId/changed", "topics[].name/changed", "topics[]._tags/changed"}
    name = "4.4.0/MetadataRequest/12/enumerated/topics[].name/changed"
    assert wireproof(folder, "replay", "--testee", f"{folder}:equal-by-lengths", name).returncode == 1
    assert wireproof(folder, "replay", "--testee", f"{folder}:objects", name).returncode == 0


def test_a_default_of_its_own_shows_in_the_case_that_lacks_the_field(folder: Path) -> None:
    """All other cases give the codec every field. Without a default the case is left out and counted."""
    cell = "4.4.0/MetadataRequest/12"
    code, events = events_here(folder, "whole", cell, "enumerated")
    assert code == 0, failed(events)
    fields = ("topics", "allowAutoTopicCreation", "includeTopicAuthorizedOperations")
    assert events[-1]["unsupported"] == {"no-default": len(fields)}

    code, events = events_here(folder, "default-of-its-own", cell, "enumerated")
    (case,) = {event["case"] for event in failed(events)}
    assert case == "4.4.0/MetadataRequest/12/enumerated/allowAutoTopicCreation/omitted"
    kinds = {each["kind"] for event in failed(events) for each in event["divergences"]}
    assert kinds == {"default:differs"}, "an entry for it excuses no value that is given"
    assert events[-1]["unsupported"] == {"no-default": len(fields) - 1}
    words = ("replay", "--testee", f"{folder}:default-of-its-own", case)
    assert wireproof(folder, *words).returncode == 1


@pytest.mark.parametrize(
    ("flaw", "check"), [("topics-anywhere", "decode"), ("topics-in-frames", "frame-decode")]
)
def test_a_frame_has_the_cause_of_its_body(folder: Path, flaw: str, check: str) -> None:
    """What is not read alone either is reported as that; what is read alone stays the frame's."""
    code, events = events_here(folder, flaw, "4.4.0/MetadataRequest/12", "frame")
    assert code == 1
    found = {(each["check"], each["kind"]) for event in failed(events) for each in event["divergences"]}
    assert found == {(check, "refused:invalid-length")}


def test_what_it_has_and_does_not_claim(folder: Path) -> None:
    """Without a reason that is 1, with the entry to add; with one it is tried, and what works is reported."""
    words = ("--message", "MetadataRequest", "--message-version", "0-1", "--phase", "enumerated")
    code, events = run_here("--testee", f"{folder}:nothing-said", *words)
    (claim,) = (event for event in events if event["event"] == "claim")

    assert code == 1
    assert failed(events) == []
    assert (claim["fault"], claim["message"], claim["versions"]) == ("unclaimed", "MetadataRequest", "0")
    assert '{"reason":"why","messages":{"MetadataRequest":"0"}}' in claim["advice"]
    checked = wireproof(folder, "testee", "check", f"{folder}:nothing-said")
    assert checked.returncode == 1
    assert "the hello is at fault: unclaimed MetadataRequest 0, encode and decode" in checked.stdout

    code, events = run_here("--testee", f"{folder}:said-with-a-reason", *words)
    (claim,) = (event for event in events if event["event"] == "claim")
    assert code == 0
    assert (claim["fault"], claim["versions"], claim["fails"]) == ("works", "0", False)
    assert (events[-1]["claims"], events[-1]["claimsExercised"]) == (2, 2)


def test_replay_of_a_testee(folder: Path, tmp_path: Path) -> None:
    """1 while the flaw is there, 0 when it is gone; the recorded failure knows its testee."""
    case = "4.4.0/MetadataRequest/12/enumerated/message/nulls"
    word = f"{folder}:null-as-empty"
    ran = wireproof(tmp_path, "replay", "--testee", word, case)
    assert ran.returncode == 1, ran.stderr
    assert f"still there: {case}: {word} differs from Kafka" in ran.stderr
    assert f"replay   wireproof replay --testee {word} {case}" in ran.stderr
    assert wireproof(tmp_path, "replay", "--testee", str(folder), case).returncode == 0

    words = ("--cell", "4.4.0/MetadataRequest/12", "--phase", "enumerated")
    _, events = run_events(tmp_path, "--testee", word, *words)
    (tmp_path / "events.ndjson").write_text("".join(f"{json.dumps(event)}\n" for event in events))
    accepted = ("--ledger", "known.toml", "--reason-kind", "bug", "--owner", "me", "--reason", "null is lost")
    assert wireproof(tmp_path, "ledger", "accept", "--from", "events.ndjson", *accepted).returncode == 0
    ran = wireproof(tmp_path, "replay", "--testee", word, "--ledger", "known.toml", case)
    assert ran.returncode == 1
    line = "known    writes-compact-array-null-empty, bug: null is lost (known.toml)"
    assert line in ran.stderr
    (tmp_path / "none.toml").write_text("format = 7\n")
    ran = wireproof(tmp_path, "replay", "--testee", word, "--ledger", "none.toml", case)
    assert (ran.returncode, "known    nothing in none.toml explains it" in ran.stderr) == (1, True)
    recorded = [
        path
        for path in (tmp_path / ".wireproof" / "failures").rglob("*.json")
        if json.loads(path.read_text()).get("case") == case
    ]
    assert len(recorded) == 1
    assert wireproof(tmp_path, "replay", str(recorded[0])).returncode == 1


@pytest.mark.parametrize(
    ("flaw", "case"),
    [("claim-not-kept", "enumerated/claim/size"), ("wrong-header", "shape/layout/registry-0")],
)
def test_what_a_testee_says_of_itself_can_be_a_known_deviation(
    folder: Path, tmp_path: Path, flaw: str, case: str
) -> None:
    """A claim and a registry are tried again by their case, and a ledger's entry makes the run green."""
    word = f"{folder}:{flaw}"
    words = ("--testee", word, "--cell", "4.4.0/MetadataRequest/12", "--phase", "enumerated")
    case_id = f"4.4.0/MetadataRequest/12/{case}"
    assert wireproof(tmp_path, "replay", "--testee", word, case_id).returncode == 1
    assert wireproof(tmp_path, "replay", "--testee", str(folder), case_id).returncode == 0

    assert wireproof(tmp_path, "run", *words, "--events", "events.ndjson").returncode == 1
    accept = ("--from", "events.ndjson", "--ledger", "known.toml", "--reason-kind", "bug", "--owner", "us")
    ran = wireproof(tmp_path, "ledger", "accept", *accept)
    assert ran.returncode == 0, ran.stderr
    ran = wireproof(tmp_path, "run", *words, "--ledger", "known.toml")
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("#!/bin/sh\nexit 7\n", "does not greet: ended with exit code 7"),
        ("#!/bin/sh\necho Welcome\nsleep 60\n", "does not greet: a line that is not JSON: 'Welcome'"),
        ("#!/nowhere/interpreter\n", "does not greet: ended with exit code 127"),
    ],
)
def test_a_program_that_is_no_testee(tmp_path: Path, program: str, words: str) -> None:
    """Exit code 4, what it did, and how to try it by hand."""
    place = tmp_path / "program"
    place.write_text(program)
    place.chmod(0o755)
    ran = wireproof(tmp_path, "run", "--testee", str(place), "--cell", "4.4.0/FetchRequest/12")

    assert ran.returncode == 4
    assert words in ran.stderr
    assert "Try it by hand: echo" in ran.stderr


def test_nothing_claimed_and_nothing_meant(folder: Path, tmp_path: Path) -> None:
    """Claims that none of the selected cells meets are 3; a word for which there is nothing is 4."""
    ran = wireproof(tmp_path, "run", "--testee", str(folder), "--message", "FetchRequest")
    assert ran.returncode == 3
    assert "claims none of the 15 cells that match" in ran.stderr
    assert "wireproof testee check" in ran.stderr

    ran = wireproof(tmp_path, "run", "--testee", "nobody", "--message", "FetchRequest")
    assert ran.returncode == 4
    assert "nobody is not a testee" in ran.stderr
