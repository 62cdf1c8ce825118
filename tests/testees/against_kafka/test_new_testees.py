"""A new testee works before its author has written a line, in each language."""

import re
import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.support.commands.forked_command import run_command
from tests.support.testees.inline_run import run_here
from tests.support.testees.other_languages import EACH_LANGUAGE

BOTH: Final[list[tuple[str, ...]]] = [(), ("--phase", "mutations")]
"""The default phases, and those of wrong bytes alone."""


def wireproof(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return run_command(folder, *words)


@pytest.mark.parametrize("language", EACH_LANGUAGE)
def test_a_new_testee_is_sound_and_proven(tmp_path: Path, language: str) -> None:
    """The lines that `testee new` says to type are typed; its codec holds against wrong bytes, too."""
    ran = wireproof(tmp_path, "testee", "new", "my codecs/first one", "--language", language)
    assert ran.returncode == 0, ran.stderr
    lines = re.findall("^  wireproof (.*)$", ran.stderr, re.MULTILINE)
    assert lines == ["testee check 'my codecs/first one'", "run --testee 'my codecs/first one'"]

    ran = wireproof(tmp_path, "testee", "check", "my codecs/first one")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert f"first-one 0.1.0, {language}" in ran.stdout
    assert "claims 4 of" in ran.stdout

    ran = wireproof(tmp_path, "run", "--testee", "my codecs/first one")
    assert ran.returncode == 0, ran.stderr
    assert "4 of 4 cells" in ran.stderr
    assert "0 findings" in ran.stderr

    ran = wireproof(tmp_path, "run", "--testee", "my codecs/first one", "--phase", "mutations")
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize(
    ("words", "versions", "phases"),
    [
        (("DescribeTopicPartitionsResponse",), "0", BOTH),  # a struct that may be null
        # Tags that only some versions have, arrays, records.
        (("FetchResponse", "--only", "encode"), "4,5,7,11,12,13,18", [()]),
        (("MetadataRequest", "--only", "decode"), "0,1,4,8,9,10,13", BOTH),
        (("RequestHeader",), "1,2", BOTH),  # a field that is never compact
    ],
)
def test_a_new_testee_of_a_message_is_proven(
    tmp_path: Path, words: tuple[str, ...], versions: str, phases: list[tuple[str, ...]]
) -> None:
    """In a version of each layout of the newest release; so are the answers to wrong bytes."""
    ran = wireproof(tmp_path, "testee", "new", "my broker", "--language", "python", "--message", *words)
    assert ran.returncode == 0, ran.stderr
    ran = wireproof(tmp_path, "testee", "check", "my broker")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    for phase in phases:
        few = ("--message-version", versions, "--examples", "10")
        code, events = run_here("--testee", str(tmp_path / "my broker"), *few, *phase)
        assert code == 0, [event for event in events if event["event"] == "failed"]
        assert events[-1]["cellsDone"] == len(versions.split(","))


@pytest.mark.parametrize("language", EACH_LANGUAGE)
@pytest.mark.parametrize(
    ("words", "phases"),
    [
        (("DescribeTopicPartitionsResponse",), BOTH),  # a struct that may be null
        (("FetchResponse", "--only", "encode"), []),  # tags that only some versions have, arrays, records
        (("MetadataRequest", "--only", "decode"), [BOTH[1]]),
    ],
)
def test_a_new_testee_of_a_message_is_proven_in_each_language(
    tmp_path: Path, language: str, words: tuple[str, ...], phases: list[tuple[str, ...]]
) -> None:
    """What is generated is built, its hello has the claims, and its answers are Kafka's."""
    ran = wireproof(tmp_path, "testee", "new", "mine", "--language", language, "--message", *words)
    assert ran.returncode == 0, ran.stderr
    ran = wireproof(tmp_path, "testee", "check", "mine")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert f"mine 0.1.0, {language}" in ran.stdout
    for phase in phases:
        code, events = run_here("--testee", str(tmp_path / "mine"), "--examples", "10", *phase)
        assert code == 0, [event for event in events if event["event"] == "failed"]


@pytest.mark.parametrize(
    ("words", "error", "advice"),
    [
        (
            ("--message", "MetadataRespones"),
            "has no message MetadataRespones",
            "Did you mean MetadataResponse",
        ),
        (("--message", ""), "has no message ", "`wireproof cells` lists the messages."),
        (("--only", "encode"), "--only has no effect without --message", "Add --message NAME."),
    ],
)
def test_a_message_for_which_no_testee_is_generated(
    tmp_path: Path, words: tuple[str, ...], error: str, advice: str
) -> None:
    """The error says what to do, and nothing is written."""
    ran = wireproof(tmp_path, "testee", "new", "mine", "--language", "python", *words)
    assert ran.returncode == 2
    assert error in ran.stderr
    assert advice in ran.stderr
    assert not list(tmp_path.iterdir())
