"""The Java kit through pipes: a tiny program that uses it; every line is validated by the JSON Schema."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

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

pytestmark = pytest.mark.languages("java", "javac")

SOURCES = KITS / "java/src/main/java/io/wireproof/testee"

SCALARS = {
    "int16": -32768,
    "uint32": "4294967295",
    "int64": "-9223372036854775808",
    "float64": 2,
    "uuid": "12000034-5600-0000-0000-000000000078",
    "_tags": {"300": "05"},
}


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compiled with every warning an error."""
    folder = tmp_path_factory.mktemp("tiny")
    sources = [*SOURCES.glob("*.java"), Path(__file__).parent / "Tiny.java"]
    command = ["javac", "-Xlint:all", "-Werror", "--release", "17", "-d", str(folder)]
    subprocess.run([*command, *sources], check=True)
    (folder / "Tiny$Absent.class").unlink()
    return folder


@pytest.fixture
def talk(classes: Path) -> Iterator[Talk]:
    running = Talk("java", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", classes, "Tiny")
    yield running
    running.kill()


def test_what_an_adapter_lacks_is_no_crash_of_its_codec(talk: Talk) -> None:
    """It was compiled with a class that is not there: the answer has the kit's class, and the place."""
    (error,) = (each["internal_error"] for each in talk.ask_all(question(1, "decode", data="06")))

    assert error["class"] == "AdapterError"
    assert error["message"].startswith(
        "java.lang.NoClassDefFoundError: Tiny$Absent at Tiny.decode(Tiny.java:"
    )


def test_hello_fits_the_schema_and_fills_in_the_runtime(talk: Talk) -> None:
    """The kit adds language and runtime; the rest comes from the adapter."""
    said = talk.ask(HELLO)["ok"]
    assert said["codec"]["language"] == "java"
    assert said["codec"]["runtime"].startswith("Java ")
    assert said["codec"]["variant"] == "small"
    assert said["codec"]["links"] == {"home": "https://example.org"}
    assert said["refuses"] is True
    assert said["whole"] is True
    assert said["messages"]["Tiny"]["decode"] == "0-1"
    assert said["index"] == {"Tiny": {"decode": "0-2"}}
    assert said["unclaimed"] == [
        {"reason": "it is too large", "messages": {"Tiny": "2"}},
        {"reason": "it is too old", "messages": {"Tiny": "1"}, "way": "encode"},
    ]
    assert said["embedded"] == {"Tiny": dict.fromkeys(("decode", "encode", "reencode", "size"), "0")}
    assert said["compressions"] == {"none": "0-2", "gzip": "2"}
    assert said["recordLimits"] == ["tail"]
    assert said["recordValues"] is True
    assert said["registry"] == [
        {
            "apiKey": -1,
            "request": {"message": "Tiny", "versions": "0", "headers": {"0": 2}},
            "response": {"message": "Tiny", "versions": "0", "headers": {}},
        }
    ]


def test_each_operation_and_each_kind_of_answer_fits_the_schema(talk: Talk) -> None:
    """One list with every operation and every refusal is one list of answers, in order."""
    answered = talk.ask_all(
        question(1, "decode", data="00ff7f"),
        question(2, "decode", data=""),
        question(3, "decode", data="01"),
        question(4, "encode", value={"data": "beef"}),
        question(5, "encode", value={}),
        question(6, "encode", value={"data": None}),
        question(7, "reencode", data="0102"),
        question(8, "size", value={"text": "xy", "b": {"c": [1.5, -3, False, None]}}),
        question(9, "frame", header=SCALARS, value={}),
        question(10, "unframe", data="00"),
    )
    numbers = ("ffffffffffff8000", "00000000ffffffff", "8000000000000000")
    halves = ("4000000000000000", "1200003456000000", "0000000000000005")
    assert answered == [
        {"ok": {"value": {"version": 0, "data": "00ff7f"}, "consumed": 3}},
        {"decode_error": {"class": "Empty", "message": "nothing", "offset": 2}},
        {"internal_error": {"class": "java.lang.Exception", "message": "one byte"}},
        {"ok": {"data": "beef"}},
        {"encode_error": {"class": "Missing", "message": "no data", "path": "data"}},
        {"unsupported": {"reason": "mood", "message": "not today"}},
        {"ok": {"data": "0102", "consumed": 2}},
        {"ok": {"size": 2}},
        {"ok": {"data": "".join([*numbers, *halves])}},
        {"ok": {"header": {}, "value": {"flag": True}, "consumed": 1}},
    ]


def test_messages_in_their_framing(talk: Talk) -> None:
    """The adapter gets what a reader knows and the record's key; the answer has the message and the key."""
    answers = in_framing(talk, unnamed=None)
    assert answers == [{"data": "0001", "key": "09"}, {"data": "0a", "consumed": 1}, {"size": 1}]


def test_each_of_javas_types_has_its_canonical_form(talk: Talk) -> None:
    """Longs are decimal strings, odd floats their bits, buffers what remains of them, half a pair U+FFFD."""
    assert talk.ask(question(1, "decode", data="05"))["ok"]["value"] == {
        "numbers": [-128, -1, 7, "-9223372036854775808", 1.5, 1e300],
        "floats": ["0x7ff8000000000000", "0x8000000000000000", "0xfff0000000000000", 0.0, None],
        "text": 'a"\\\n\0é€😀\ufffd.',
        "bytes": "00ff",
        "uuid": str(UUID(int=0x12000034560000000000000000000078)),
        "inner": {"flag": True},
        "none": [],
        "_tags": {"7": "01", "300": ""},
    }


@pytest.mark.parametrize("text", ['a"\\/\b\f\n\r\t\0', "é€", "😀", "x😀y", ""])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_strings_come_as_they_are(talk: Talk, text: str, ascii_only: bool) -> None:
    """With escapes and without; characters beyond 16 bits count as two in Java."""
    talk.say(json.dumps(question(1, "size", value={"text": text}), ensure_ascii=ascii_only))
    out, _, code = talk.end()
    assert json.loads(out)["ok"] == {"size": len(text.encode("utf-16-le")) // 2}
    assert code == 0


@pytest.mark.parametrize(
    ("field", "value", "error"),
    [
        ("int16", 32768, "ArithmeticException"),
        ("int16", "x", "NumberFormatException"),
        ("int16", None, "IllegalArgumentException"),
        ("uint32", -1, "ArithmeticException"),
        ("uint32", "4294967296", "ArithmeticException"),
        ("int64", 2**63, "ArithmeticException"),
        ("float64", "1.5", "IllegalArgumentException"),
        ("uuid", "12", "IllegalArgumentException"),
        ("_tags", {"x": ""}, "NumberFormatException"),
        ("_tags", {"300": "0"}, "IllegalArgumentException"),
    ],
)
def test_a_value_of_another_kind_is_an_error_and_no_guess(
    talk: Talk, field: str, value: object, error: str
) -> None:
    """So is a number that does not fit: an adapter may make a refusal of it."""
    answered = talk.ask(question(1, "frame", header={**SCALARS, field: value}, value={}))
    assert answered["internal_error"]["class"] == f"java.lang.{error}"


def test_the_bits_of_a_float_are_read(talk: Talk) -> None:
    """A float64 that JSON has no number for is given by its bits."""
    answered = talk.ask(question(1, "frame", header={**SCALARS, "float64": "0xfff8000000000001"}, value={}))
    assert answered["ok"]["data"][48:64] == "fff8000000000001"


@pytest.mark.parametrize(
    ("data", "error"), [("02", "java.lang.StackOverflowError"), ("03", "java.lang.OutOfMemoryError")]
)
def test_errors_of_the_jvm_are_answers(talk: Talk, data: str, error: str) -> None:
    """The next question is answered by the same process, and standard error has the place."""
    assert talk.ask(question(1, "decode", data=data))["internal_error"]["class"] == error
    assert "ok" in talk.ask(question(2, "reencode", data="00"))
    _, err, code = talk.end()
    assert f"{error}" in err
    assert "at Tiny." in err
    assert code == 0


def test_an_answer_that_cannot_be_written_leaves_no_part(talk: Talk) -> None:
    """The line is well formed, the others in it are answered."""
    first, second = talk.ask_all(question(1, "decode", data="04"), question(2, "reencode", data="00"))
    assert first["internal_error"]["message"] == "canonical JSON has no form for java.lang.Object"
    assert second == {"ok": {"data": "00", "consumed": 1}}


def test_an_operation_that_was_not_claimed(talk: Talk) -> None:
    """The kit reports it as an internal error."""
    talk.say('{"id":1,"op":"fold","message":"Tiny","version":0}')
    out, _, code = talk.end()
    assert "there is no operation fold" in out
    assert code == 0


def test_what_the_codec_prints_goes_to_standard_error(talk: Talk) -> None:
    """Prints do not get between the answers."""
    assert "ok" in talk.ask(question(1, "decode", data="000000"))
    assert talk.end() == ("", "printed by the codec\n", 0)


def test_stop_is_answered_and_ends_the_program(talk: Talk) -> None:
    """The exit code is 0, though standard input is still open."""
    assert talk.ask({"id": 1, "op": "stop"}) == {"id": 1, "ok": {}}
    assert talk.process.wait(timeout=60) == 0


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "x",
        "[1]",
        '{"op":"stop"}',
        '{"id":1}',
        '{"id":"1","op":"stop"}',
        '[{"id":1,"op":"stop"}',
        '{"id":1,"op":"stop"} x',
        '{"id":1,"op":"decode","message":"Tiny","version":70000,"data":""}',
        '{"id":1,"op":"decode","message":"Tiny","version":0,"data":"0"}',
        '{"id":1,"op":"decode","message":"Tiny","version":0,"data":"zz"}',
        '{"id":1,"op":"\\q"}',
        '{"id":1,"op":"\\u12"}',
        '{"id":1,"op":"st',
    ],
)
def test_a_line_that_is_not_a_request_ends_the_program_with_the_reason(talk: Talk, line: str) -> None:
    """It is an error of the harness: the line has no id that an answer could name."""
    talk.say(line)
    out, err, code = talk.end()
    assert (out, code) == ("", 2)
    assert "InvalidRequestException" in err


def test_questions_of_many_megabytes_are_answered(talk: Talk) -> None:
    """No buffer bounds a line, in either direction; the second finds the memory of the first."""
    data = "00ff" * (4 << 20)
    for number in (1, 2):
        asked = question(number, "reencode", data=data)
        assert talk.ask(asked)["ok"] == {"data": data, "consumed": len(data) // 2}
    assert talk.ask(question(3, "reencode", data="00"))["ok"]["consumed"] == 1


def test_primitives_and_the_codecs_own_objects_are_asked_for(talk: Talk) -> None:
    """Primitives are read and written, null included; two objects are compared, one is copied."""
    primitives_and_objects(talk)


def test_a_frame_comes_in_parts(talk: Talk) -> None:
    """The codec gets no more parts than it wants, and the answer counts them."""
    frames_in_parts(talk)
