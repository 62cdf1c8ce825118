"""``wireproof matrix`` with Kafka's classes: our own codec behind the protocol, right and wrong."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.commands.forked_command import run_command
from tests.support.testees.own_testee import DEFECTS

OWN = Path(__file__).parents[2] / "support/testees/own_testee.py"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A testee whose variants are the flaws of our own codec."""
    return own(tmp_path_factory.mktemp("testees"), "MetadataRequest")


@pytest.fixture(scope="module")
def carriers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same of what carries others: record sets, and a message in its framing."""
    messages = ("RecordBatch", "ConsumerProtocolSubscription", "FetchSnapshotResponse")
    return own(tmp_path_factory.mktemp("carriers"), *messages)


def own(place: Path, *messages: str) -> Path:
    made = place / "own"
    made.mkdir()
    run = [sys.executable, str(OWN), "--defect", "{variant}", "4.4.0", *messages]
    about = {"name": "own", "language": "python", "version": "0", "run": run, "variants": ["none", *DEFECTS]}
    (made / "testee.toml").write_text(
        "".join(f"{key} = {json.dumps(value)}\n" for key, value in about.items())
    )
    return made


def matrix(
    folder: Path, *words: str, flaw: str = "null-as-empty", jobs: int = 1
) -> subprocess.CompletedProcess[str]:
    """Compare two testees. One worker is cheaper than two: each starts a JVM and both testees."""
    named = ("--testee", str(folder), "--testee", f"{folder}:{flaw}")
    return run_command(folder.parent, "matrix", "--jobs", str(jobs), *named, *words)


def test_the_one_that_is_wrong_is_seen(folder: Path) -> None:
    """Only encoding shows it, also where there is no null to write: it has to be refused. The same again is
    the same text, by one worker or two."""
    words = ("--cell", "4.4.0/Metadata*/0", "--cell", "4.4.0/Metadata*/12", "--format", "json")
    ran = matrix(folder, *words)
    assert ran.returncode == 0, ran.stderr
    again = matrix(folder, *words, jobs=2).stdout
    assert again.replace('"--jobs","2"', '"--jobs","1"') == ran.stdout
    report = json.loads(ran.stdout)
    right, wrong = "own:none@0", "own:null-as-empty@0"
    assert [each["name"] for each in report["codecs"]] == ["kafkawire", right, wrong]
    assert report["unclaimed"] == ["MetadataResponse"]
    (message,) = report["messages"]
    both = {"proven": "0, 12"}
    assert message["codecs"][right] == {"encode": both, "decode": both, "malformed": both, "verdicts": {}}
    assert message["codecs"][wrong]["encode"] == {"failed": "0, 12"}
    assert message["codecs"][wrong]["decode"] == both
    assert {each["question"] for each in report["disagreements"]} == {"encode"}
    parties = [camp["parties"] for camp in report["disagreements"][0]["camps"]]
    assert parties == [["Kafka", "kafkawire", right], [wrong]]
    assert {(each["codec"], each["entry"], *each["tasks"]) for each in report["deviations"]} == {
        (wrong, "", "encode")
    }
    saved = folder.parent / "saved.json"
    saved.write_text(ran.stdout)
    page = matrix(folder, "--from", str(saved), "--format", "html").stdout
    assert f"MetadataRequest, {wrong}: encode finding, decode proven, malformed proven" in page
    assert f"MetadataRequest, {right}: encode proven, decode proven, malformed proven" in page
    assert 'class="differs first"' in page  # the bytes of both sides, with the first difference


CAUSES = """format = 7
"""
for _trigger, _messages in (("null", "MetadataRequest 12"), ("null-not-allowed", "MetadataRequest 0")):
    CAUSES += f"""
