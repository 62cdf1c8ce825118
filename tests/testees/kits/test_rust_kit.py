"""The Rust kit through pipes: a tiny program that uses it; every line is validated by the JSON Schema."""

import json
import os
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

pytestmark = pytest.mark.languages("cargo", "rustfmt")

KIT = KITS / "rust/wireproof-testee"
TEMPLATE = KITS.parent / "templates/rust"


@pytest.fixture(scope="module")
def crate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The template's crate with the tiny program in place of its adapter; a warning of the compiler fails."""
    folder = tmp_path_factory.mktemp("tiny")
    shutil.copytree(KIT, folder / KIT.name)
    shutil.copy(TEMPLATE / "Cargo.toml", folder)
    shutil.copy(Path(__file__).parent / "tiny.rs", folder / "adapter.rs")
    command = ["cargo", "build", "--quiet", "--target-dir", "target"]
    strict = {**os.environ, "RUSTFLAGS": "-D warnings"}
    done = subprocess.run(command, cwd=folder, env=strict, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def talk(crate: Path) -> Iterator[Talk]:
    running = Talk(crate / "target/debug/adapter")
    yield running
    running.kill()


def test_hello_fits_the_schema_and_fills_in_the_language(talk: Talk) -> None:
    """The kit adds language and platform, and drops empty claims; the rest comes from the adapter."""
    said = talk.ask(HELLO)["ok"]
    assert said["codec"]["version"] == "0.1.0"  # of the kit, by Cargo.lock
    assert said["codec"]["language"] == "rust"
    assert said["codec"]["runtime"].startswith("native ")
    assert said["refuses"] is True
    assert said["messages"]["Tiny"]["decode"] == "0-1"
    assert "Nothing" not in said["messages"]
    assert said["index"] == {"Tiny": {"encode": "0-1", "decode": "0-1"}}
    assert said["embedded"] == {"Tiny": dict.fromkeys(("decode", "encode", "reencode", "size"), "0")}
    assert said["compressions"] == {"none": "0-2", "gzip": "2"}
    assert said["recordLimits"] == ["tail"]
    assert said["recordValues"] is True
    assert said["unclaimed"] == [{"reason": "not yet", "messages": {"Tiny": "1"}, "way": "encode"}]
    assert said["registry"] == [
        {"apiKey": -1, "request": {"message": "Tiny", "versions": "0", "headers": {"0": 2}}}
    ]


def test_each_operation_and_each_kind_of_answer_fits_the_schema(talk: Talk) -> None:
    """One list with every operation and every refusal is one list of answers, in order."""
    answered = talk.ask_all(
        question(1, "decode", data="00ff7f"),
        question(2, "decode", data=""),
        question(3, "decode", data="00"),
        question(4, "decode", data="ffff"),
        question(5, "encode", value={"data": "beef"}),
        question(6, "encode", value={}),
        question(7, "encode", value={"data": None}),
        question(8, "reencode", data="0102"),
        question(9, "size", value={"a": 1, "b": {"c": [1.5, "x", True]}}),
        question(10, "frame", header={}, value={"float": "0x8000000000000000"}),
        question(11, "frame", header={}, value={"float": 0.1}),
        question(12, "unframe", data="00"),
    )
    value = {
        "version": 0,
        "data": "00ff7f",
        "long": "-9223372036854775808",
        "floats": ["0x7ff8000000000000", "0x8000000000000000", 1.5],
        "_tags": {"7": "00"},
    }
    utf8 = "invalid utf-8 sequence of 1 bytes from index 0"
    assert answered == [
        {"ok": {"value": value, "consumed": 3}},
        {"decode_error": {"class": "Empty", "message": "nothing", "offset": 2}},
        {"internal_error": {"class": "panic", "message": "1 byte"}},
        {"internal_error": {"class": "Utf8Error", "message": utf8}},
        {"ok": {"data": "beef"}},
        {"encode_error": {"class": "Missing", "message": "no data", "path": "data"}},
        {"unsupported": {"reason": "mood", "message": "not today"}},
        {"ok": {"data": "0102", "consumed": 2}},
        {"ok": {"size": 2}},
        {"ok": {"data": "8000000000000000"}},
        {"ok": {"data": "3fb999999999999a"}},
        {"ok": {"header": {}, "value": {}, "consumed": 1}},
    ]


def test_messages_in_their_framing(talk: Talk) -> None:
    """The adapter gets what a reader knows and the record's key; the answer has the message and the key."""
    answers = in_framing(talk, key="01")
    assert answers == [{"data": "0001", "key": "09"}, {"data": "0a", "key": "01", "consumed": 1}, {"size": 1}]


def test_an_unknown_operation_is_an_error_of_the_adapter(talk: Talk) -> None:
    """The program goes on after it."""
    assert talk.process.stdin is not None
    assert talk.process.stdout is not None
    talk.say(json.dumps({"id": 1, "op": "guess", "message": "Tiny", "version": 0}))
    talk.process.stdin.flush()
    error = {"class": "AdapterError", "message": "guess of Tiny/0 was not claimed"}
    assert json.loads(talk.process.stdout.readline()) == {"id": 1, "internal_error": error}


def test_what_the_codec_prints_goes_to_standard_error(talk: Talk) -> None:
    """Neither prints nor writes to descriptor 1 get between the answers."""
    assert "ok" in talk.ask(question(1, "decode", data="000000"))
    out, err, code = talk.end()
    assert (out, code) == ("", 0)
    assert err == "printed by the codec, written by the codec\n"


def test_a_panic_leaves_its_place_on_standard_error(talk: Talk) -> None:
    """The next question is answered by the same process."""
    assert "internal_error" in talk.ask(question(1, "decode", data="00"))
    assert "ok" in talk.ask(question(2, "reencode", data="00"))
    _, err, code = talk.end()
    assert "adapter.rs:" in err
    assert "in decode of Tiny/0" in err
    assert code == 0


def test_stop_is_answered_and_ends_the_program(talk: Talk) -> None:
    """The exit code is 0, though standard input is still open."""
    assert talk.ask({"id": 1, "op": "stop"}) == {"id": 1, "ok": {}}
    assert talk.process.wait(timeout=60) == 0


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{\n", "EOF while parsing"),
        ('{"op":"stop"}\n', "a request without an id"),
        ('{"id":1,"op":"reencode","message":"Tiny","version":0,"data":"0"}\n', "are not hexadecimal"),
    ],
)
def test_a_line_that_is_not_a_request_ends_the_program_with_the_reason(
    talk: Talk, line: str, problem: str
) -> None:
    """It is an error of the harness: the line has no id that an answer could name."""
    assert talk.process.stdin is not None
    talk.process.stdin.write(line)
    out, err, code = talk.end()
    assert (out, code) == ("", 2)
    assert problem in err


