"""The JavaScript kit through pipes: a tiny program that uses it; the JSON Schema validates every line."""

import shutil
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

pytestmark = pytest.mark.languages("node")


@pytest.fixture
def talk(tmp_path: Path) -> Iterator[Talk]:
    shutil.copy(KITS / "javascript/testee.mjs", tmp_path)
    shutil.copy(Path(__file__).parent / "tiny.mjs", tmp_path)
    running = Talk("node", tmp_path / "tiny.mjs")
    yield running
    running.kill()


def test_hello_fits_the_schema_and_fills_in_the_runtime(talk: Talk) -> None:
    """The kit adds language and runtime; the rest comes from the adapter."""
    said = talk.ask(HELLO)["ok"]
    assert said["codec"]["language"] == "javascript"
    assert said["codec"]["runtime"].startswith("Node ")
    assert said["refuses"] is True
    assert said["whole"] is True


def test_what_an_adapter_lacks_is_no_crash_of_its_codec(talk: Talk) -> None:
    """A name, an import, a function or a member: the answer has the class of the kit, and the place."""
    *lacking, other = talk.ask_all(*(question(n + 1, "decode", data=f"0{n}000000") for n in range(5)))
    errors = [each["internal_error"] for each in lacking]

    assert {each["class"] for each in errors} == {"AdapterError"}
    assert all(" at tiny.mjs:" in each["message"] for each in errors)
    assert [each["message"].partition(":")[0] for each in errors] == [
        "ReferenceError",
        "Error",
        "TypeError",
        "TypeError",
    ]
    assert other["internal_error"]["class"] == "SyntaxError"


def test_each_operation_and_each_kind_of_answer_fits_the_schema(talk: Talk) -> None:
    """One list with every operation and every refusal is one list of answers, in order."""
    answered = talk.ask_all(
        question(1, "decode", data="00ff7f"),
        question(2, "decode", data=""),
        question(3, "decode", data="00"),
        question(4, "encode", value={"data": "beef"}),
        question(5, "encode", value={}),
        question(6, "encode", value={"data": None}),
        question(7, "reencode", data="0102"),
        question(8, "size", value={"a": 1, "b": {"c": [1.5, "x", True]}}),
        question(9, "frame", header={}, value={"float": "0x8000000000000000"}),
        question(10, "unframe", data="00"),
    )
    value = {
        "version": 0,
        "data": "00ff7f",
        "long": "9223372036854775807",
        "floats": ["0x7ff8000000000000", "0x8000000000000000", 1.5, None],
    }
    assert answered == [
        {"ok": {"value": value, "consumed": 3}},
        {"decode_error": {"class": "Empty", "message": "nothing", "offset": 2}},
        {"internal_error": {"class": "TypeError", "message": "one byte"}},
        {"ok": {"data": "beef"}},
        {"encode_error": {"class": "Missing", "message": "no data", "path": "data"}},
        {"unsupported": {"reason": "mood", "message": "not today"}},
        {"ok": {"data": "0102", "consumed": 2}},
        {"ok": {"size": 2}},
        {"ok": {"data": "8000000000000000"}},
        {"ok": {"header": {}, "value": {}, "consumed": 1}},
    ]


def test_what_the_codec_prints_goes_to_standard_error(talk: Talk) -> None:
    """Neither the console's prints nor writes to descriptor 1 get between the answers."""
    assert "ok" in talk.ask(question(1, "decode", data="000000"))
    out, err, code = talk.end()
    assert (out, code) == ("", 0)
    assert sorted(err.splitlines()) == ["printed by the codec", "written by the codec"]


def test_stop_is_answered_and_ends_the_program(talk: Talk) -> None:
    """The exit code is 0, though standard input is still open."""
    assert talk.ask({"id": 1, "op": "stop"}) == {"id": 1, "ok": {}}
    assert talk.process.wait(timeout=60) == 0


def test_a_line_that_is_not_json_ends_the_program_with_the_reason(talk: Talk) -> None:
    """It is an error of the harness: the line has no id that an answer could name."""
    talk.say("{")
    out, err, code = talk.end()
    assert (out, code) == ("", 1)
    assert "SyntaxError" in err


def test_a_question_of_many_megabytes_is_answered(talk: Talk) -> None:
    """Lines are not bounded by any buffer, in either direction."""
    data = "00ff" * (4 << 20)
    assert talk.ask(question(1, "reencode", data=data))["ok"] == {"data": data, "consumed": len(data) // 2}


def test_messages_in_their_framing(talk: Talk) -> None:
    """The adapter gets what a reader knows and the record's key; the answer has the message and the key."""
    assert in_framing(talk) == [{"data": "0003", "key": "09"}, {"data": "0a", "consumed": 1}, {"size": 1}]
    said = talk.ask({"id": 7, "op": "hello", "protocol": 1, "harness": "test"})["ok"]
    assert said["embedded"] == {"Tiny": dict.fromkeys(("decode", "encode", "reencode", "size"), "0")}
    assert said["compressions"] == ["none", "gzip"]
    assert said["recordLimits"] == ["tail"]
    assert said["recordValues"] is True


def test_primitives_and_the_codecs_own_objects_are_asked_for(talk: Talk) -> None:
    """Primitives are read and written, null included; two objects are compared, one is copied."""
    primitives_and_objects(talk)


def test_a_frame_comes_in_parts(talk: Talk) -> None:
    """The codec gets no more parts than it wants, and the answer counts them."""
    frames_in_parts(talk)
