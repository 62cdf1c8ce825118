"""A new user plants bugs into the codec of the template: each is one cause, and a fix is tried in seconds."""

import re
from pathlib import Path
from typing import Final

import click
import pytest

from tests.support.testees.inline_run import run_here
from wireproof.app.cli.app import command_line
from wireproof.base.exit_codes import ExitCode

BUGS: Final = {
    "A tag that is not above the one before it is read": (
        "tag > HIGHEST_TAG or tag <= last",
        "tag > HIGHEST_TAG",
    ),
    "Compact nullable strings and compact strings of more than 32,767 bytes are read": (
        "if length > LONGEST_TEXT:",
        "if length > LONGEST_TEXT + len(self.data):",
    ),
    "Compact nullable strings and compact strings of length -1, where the version has no null, are read as "
    "empty": ("length = self.varint() - 1\n", "length = max(0, self.varint() - 1)\n"),
    "An unknown tagged field is dropped when read": ("tags[tag] = reader.take", "reader.take"),
    'A field that the caller leaves out is written with a default of the codec\'s own: "unknown"': (
        'software_version: str = ""',
        'software_version: str = "unknown"',
    ),
}
ORDER, LONG, NULL, TAGS, DEFAULT = BUGS
VERSION: Final = "unknown-version"
FIX: Final = re.compile(r"fix +wireproof run --testee \S+ --cause (\S+)")