def test_a_question_of_many_megabytes_is_answered(talk: Talk) -> None:
    """Lines are not bounded by any buffer, in either direction."""
    data = "00ff" * (1 << 20)
    assert talk.ask(question(1, "reencode", data=data))["ok"] == {"data": data, "consumed": len(data) // 2}


def test_the_example_of_the_kit_compiles(crate: Path) -> None:
    """The example in its documentation is a valid program."""
    command = ["cargo", "test", "--quiet", "--doc", "--target-dir", "../target"]
    done = subprocess.run(command, cwd=crate / KIT.name, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_kit_template_and_adapters_are_in_the_format_of_rust() -> None:
    """`rustfmt` would change nothing."""
    files = [*(KIT / "src").glob("*.rs"), *TEMPLATE.glob("*.rs"), *KITS.parent.glob("rust-*/*.rs")]
    assert len(files) > 7
    command = ["rustfmt", "--edition", "2021", "--check", "--config-path", str(KIT), *map(str, files)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_primitives_and_the_codecs_own_objects_are_asked_for(talk: Talk) -> None:
    """Primitives are read and written, null included; two objects are compared, one is copied."""
    primitives_and_objects(talk)


def test_a_frame_comes_in_parts(talk: Talk) -> None:
    """The codec gets no more parts than it wants, and the answer counts them."""
    frames_in_parts(talk)