[[cause]]
id = "{_trigger}-as-empty"
direction = "encode"
trigger = "{_trigger}"
action = "empty"
messages = ["{_messages}"]
reason-kind = "bug"
reason = "null is lost"
owner = "me"
since = 2026-01-01
expires = 2099-01-01
"""


def test_a_known_cause_explains_what_it_predicts(folder: Path, tmp_path: Path) -> None:
    """The answers stay as they are, so the codecs still disagree; the cells are known."""
    known = shutil.copytree(folder, tmp_path / "own")
    (known / "ledger.toml").write_text(CAUSES)
    words = ("--cell", "4.4.0/MetadataRequest/0", "--cell", "4.4.0/MetadataRequest/12", "--format", "json")
    ran = matrix(known, *words)
    assert ran.returncode == 0, ran.stderr
    report = json.loads(ran.stdout)
    wrong = "own:null-as-empty@0"
    (message,) = report["messages"]
    assert message["codecs"][wrong]["encode"] == {"known": "0, 12"}
    assert {each["question"] for each in report["disagreements"]} == {"encode"}
    entries = {f"{wrong}/null-as-empty", f"{wrong}/null-not-allowed-as-empty"}
    assert {each["entry"] for each in report["deviations"]} == entries
    assert matrix(known, *words, "--strict", flaw="size-off-by-one").returncode == 1


def test_a_case_is_shown_in_full(folder: Path) -> None:
    """Who writes what, with the names of the fields; 1 where they differ, 0 where they do not."""
    ran = matrix(folder, "--case", "4.4.0/MetadataRequest/12/enumerated/message/nulls")
    assert ran.returncode == 1, ran.stderr
    assert "Kafka, kafkawire, own:none@0: writes" in ran.stdout
    assert "own:null-as-empty@0: writes" in ran.stdout
    assert "topics is null" in ran.stdout
    assert matrix(folder, "--case", "4.4.0/MetadataRequest/12/enumerated/message/default").returncode == 0
    assert matrix(folder, "--case", "4.4.0/MetadataRequest/12/enumerated/none").returncode == 2


def test_strict_and_incomplete_have_their_exit_codes(folder: Path) -> None:
    """Codecs that differ are no failure unless asked; cells that were not reached are incomplete."""
    words = ("--cell", "4.4.0/MetadataRequest/12", "--phase", "enumerated", "--format", "tsv")
    strict = matrix(folder, "--strict", *words)
    assert strict.returncode == 1
    assert len(strict.stdout.splitlines()) == 3
    cut = matrix(folder, "--message", "MetadataRequest", "--budget", "0.001", "--format", "tsv")
    assert cut.returncode == 7
    # Claimed and not reached, in all three questions.
    assert cut.stdout.splitlines()[0].split("\t")[5:17] == ["0", "0", "0", "14"] * 3
    assert matrix(folder, "--message", "FetchRequest").returncode == 3
    assert matrix(folder, "--testee", "no-such-codec").returncode == 4
    assert matrix(folder, "--testee", str(folder)).returncode == 2


RIGHT = "own:none@0"


def test_record_sets_are_asked_of_each_codec(carriers: Path) -> None:
    """One that loses the headers of records is alone in reading, and right in all else; so it is in messages
    that carry such sets."""
    words = ("--cell", "4.4.0/RecordBatch/*", "--cell", "4.4.0/FetchSnapshotResponse/1", "--format", "json")
    ran = matrix(carriers, *words, "--phase", "enumerated", "--phase", "records", flaw="headers-lost")
    assert ran.returncode == 0, ran.stderr
    report = json.loads(ran.stdout)
    wrong = "own:headers-lost@0"
    rows = {each["message"]: each["codecs"] for each in report["messages"]}
    assert rows["RecordBatch"][RIGHT]["decode"] == {"proven": "0-2"}
    assert rows["RecordBatch"][wrong]["encode"] == {"proven": "0-2"}
    assert rows["RecordBatch"][wrong]["decode"] == {"proven": "0-1", "failed": "2"}
    assert rows["FetchSnapshotResponse"][RIGHT]["decode"] == {"proven": "1"}
    assert rows["FetchSnapshotResponse"][wrong]["decode"] == {"failed": "1"}
    kinds = report["disagreements"]
    assert {(each["question"], len(each["camps"])) for each in kinds} == {("decode", 2)}
    parties = [[camp["parties"] for camp in each["camps"]] for each in kinds]
    assert parties == [[["Kafka", "kafkawire", RIGHT], [wrong]]] * len(kinds)
    assert all("headers" in each["about"] for each in kinds)
    carried, alone = sorted(kinds, key=lambda each: not each["about"].startswith("with records"))[:2]
    again = matrix(carriers, "--case", alone["case"], flaw="headers-lost")
    assert again.returncode == 1, again.stderr
    assert f"{wrong}: reads" in again.stdout
    assert "batches[0].baseOffset" in again.stdout
    again = matrix(carriers, "--case", carried["case"], flaw="headers-lost")
    assert again.returncode == 1, again.stderr
    assert "unalignedRecords" in again.stdout


def test_messages_in_their_framing_are_asked_of_each_codec(carriers: Path) -> None:
    """One that writes version 0 before each body is alone in writing."""
    words = ("--message", "ConsumerProtocolSubscription", "--phase", "embedded", "--format", "json")
    ran = matrix(carriers, *words, flaw="prefix-always-0")
    assert ran.returncode == 0, ran.stderr
    report = json.loads(ran.stdout)
    wrong = "own:prefix-always-0@0"
    ((codecs),) = (each["codecs"] for each in report["messages"])
    assert codecs[RIGHT]["encode"] == codecs[RIGHT]["decode"] == {"proven": "0-3"}
    assert codecs[wrong]["encode"] == {"proven": "0", "failed": "1-3"}
    assert report["cases"]["encode"] == report["cases"]["decode"] > 4
    (kind,) = report["disagreements"]
    assert (kind["question"], kind["about"].split()[0]) == ("encode", "framed")
    assert [camp["parties"] for camp in kind["camps"]] == [["Kafka", "kafkawire", RIGHT], [wrong]]
    again = matrix(carriers, "--case", kind["case"], flaw="prefix-always-0")
    assert (again.returncode, again.stdout.count("00 00")) > (0, 0), again.stderr


def test_changed_record_sets_are_asked_of_each_codec(carriers: Path) -> None:
    """Each has verdicts of its own, the same ones where it is the same codec; none of them stands alone."""
    words = ("--cell", "4.4.0/RecordBatch/0", "--phase", "mutations", "--format", "json")
    ran = matrix(carriers, *words, flaw="headers-lost")
    assert ran.returncode == 0, ran.stderr
    report = json.loads(ran.stdout)
    (codecs,) = (each["codecs"] for each in report["messages"])
    ours = codecs["kafkawire"]["verdicts"]
    assert sum(ours.values()) == report["cases"]["malformed"] > 100
    assert all(codec["verdicts"] == ours for codec in codecs.values())
    camps = {tuple(camp["parties"]) for each in report["disagreements"] for camp in each["camps"]}
    assert camps == {("Kafka",), ("kafkawire", "own:headers-lost@0", RIGHT)}


def test_single_primitives_are_asked_of_who_claims_them(folder: Path) -> None:
    """One that forgets the zig-zag of a Varint is alone in both ways; who claims none has no share in it."""
    words = ("--message", "Varint", "--message", "UnsignedVarint", "--message", "Bool", "--format", "json")
    ran = matrix(folder, *words, "--phase", "enumerated", flaw="zigzag-forgotten")
    assert ran.returncode == 0, ran.stderr
    report = json.loads(ran.stdout)
    wrong = "own:zigzag-forgotten@0"
    rows = {each["message"]: each["codecs"] for each in report["messages"]}
    for codecs in rows.values():
        assert codecs["kafkawire"]["encode"] == codecs["kafkawire"]["decode"] == {"proven": "0"}
        assert codecs[RIGHT]["encode"] == codecs[RIGHT]["decode"] == {}
    assert rows["Varint"][wrong]["encode"] == rows["Varint"][wrong]["decode"] == {"failed": "0"}
    assert rows["UnsignedVarint"][wrong]["encode"] == rows["Bool"][wrong]["decode"] == {"proven": "0"}
    parties = {tuple(tuple(camp["parties"]) for camp in each["camps"]) for each in report["disagreements"]}
    assert parties == {(("Kafka", "kafkawire"), (wrong,))}
    again = matrix(folder, "--case", report["disagreements"][0]["case"], flaw="zigzag-forgotten")
    assert again.returncode == 1, again.stderr
    assert f"{wrong}: writes" in again.stdout


def test_claims_that_a_comparison_does_not_ask_for_are_not_held_against_anybody(folder: Path) -> None:
    """Who claims equality and copies of its objects is right in what is compared."""
    words = ("--cell", "4.4.0/MetadataRequest/12", "--phase", "enumerated", "--format", "json", "--strict")
    ran = matrix(folder, *words, flaw="copy-loses-nulls")
    assert ran.returncode == 0, ran.stderr
    (message,) = json.loads(ran.stdout)["messages"]
    assert message["codecs"]["own:copy-loses-nulls@0"]["encode"] == {"proven": "12"}