@pytest.fixture
def codec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The source of the example codec of a new testee, in the folder ``mine`` of the working folder."""
    monkeypatch.chdir(tmp_path)
    assert not command_line(["testee", "new", "mine", "--language", "python"], standalone_mode=False)
    return tmp_path / "mine/codec.py"


def plant(codec: Path, *bugs: str, fixed: bool = False) -> None:
    text = codec.read_text()
    for bug in bugs:
        before, after = BUGS[bug][::-1] if fixed else BUGS[bug]
        assert text.count(before) == 1
        text = text.replace(before, after)
    codec.write_text(text)


def run(*words: str) -> int:
    few = ("--message-version", "3", "--examples", "5", "--jobs", "1")
    return int(command_line(["run", "--testee", "./mine", *few, *words], standalone_mode=False) or 0)


def sentences(report: str) -> list[str]:
    return re.findall(r"^ +\d+  (\S.*)$", report, re.MULTILINE)


@pytest.mark.parametrize("bugs", [(ORDER, LONG, TAGS), (NULL, LONG, DEFAULT), (TAGS, NULL, DEFAULT)])
def test_three_bugs_are_three_causes(codec: Path, bugs: tuple[str, ...]):
    plant(codec, *bugs)

    code, events = run_here("--testee", "./mine", "--examples", "10")

    found = [each["diagnosis"] for each in events if each["event"] == "cell" and each["diagnosis"]]
    assert code == ExitCode.DIVERGENCE
    assert len({each["trigger"] for diagnosis in found for each in diagnosis["deviations"]}) == 3
    assert sum(len(each["deviations"]) for each in found) == 3


def test_an_unknown_version_that_is_taken_is_a_cause_beside_another_bug(codec: Path):
    """The questions around it are answered wrong, too: its case does not judge them."""
    text = codec.read_text()
    for before, after in (
        ("if version not in VERSIONS:", "if version < VERSIONS[0]:"),
        ("encoded = text.encode()", 'encoded = text.encode() or b"-"'),
    ):
        assert text.count(before) == 1
        text = text.replace(before, after)
    codec.write_text(text)

    _, events = run_here("--testee", "./mine", "--message-version", "3", "--examples", "5")

    found = [each["diagnosis"] for each in events if each["event"] == "cell" and each["diagnosis"]]
    taken = [each for diagnosis in found for each in diagnosis["deviations"] if each["trigger"] == VERSION]
    assert {each["direction"] for each in taken} == {"encode", "decode"}
    assert "versions" not in {check for diagnosis in found for check, *_ in diagnosis["restCauses"]}


def test_a_codec_that_refuses_each_message_is_asked_in_other_forms(codec: Path):
    """It reads what a codec writes that has the same bug."""
    text = codec.read_text()
    before = "length = self.varint() - 1\n"
    assert text.count(before) == 1
    codec.write_text(text.replace(before, "length = int.from_bytes(self.take(4))\n"))

    code, events = run_here("--testee", "./mine", "--message-version", "3", "--examples", "5")

    found = [each["diagnosis"] for each in events if each["event"] == "cell" and each["diagnosis"]]
    assert code == ExitCode.DIVERGENCE
    assert [(each["trigger"], each["action"]) for one in found for each in one["deviations"]] == [
        ("length", "int32")
    ]


def test_a_fix_is_tried_alone(codec: Path, capfd: pytest.CaptureFixture[str]):
    """The report names the command. Other bugs do not fail it, and the record of the last run stays."""
    plant(codec, TAGS, NULL, DEFAULT)
    assert run() == ExitCode.DIVERGENCE
    report = capfd.readouterr().err
    assert set(sentences(report)) == {TAGS, NULL, DEFAULT}
    causes = dict(zip(sentences(report), FIX.findall(report), strict=True))

    assert run("--cause", causes[NULL]) == ExitCode.DIVERGENCE
    report = capfd.readouterr().err
    assert sentences(report) == [NULL]
    assert f"The cause {causes[NULL]} still shows in 1 of 1 cell." in report
    assert "1 of 1 cells" in report

    plant(codec, NULL, fixed=True)
    assert run("--cause", causes[NULL]) == ExitCode.PROVEN
    assert f"The cause {causes[NULL]} is gone from 1 cell." in capfd.readouterr().err
    assert run("--cause", causes[TAGS]) == ExitCode.DIVERGENCE
    assert sentences(capfd.readouterr().err) == [TAGS]

    assert run() == ExitCode.DIVERGENCE
    assert set(sentences(capfd.readouterr().err)) == {TAGS, DEFAULT}


def test_a_cause_of_the_ledger_is_tried_alone(codec: Path, capfd: pytest.CaptureFixture[str]):
    """A green run has no causes in its report: the id is that of the entry."""
    plant(codec, ORDER, LONG)
    assert run("--events", "events.ndjson") == ExitCode.DIVERGENCE
    causes = dict(zip(sentences(report := capfd.readouterr().err), FIX.findall(report), strict=True))
    words = (
        "--from",
        "events.ndjson",
        "--ledger",
        "mine/ledger.toml",
        "--reason-kind",
        "bug",
        "--owner",
        "me",
    )
    assert not command_line(["ledger", "accept", *words], standalone_mode=False)
    Path(".wireproof/last-causes.ndjson").unlink()
    assert run() == ExitCode.PROVEN

    assert run("--cause", causes[ORDER]) == ExitCode.DIVERGENCE
    assert sentences(capfd.readouterr().err) == [ORDER]
    plant(codec, ORDER, fixed=True)
    assert run("--cause", causes[ORDER]) == ExitCode.PROVEN
    assert f"The cause {causes[ORDER]} is gone" in capfd.readouterr().err


def test_a_cause_that_nothing_knows_is_an_error(codec: Path, capfd: pytest.CaptureFixture[str]):
    """It names those that are near; an event file is named by an option."""
    plant(codec, ORDER)
    run("--events", "events.ndjson")
    (cause,) = FIX.findall(capfd.readouterr().err)
    Path(".wireproof/last-causes.ndjson").unlink()

    with pytest.raises(click.ClickException, match=f"there is no cause '{cause}'"):
        run("--cause", cause)
    assert run("--cause", cause, "--cause-from", "events.ndjson") == ExitCode.DIVERGENCE
    with pytest.raises(click.ClickException, match=f"Did you mean {cause}"):
        run("--cause", cause[:-1], "--cause-from", "events.ndjson")
    with pytest.raises(click.ClickException, match=r"cannot read mine/codec\.py"):
        run("--cause", cause, "--cause-from", "mine/codec.py")
