"""The Go kit through pipes: a tiny program that uses it; every line is validated by the JSON Schema."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.testees.kits.kit_talk import (
    HELLO,
    KITS,
    Talk,
    frames_in_parts,
    in_framing,
    primitives_and_objects,
    question,
)

pytestmark = pytest.mark.languages("go", "gofmt")

KIT = KITS / "go/testee"

GO_MOD = """\
module tiny

go 1.22

require wireproof/testee v0.0.0

replace wireproof/testee => ./testee
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiny")
    shutil.copytree(KIT, folder / "testee")
    (folder / "go.mod").write_text(GO_MOD, "utf-8")
    shutil.copy(Path(__file__).parent / "tiny.go", folder)
    subprocess.run(["go", "build", "-o", "tiny", "."], cwd=folder, check=True)
    return folder / "tiny"


@pytest.fixture
def talk(program: Path) -> Iterator[Talk]:
    running = Talk(program)
    yield running
    running.kill()


def test_hello_fits_the_schema_and_fills_in_the_language(talk: Talk) -> None:
    """The kit adds language and runtime; the rest comes from the adapter."""
    said = talk.ask(HELLO)["ok"]
    assert said["codec"]["language"] == "go"
    assert said["codec"]["runtime"].startswith("go1.")
    assert said["refuses"] is True
    assert said["whole"] is True
    assert said["registry"][0]["request"]["headers"] == {"0": 2}


def test_each_operation_and_each_kind_of_answer_fits_the_schema(talk: Talk) -> None:
    """The answer to a list with every operation and every refusal is one list."""
    answered = talk.ask_all(
        question(1, "decode", data="00ff7f"),
        question(2, "decode", data=""),
        question(3, "decode", data="00"),
        question(4, "encode", value={"data": "beef"}),
        question(5, "encode", value={}),
        question(6, "encode", value={"data": None}),
        question(7, "reencode", data="0102"),
        question(8, "size", value={"a": 1, "b": {"c": [1.5, "x", True]}}),
        question(9, "frame", header={}, value={}),
        question(10, "unframe", data="00"),
    )
    assert answered == [
        {"ok": {"value": {"version": 0, "data": "00ff7f"}, "consumed": 3}},
        {"decode_error": {"class": "Empty", "message": "nothing", "offset": 2}},
        {"internal_error": {"class": "panic string", "message": "one byte"}},
        {"ok": {"data": "beef"}},
        {"encode_error": {"class": "Missing", "message": "no data", "path": "data"}},
        {"unsupported": {"reason": "mood", "message": "not today"}},
        {"ok": {"data": "0102", "consumed": 2}},
        {"ok": {"size": 2}},
        {"ok": {"data": "00000000"}},
        {"ok": {"header": {}, "value": {}, "consumed": 1}},
    ]


def test_a_single_question_gets_a_single_answer(talk: Talk) -> None:
    """The answer to a request outside a list is an object."""
    assert talk.ask(question(1, "reencode", data="01")) == {"id": 1, "ok": {"data": "01", "consumed": 1}}


def test_what_the_codec_prints_goes_to_standard_error(talk: Talk) -> None:
    """Neither prints of Go nor writes to descriptor 1 appear between the answers."""
    talk.ask_all(question(1, "decode", data="000000"))
    out, err, code = talk.end()
    assert (out, code) == ("", 0)
    assert err == "printed by the codec\nwritten by the codec\n"


def test_a_panic_leaves_its_stack_on_standard_error(talk: Talk) -> None:
    """The same process answers the next request."""
    assert "internal_error" in talk.ask_all(question(1, "decode", data="00"))[0]
    assert "ok" in talk.ask_all(question(2, "reencode", data="00"))[0]
    _, err, code = talk.end()
    assert "panic in decode of Tiny/0: one byte" in err
    assert code == 0


def test_stop_is_answered_and_ends_the_program(talk: Talk) -> None:
    """The exit code is 0, though standard input is still open."""
    assert talk.ask({"id": 1, "op": "stop"}) == {"id": 1, "ok": {}}
    assert talk.process.wait(timeout=60) == 0


def test_a_line_that_is_not_json_ends_the_program_with_the_reason(talk: Talk) -> None:
    """It is an error of the harness: the line has no id that an answer could name."""
    talk.say("{")
    out, err, code = talk.end()
    assert (out, code) == ("", 2)
    assert "expected at" in err


def test_a_question_of_many_megabytes_is_answered(talk: Talk) -> None:
    """Lines are not bounded by any buffer."""
    data = "00ff" * (4 << 20)
    assert talk.ask(question(1, "reencode", data=data))["ok"] == {"data": data, "consumed": len(data) // 2}


def test_the_kit_passes_its_own_tests_and_the_checks_of_go() -> None:
    """`go vet`, `go test` and `gofmt` report nothing."""
    subprocess.run(["go", "vet", "."], cwd=KIT, check=True)
    subprocess.run(["go", "test", "."], cwd=KIT, check=True, capture_output=True)
    assert subprocess.run(["gofmt", "-l", "."], cwd=KIT, check=True, capture_output=True).stdout == b""


def test_messages_in_their_framing(talk: Talk) -> None:
    """The adapter gets what a reader knows and the record's key; the answer has the message and the key."""
    assert in_framing(talk) == [{"data": "0003", "key": "09"}, {"data": "0a", "consumed": 1}, {"size": 1}]
    said = talk.ask(HELLO)["ok"]
    assert said["embedded"] == {"Tiny": dict.fromkeys(("decode", "encode", "reencode", "size"), "0")}
    assert said["compressions"] == {"none": "0-2", "gzip": "2"}
    assert said["recordLimits"] == ["tail"]
    assert said["recordValues"] is True


def test_primitives_and_the_codecs_own_objects_are_asked_for(talk: Talk) -> None:
    """Primitives are read and written, null included; two objects are compared, one is copied."""
    primitives_and_objects(talk)


def test_a_frame_comes_in_parts(talk: Talk) -> None:
    """The codec gets no more parts than it wants, and the answer counts them."""
    frames_in_parts(talk)
