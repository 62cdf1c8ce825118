"""What is read of a testee's lines: claims, answers; and the JSON Schema of both directions."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from kafkawire.records import Compression
from wireproof.model import BOTH_DIRECTIONS, CodecDirection, RecordLimit
from wireproof.testees.description.claimed_operations import Operation
from wireproof.testees.description.hello import Hello
from wireproof.testees.description.version_ranges import parse_versions
from wireproof.testees.session.protocol_answers import FailedAnswer, OkAnswer, UnsupportedAnswer, read_answers
from wireproof.testees.testee_errors import ProtocolViolationError

DOCS = Path(__file__).parents[3] / "docs" / "reference"
CODEC = {"name": "mine", "version": "1.0", "language": "go"}
HELLO = {
    "protocol": 1,
    "codec": {**CODEC, "runtime": "go1.26", "variant": "fast", "links": {"home": "somewhere"}},
    "messages": {"FetchRequest": {"decode": "0-3,5", "encode": "5"}},
    "index": {"FetchRequest": {"decode": "0-5", "encode": "5"}},
    "unclaimed": [
        {"reason": "not done", "messages": {"FetchRequest": "4"}, "way": "decode"},
        {"reason": "by another program", "messages": {"FetchResponse": "0-5"}},
    ],
    "limits": {"dates": "before 1970"},
    "registry": [
        {
            "apiKey": 1,
            "request": {"message": "FetchRequest", "versions": "0-5", "headers": {"0-4": 1, "5": 2}},
            "response": {"message": "FetchResponse", "versions": "0-5"},
        }
    ],
}


def validator(name: str) -> Draft202012Validator:
    schema = json.loads((DOCS / "testee-protocol.schema.json").read_text())
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": schema["$defs"]})


@pytest.mark.parametrize(
    ("text", "versions"), [("3", {3}), ("0-2", {0, 1, 2}), ("0-1,4,7-8", {0, 1, 4, 7, 8})]
)
def test_versions(text: str, versions: set[int]) -> None:
    """Ranges and single numbers, in any number."""
    assert parse_versions(text) == versions


@pytest.mark.parametrize("text", ["", "-1", "2-1", "0-99999", "1,", "a", "1 - 2"])
def test_versions_that_are_none(text: str) -> None:
    """They are told as they are written."""
    with pytest.raises(ProtocolViolationError, match="is not a list of version ranges"):
        parse_versions(text)


def test_a_hello_is_read_whole() -> None:
    """Who it is, what it claims, its limits and its registry."""
    hello = Hello.parse(HELLO)

    assert str(hello.identity) == "mine[fast] 1.0"
    assert list(hello.claims) == [("FetchRequest", version) for version in (0, 1, 2, 3, 5)]
    assert hello.claims.has(Operation.DECODE, "FetchRequest", 3)
    assert not hello.claims.has(Operation.ENCODE, "FetchRequest", 3)
    assert not hello.claims.any_of("FetchRequest", 4)
    assert not hello.claims.any_of("FetchResponse", 5)
    (entry,) = hello.registry
    assert entry.request is not None
    codec = hello.repertoire
    assert codec.has["FetchRequest", 5] == BOTH_DIRECTIONS
    assert codec.has["FetchRequest", 4] == {CodecDirection.DECODE}
    assert codec.has["FetchResponse", 4] == set()
    assert codec.claimed["FetchRequest", 3] == {CodecDirection.DECODE}
    assert codec.reasons["FetchRequest", 4] == {CodecDirection.DECODE: "not done"}
    assert set(codec.reasons["FetchResponse", 0]) == BOTH_DIRECTIONS
    assert (entry.api_key, entry.request.headers[5], entry.request.headers[0]) == (1, 2, 1)


@pytest.mark.parametrize(
    ("told", "old", "new"),
    [
        (None, {Compression.NONE}, {Compression.NONE}),
        (["gzip", "zstd"], {Compression.GZIP}, {Compression.GZIP, Compression.ZSTD}),
        ({"gzip": "0-2", "lz4": "2"}, {Compression.GZIP}, {Compression.GZIP, Compression.LZ4}),
    ],
)
def test_compressions_by_version(told: Any, old: set[Compression], new: set[Compression]) -> None:
    """Of all versions, or of those that are named; zstd is never one of the old ones."""
    hello = Hello.parse(HELLO if told is None else {**HELLO, "compressions": told})

    assert (hello.codecs(0), hello.codecs(2)) == (old, new)
    if told is not None:
        assert validator("hello").is_valid({**HELLO, "compressions": told})
        assert not validator("hello").is_valid({**HELLO, "compressions": ["rar"]})


def test_limits_of_record_sets() -> None:
    """The names of the schema are those that are read; others, and what is no list, break the protocol."""
    told = {**HELLO, "recordLimits": [str(limit) for limit in RecordLimit]}
    assert validator("hello").is_valid(told)
    assert Hello.parse(told).record_limits == set(RecordLimit)
    assert Hello.parse(HELLO).record_limits == set()
    for wrong, words in ((["tails"], "'tails'"), ("tail", "list"), ([["tail"]], "not what|tail")):
        assert not validator("hello").is_valid({**HELLO, "recordLimits": wrong})
        with pytest.raises(ProtocolViolationError, match=words):
            Hello.parse({**HELLO, "recordLimits": wrong})


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ('{"id":3,"ok":{"data":"00"}}', OkAnswer({"data": "00"})),
        (
            '{"id":3,"decode_error":{"class":"E","message":"m","offset":4}}',
            FailedAnswer(True, "E", "m", "", 4),
        ),
        (
            '{"id":3,"encode_error":{"class":"E","message":"m","path":"a.b"}}',
            FailedAnswer(True, "E", "m", "a.b", None),
        ),
        ('{"id":3,"internal_error":{"class":"E","message":"m"}}', FailedAnswer(False, "E", "m")),
        ('{"id":3,"unsupported":{"reason":"dates","message":"m"}}', UnsupportedAnswer("dates", "m")),
    ],
)
def test_each_answer(line: str, answer: object) -> None:
    """One of a closed set; the schema allows it, too."""
    validator("answerLine").validate(json.loads(line))
    assert list(read_answers(line.encode())) == [(3, answer)]


def test_a_line_of_answers() -> None:
    """They are told in the order of the line."""
    line = '[{"id":4,"ok":{}},{"id":3,"ok":{}}]'
    validator("answerLine").validate(json.loads(line))
    assert [number for number, _ in read_answers(line.encode())] == [4, 3]


@pytest.mark.parametrize(
    "told",
    [
        {"id": 1},
        {"id": 1, "ok": {}, "decode_error": {"class": "E", "message": "m"}},
        {"id": "1", "ok": {}},
        {"id": 1, "fine": {}},
        {"id": 1, "decode_error": {"message": "m"}},
        {"id": 1, "unsupported": {"message": "m"}},
        {"ok": {}},
        7,
    ],
)
def test_what_is_no_answer(told: Any) -> None:
    """The reader and the schema refuse the same."""
    assert not validator("answerLine").is_valid(told)
    with pytest.raises(ProtocolViolationError):
        list(read_answers(json.dumps(told).encode()))


def examples() -> Iterator[tuple[str, str]]:
    """The lines that the page shows, with the direction of each."""
    page = (DOCS / "testee-protocol.md").read_text("utf-8")
    text = "".join(re.findall(r"```json\n(.*?)```", page, re.DOTALL)).replace("\n", "")
    decoder = json.JSONDecoder()
    while text:
        told, end = decoder.raw_decode(text)
        yield ("requestLine" if "op" in told else "answerLine"), json.dumps(told)
        text = text[end:]


def test_the_examples_of_the_page() -> None:
    """Every line that the page shows is one of the protocol."""
    shown = list(examples())
    assert len(shown) >= 10
    for direction, line in shown:
        validator(direction).validate(json.loads(line))


def test_the_hello_of_the_page() -> None:
    """It can be read."""
    hellos = [told["ok"] for _, line in examples() if "codec" in (told := json.loads(line)).get("ok", {})]
    assert [str(Hello.parse(told).identity) for told in hellos] == ["kafka-python[compiled] 3.0.12"]
