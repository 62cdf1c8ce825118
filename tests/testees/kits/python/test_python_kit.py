"""The Python kit as a program: requests through pipes, every line held against the protocol's schema."""

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self
from uuid import UUID

import pytest
from jsonschema import Draft202012Validator

ROOT = Path(__file__).parents[4]
KIT = ROOT / "codecs/testees/kits/python/wireproof_testee.py"
ADAPTER = ROOT / "tests/testees/kits/python/python_kit_adapter.py"
SCHEMA = json.loads((ROOT / "docs/reference/testee-protocol.schema.json").read_text())


def validator(line: str) -> Draft202012Validator:
    return Draft202012Validator({"$defs": SCHEMA["$defs"], "$ref": f"#/$defs/{line}"})


REQUESTS, ANSWERS = validator("requestLine"), validator("answerLine")


class Echo:
    """The adapter of `python_kit_adapter` at the other end of two pipes."""

    def __init__(self, *arguments: str) -> None:
        self._numbers = 0
        self.process = subprocess.Popen(
            [sys.executable, "-X", "utf8", str(ADAPTER), *arguments],
            env={"PYTHONPATH": str(KIT.parent), "PYTHONDONTWRITEBYTECODE": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.process.kill()
        self.process.communicate()

    def line(self, sent: Any) -> Any:
        """One line there, one line back."""
        REQUESTS.validate(sent)
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(sent).encode() + b"\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        ANSWERS.validate(answer)
        return answer

    def request(self, op: str, version: int = 0, message: str = "Echo", **fields: Any) -> dict[str, Any]:
        self._numbers += 1
        return {"id": self._numbers, "op": op, "message": message, "version": version, **fields}

    def ask(self, op: str, version: int = 0, message: str = "Echo", **fields: Any) -> dict[str, Any]:
        """The answer to one request, without its id."""
        request = self.request(op, version, message, **fields)
        answer: dict[str, Any] = self.line(request)
        assert answer.pop("id") == request["id"]
        return answer

    def end(self) -> tuple[int, bytes, str]:
        """Close standard input: exit code, what is left of standard output, standard error."""
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err.decode()


@pytest.fixture
def echo() -> Iterator[Echo]:
    with Echo() as started:
        yield started


def test_hello(echo: Echo) -> None:
    """The hello has identity, claims, limits and registry in the words of the protocol."""
    answer = echo.line({"id": 0, "op": "hello", "protocol": 1, "harness": "wireproof 0"})
    hello = answer["ok"]
    assert hello["codec"].pop("runtime").split()[1] == sys.version.split()[0]
    assert hello == {
        "protocol": 1,
        "codec": {
            "name": "echo",
            "version": "1.0",
            "language": "python",
            "variant": "plain",
            "links": {"source": "https://example.org/echo"},
        },
        "messages": {
            "Echo": {
                **dict.fromkeys(("decode", "encode", "reencode", "frame", "unframe"), "0-3,9"),
                **dict.fromkeys(("size", "feed", "equal", "copy"), "0"),
            },
            "Bare": {"size": "0"},
        },
        "embedded": {"Echo": dict.fromkeys(("decode", "encode", "reencode", "size"), "0-3")},
        "primitives": {"Varlong": ["decode", "encode"], "NullableBytes": ["encode"], "Uuid": ["decode"]},
        "compressions": {"none": "0-2", "zstd": "2"},
        "recordLimits": ["tail"],
        "recordValues": True,
        "limits": {"sevens": "sevens cannot be held"},
        "names": "4.3",
        "refuses": True,
        "index": {"Echo": {"encode": "0-3,5,9", "decode": "0-3,5,9"}, "Bare": {"encode": "0"}},
        "unclaimed": [{"reason": "not finished", "messages": {"Echo": "5"}, "way": "decode"}],
        "registry": [
            {
                "apiKey": 4,
                "request": {"message": "EchoRequest", "versions": "0-3", "headers": {"0-1": 1, "2-3": 2}},
            },
            {"apiKey": 5, "response": {"message": "EchoResponse", "versions": "2-3"}},
        ],
    }


def test_operations(echo: Echo) -> None:
    """Each operation is put together of the adapter's calls."""
    assert echo.ask("decode", data="00ff") == {"ok": {"value": {"data": "00ff"}, "consumed": 2}}
    assert echo.ask("encode", value={"data": "0001"}) == {"ok": {"data": "0001"}}
    assert echo.ask("encode", value={}) == {"ok": {"data": "00"}}
    assert echo.ask("reencode", data="00ff") == {"ok": {"data": "00ff", "consumed": 2}}
    assert echo.ask("size", value={"data": "000000"}) == {"ok": {"size": 3}}
    assert echo.ask("frame", header={"number": 7}, value={"data": "0001"}) == {"ok": {"data": "070001"}}
    unframed = {"header": {"number": 7}, "value": {"data": "0001"}, "consumed": 3}
    assert echo.ask("unframe", data="070001") == {"ok": unframed}


def test_messages_in_their_framing(echo: Echo) -> None:
    """The adapter gets what a reader knows and the record's key; the answer has the message and the key.
    Refusals are reported as for other messages."""
    control = {"id": 1, "op": "decode", "framing": "control-record", "data": "00", "key": "07"}
    value = {"data": (b"control-record/" + b"\x07").hex()}
    assert echo.line(control)["ok"] == {"message": "Echo", "version": 0, "value": value, "consumed": 1}
    topic = {"id": 2, "op": "reencode", "framing": "coordinator-key", "topic": "group", "data": "00ff"}
    assert echo.line(topic)["ok"] == {"data": b"coordinator-key/group".hex(), "consumed": 2}
    words = {"framing": "sticky", "message": "Echo", "value": {"data": "0005"}}
    assert echo.line({"id": 3, "op": "encode", "version": 1, **words})["ok"] == {"data": "0005", "key": "09"}
    assert echo.line({"id": 4, "op": "size", "version": 0, **words})["ok"] == {"size": 2}
    declined = {"id": 5, "op": "decode", "framing": "sticky", "message": "Echo", "data": "01"}
    assert "decode_error" in echo.line(declined)
    assert (
        "not claimed"
        in echo.line({"id": 6, "op": "size", "version": 9, **words})["internal_error"]["message"]
    )


def test_primitives(echo: Echo) -> None:
    """Values are Python's own for the adapter, and canonical JSON outside; the question says which way."""

    def primitive(kind: str, **asked: Any) -> dict[str, Any]:
        answer: dict[str, Any] = echo.line({"id": 1, "op": "primitive", "type": kind, **asked})
        return answer

    assert primitive("Varlong", value="7")["ok"] == {"data": "07"}
    assert primitive("Varlong", data="0708")["ok"] == {"value": "7", "consumed": 1}
    assert primitive("NullableBytes", value=None)["ok"] == {"data": b"null".hex()}
    assert primitive("NullableBytes", value="0a")["ok"] == {"data": "0a"}
    assert primitive("Uuid", data="00" * 17)["ok"] == {"value": str(UUID(int=0)), "consumed": 16}
    assert "encode_error" in primitive("Varlong", value="256")
    assert "not claimed" in primitive("Uuid", value=str(UUID(int=0)))["internal_error"]["message"]


def test_objects_of_the_codec(echo: Echo) -> None:
    """Two are read and compared, by what Python has; one is duplicated and written."""
    assert echo.ask("equal", data="00ff", other="00ff")["ok"] == {"equal": True, "hashes": True}
    assert echo.ask("equal", data="00ff", other="00fe")["ok"]["equal"] is False
    assert "decode_error" in echo.ask("equal", data="00ff", other="01")
    assert echo.ask("copy", data="00ff")["ok"] == {"data": "00ff"}


def test_a_frame_comes_in_parts(echo: Echo) -> None:
    """The adapter gets no more parts than it wants, and the answer counts them."""
    found = {"value": {"data": "000a"}, "consumed": 3}
    assert echo.ask("feed", parts=["02", "00", "0a"])["ok"] == {**found, "parts": 3}
    assert echo.ask("feed", parts=["02000a0b0c"])["ok"] == {**found, "parts": 1}
    assert echo.ask("feed", parts=["0200", "0a0b", "0c"])["ok"] == {**found, "parts": 2}
    assert echo.ask("feed", parts=["0101"])["decode_error"]["message"] == "declined"
    incomplete = {"class": "Incomplete", "message": "no message after 2 parts"}
    assert echo.ask("feed", parts=["02", "00"])["decode_error"] == incomplete


def test_a_version_beyond_the_claims_reaches_the_adapter(echo: Echo) -> None:
    """The codec has to refuse it, not the kit on its behalf."""
    for version in (-1, 4, 10):
        answer = echo.ask(op="decode", message="Echo", version=version, data="")
        assert answer.get("internal_error", {}).get("class") != "wireproof_testee.AdapterError", answer


def test_what_is_not_claimed_for_a_reason_is_tried(echo: Echo) -> None:
    """It is the harness that wants to know whether it works."""
    assert echo.ask("decode", version=5, data="0001")["ok"] == {"value": {"data": "0001"}, "consumed": 2}


def test_lists(echo: Echo) -> None:
    """A list of requests is answered with a list, each answer with its id, whatever the others do."""
    deeds = [0, 2, 0, 3, 5, 0]
    requests = [echo.request("reencode", data=f"{deed:02x}") for deed in deeds]
    answers = echo.line(requests)
    assert [answer["id"] for answer in answers] == [request["id"] for request in requests]
    assert ["ok" in answer for answer in answers] == [deed == 0 for deed in deeds]


@pytest.mark.parametrize(
    ("deed", "key", "detail"),
    [
        (1, "decode_error", {"class": "__main__.PlacedError", "message": "declined", "offset": 3}),
        (2, "internal_error", {"class": "KeyError", "message": "'not declared'"}),
        (3, "internal_error", {"class": "MemoryError", "message": ""}),
        (4, "internal_error", {"class": "RecursionError"}),
        (5, "internal_error", {"class": "SystemExit", "message": "the codec leaves"}),
        (7, "unsupported", {"reason": "sevens", "message": "a seven"}),
        (9, "internal_error", {"class": "__main__.PanicError", "message": "panicked"}),
        (
            10,
            "internal_error",
            {"class": "__main__.MuteError", "message": "(no text: __str__ raised ValueError)"},
        ),
        (11, "decode_error", {"class": "ValueError", "message": "x" * 500 + "..."}),
        (12, "internal_error", {"class": "MemoryError"}),
    ],
)
def test_what_a_codec_raises_is_an_answer(echo: Echo, deed: int, key: str, detail: dict[str, Any]) -> None:
    """Refusals that the adapter declares are orderly, all else is an internal error; the program goes on."""
    for op in ("decode", "reencode"):
        answer = echo.ask(op, data=f"{deed:02x}")
        assert detail.items() <= answer[key].items()
    value = {"data": f"{deed:02x}"}
    without_offset = {name: item for name, item in detail.items() if name != "offset"}
    for answer in (echo.ask("encode", value=value), echo.ask("frame", header={"number": 0}, value=value)):
        assert without_offset.items() <= answer[key.replace("decode", "encode")].items()
    assert echo.ask("decode", data="00") == {"ok": {"value": {"data": "00"}, "consumed": 1}}


@pytest.mark.parametrize(
    ("deed", "words"),
    [
        (13, "ModuleNotFoundError: No module named 'no_such_codec' at python_kit_adapter.py:"),
        (14, "AttributeError: module 'sys' has no attribute 'no_such_function' at python_kit_adapter.py:"),
        (15, "NameError: name 'no_such_name' is not defined at python_kit_adapter.py:"),
        (16, "KeyError: '10' at python_kit_adapter.py:"),
    ],
)
def test_what_an_adapter_lacks_is_no_crash_of_its_codec(echo: Echo, deed: int, words: str) -> None:
    """An import, a name of a module, a name or a key: the answer has the kit's class, and the place."""
    for op in ("decode", "reencode"):
        error = echo.ask(op, data=f"{deed:02x}")["internal_error"]
        assert error["class"] == "wireproof_testee.AdapterError"
        assert error["message"].startswith(words)


def test_a_missing_key_is_not_held_against_the_adapter_alone(echo: Echo) -> None:
    """The dict may be the codec's, or returned by it: the message shows the line and names all of them."""
    said = echo.ask("decode", data="10")["internal_error"]["message"]
    owners, _, line = said.partition(": a dict of the adapter, of the codec or ")[2].partition(": ")
    assert owners == "returned by the codec lacks the key"
    assert line == "16: lambda data: MISTAKES[data.hex()],"


@pytest.mark.parametrize(("deed", "kind"), [(2, "KeyError"), (17, "KeyError"), (18, "AttributeError")])
def test_an_error_that_a_codec_may_have_raised_keeps_its_class(echo: Echo, deed: int, kind: str) -> None:
    """An object lacks a method, or a call raises: the function may be the codec's, and compiled."""
    assert echo.ask("decode", data=f"{deed:02x}")["internal_error"]["class"] == kind


def test_where_a_value_is_refused(echo: Echo) -> None:
    """An encode error has its path if the codec reports it."""
    assert echo.ask("encode", value={"data": "01"})["encode_error"]["path"] == "data"


def test_noise_goes_to_standard_error(echo: Echo) -> None:
    """Output of the codec, its descriptors and its children is on standard error, and its input is empty."""
    assert echo.ask("decode", data="06") == {"ok": {"value": {"data": "06"}, "consumed": 1}}
    _code, out, err = echo.end()
    assert out == b""
    assert sorted(err.splitlines()) == ["a child of the codec", "a line of the codec", "bytes of the codec"]


def test_tracebacks_are_printed_once(echo: Echo) -> None:
    """An internal error leaves its traceback on standard error, however often it comes."""
    for _ in range(3):
        echo.ask("decode", data="02")
    _code, _out, err = echo.end()
    assert err.count("KeyError: 'not declared'") == 1
    assert "python_kit_adapter.py" in err


@pytest.mark.parametrize(
    ("request_", "advice"),
    [
        ({"op": "decode", "version": 1, "data": "00"}, "list[0].data is a bytes (b'\\x00')"),
        ({"op": "decode", "version": 2, "data": "00"}, "number is a float (nan)"),
        ({"op": "decode", "version": 3, "data": "00"}, "expected a dict with Kafka's names"),
        ({"op": "decode", "version": 9, "data": "00"}, "expected a tuple of 2, bytes consumed last"),
        (
            {"op": "decode", "version": 0, "data": "00", "message": "Bare"},
            "decode of Bare v0 is requested, but not claimed",
        ),
        ({"op": "decode", "version": 0, "data": "08"}, "limits does not explain it: add it there"),
        ({"op": "encode", "version": 0, "value": {"text": "00"}}, "write returned a str: expected bytes"),
        ({"op": "size", "version": 0, "value": {}, "message": "Bare"}, "Bare.size is not implemented"),
    ],
)
def test_mistakes_of_adapters(echo: Echo, request_: dict[str, Any], advice: str) -> None:
    """The kit reports a mistake of the adapter as such, with the action to take."""
    error = echo.ask(**request_)["internal_error"]
    assert error["class"] == "wireproof_testee.AdapterError"
    assert advice in error["message"]


@pytest.mark.parametrize(
    ("mistake", "advice"),
    [
        ("empty", "add at least one message"),
        ("name", "expected a name of Kafka's, such as FetchRequest"),
        ("operation", "expected one of decode, encode, reencode, size, frame, unframe"),
        ("versions", "write the lower version first"),
        ("primitive", "primitives has 'VarInt': expected one of Bool, Int8"),
        ("index", "index has ['size'] for a message: expected versions, encode or decode"),
    ],
)
def test_claims_that_cannot_be_sent(mistake: str, advice: str) -> None:
    """An invalid description ends the program at once, with the reason on standard error."""
    with Echo(mistake) as echo:
        code, out, err = echo.end()
        assert (code, out) == (1, b"")
        assert advice in err.splitlines()[-1]


def test_stop(echo: Echo) -> None:
    """Stop is answered, and the program ends with 0."""
    assert echo.line([echo.request("reencode", data="00"), {"id": 9, "op": "stop"}])[1] == {"id": 9, "ok": {}}
    assert echo.end()[:2] == (0, b"")


def test_end_of_input(echo: Echo) -> None:
    """The program ends with 0 where standard input does."""
    assert echo.end() == (0, b"", "")


def test_a_closed_pipe(echo: Echo) -> None:
    """The program ends with 0 if the harness has closed the pipe."""
    assert echo.process.stdout is not None
    assert echo.process.stdin is not None
    echo.process.stdout.close()
    echo.process.stdin.write(json.dumps(echo.request("decode", data="00")).encode() + b"\n")
    echo.process.stdin.flush()
    assert echo.process.wait(timeout=60) == 0


def test_no_json(echo: Echo) -> None:
    """A line that is not JSON ends the program with the line on standard error."""
    assert echo.process.stdin is not None
    echo.process.stdin.write(b'{"id":1,\n')
    code, out, err = echo.end()
    assert (code, out) == (1, b"")
    assert "is not JSON" in err


def test_old_pythons() -> None:
    """The kit is read by Python 3.9 and imports the standard library alone."""
    tree = ast.parse(KIT.read_text(), feature_version=(3, 9))
    imported = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {alias.name for node in imported if isinstance(node, ast.Import) for alias in node.names}
    names |= {str(node.module) for node in imported if isinstance(node, ast.ImportFrom)}
    assert {name.split(".")[0] for name in names} <= sys.stdlib_module_names
