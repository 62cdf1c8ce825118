"""Reading of a testee's lines: claims and answers; and the JSON Schema of both directions."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from kafkawire.records import Compression
from wireproof.model.case_source import RecordLimit
from wireproof.model.repertoire import BOTH_DIRECTIONS, CodecDirection
from wireproof.proof.testees.description.claimed_operations import Operation, parse_versions
from wireproof.proof.testees.description.hello import Hello
from wireproof.proof.testees.session.testee_session import (
    FailedAnswer,
    OkAnswer,
    UnsupportedAnswer,
    read_answers,
)
from wireproof.proof.testees.testee_errors import ProtocolViolationError

DOCS = Path(__file__).parents[4] / "docs" / "reference"
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
def test_versions_are_ranges_and_numbers(text: str, versions: set[int]) -> None:
    """A text has any number of ranges and single numbers."""
    assert parse_versions(text) == versions


@pytest.mark.parametrize("text", ["", "-1", "2-1", "0-99999", "1,", "a", "1 - 2"])
def test_invalid_versions_are_an_error(text: str) -> None:
    """The error has the text."""
    with pytest.raises(ProtocolViolationError, match="is not a list of version ranges"):
        parse_versions(text)


def test_a_hello_is_read_whole() -> None:
    """The hello has the identity, the claims, the limits and the registry."""
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
    ("compressions", "old", "new"),
    [
        (None, {Compression.NONE}, {Compression.NONE}),
        (["gzip", "zstd"], {Compression.GZIP}, {Compression.GZIP, Compression.ZSTD}),
        ({"gzip": "0-2", "lz4": "2"}, {Compression.GZIP}, {Compression.GZIP, Compression.LZ4}),
    ],
)
def test_compressions_by_version(compressions: Any, old: set[Compression], new: set[Compression]) -> None:
    """The compressions are of all versions, or of the named ones; old magics never have zstd."""
    hello = Hello.parse(HELLO if compressions is None else {**HELLO, "compressions": compressions})

    assert (set(hello.codecs(0)), set(hello.codecs(2))) == (old, new)
    if compressions is not None:
        assert validator("hello").is_valid({**HELLO, "compressions": compressions})
        assert not validator("hello").is_valid({**HELLO, "compressions": ["rar"]})


def test_record_limits_are_those_of_the_schema() -> None:
    """The schema has the names that are read; other names, and a value that is not a list, violate the
    protocol."""
    hello = {**HELLO, "recordLimits": [str(limit) for limit in RecordLimit]}
    assert validator("hello").is_valid(hello)
    assert Hello.parse(hello).record_limits == set(RecordLimit)
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
def test_each_answer_is_read(line: str, answer: object) -> None:
    """There is a closed set of answers, and the schema allows each."""
    validator("answerLine").validate(json.loads(line))
    assert list(read_answers(line.encode())) == [(3, answer)]


def test_a_line_may_have_several_answers() -> None:
    """Answers come in the order of the line."""
    line = '[{"id":4,"ok":{}},{"id":3,"ok":{}}]'
    validator("answerLine").validate(json.loads(line))
    assert [number for number, _ in read_answers(line.encode())] == [4, 3]


@pytest.mark.parametrize(
    "answer",
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
def test_an_invalid_answer_is_an_error(answer: Any) -> None:
    """The reader and the schema refuse the same answers."""
    assert not validator("answerLine").is_valid(answer)
    with pytest.raises(ProtocolViolationError):
        list(read_answers(json.dumps(answer).encode()))


def examples() -> Iterator[tuple[str, str]]:
    """Yield the lines on the page, with their directions."""
    page = (DOCS / "testee-protocol.md").read_text("utf-8")
    text = "".join(re.findall(r"```json\n(.*?)```", page, re.DOTALL)).replace("\n", "")
    decoder = json.JSONDecoder()
    while text:
        parsed, end = decoder.raw_decode(text)
        yield ("requestLine" if "op" in parsed else "answerLine"), json.dumps(parsed)
        text = text[end:]


def test_the_examples_of_the_page_are_valid() -> None:
    """Every line on the page is valid by the protocol's schema."""
    shown = list(examples())
    assert len(shown) >= 10
    for direction, line in shown:
        validator(direction).validate(json.loads(line))


def test_the_hello_of_the_page_is_valid() -> None:
    """The hello of the page can be read."""
    hellos = [parsed["ok"] for _, line in examples() if "codec" in (parsed := json.loads(line)).get("ok", {})]
    assert [str(Hello.parse(parsed).identity) for parsed in hellos] == ["kafka-python[compiled] 3.0.12"]
