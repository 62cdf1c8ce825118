"""The model of a codec: the reference without a deviation, and another answer with each one."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import islice, product
from typing import Any

import pytest

from kafkawire.bundled import layout, messages, versions
from kafkawire.compiler import compile_layout
from kafkawire.headers import FrameCodec
from kafkawire.records import Record, RecordBatch, encode_records, record_set_layout
from kafkawire.wire.varints import write_varint
from tests.support.codecs.enumerated_exchanges import HEADER, LAYOUTS, requests, small_requests
from wireproof.model.adapter import (
    Crashed,
    Decode,
    Decoded,
    DecodedFrame,
    DecodeFrame,
    Encode,
    Encoded,
    FedFrame,
    FeedFrame,
    Refused,
    Reply,
    Request,
)
from wireproof.model.repertoire import CodecDirection
from wireproof.proof.deviations.catalogue.trigger import (
    CRASH,
    ENDINGS,
    REFUSE,
    SIBLING,
    SIZE,
    VALUE_ACTIONS,
    WITH_VALUE,
    check_condition,
)
from wireproof.proof.deviations.catalogue.triggers import TRIGGERS
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.deviations.matching import matches
from wireproof.proof.deviations.prediction import CodecExchange, Model, Prediction, right_reply
from wireproof.proof.deviations.record_sets.set_reading import RECORD_BYTES
from wireproof.proof.deviations.siblings import conditions_of
from wireproof.proof.deviations.value_changes import VALUE_CHANGES
from wireproof.proof.deviations.wrong_layouts import RETAG

READ, WRITE = CodecDirection.DECODE, CodecDirection.ENCODE
NO_REPLY = Refused("", "")
FAR = (
    Deviation(READ, "varint-long", "keep"),
    Deviation(READ, "long-text", "read"),
    Deviation(READ, "beyond-end", "past"),
)
COMPANIONS = {
    "unsigned": (Deviation(READ, "count-beyond-end", "clamp"),),  # such a length goes beyond the end anyway
    "far-end": FAR,
    "within": (Deviation(READ, "trailing", "take"),),  # bytes after the frame are refused anyway
    "late": (
        Deviation(READ, "negative-length", "crash", "ValueError"),
    ),  # a wrong checksum is refused anyway
}
"""Deviations without which an action, or a trigger, shows nothing."""
REFUSED_BY_THE_REFERENCE = {
    (READ, "varint-bits"), (READ, "varint-long"), (READ, "marker"), (READ, "tag-number"), (READ, "trailing"),
    (WRITE, "tag-number"), (WRITE, "surrogate"),
}  # fmt: skip
"""Triggers at which Kafka reads or writes on, and the reference refuses: a codec may do either."""


def _catalogue() -> Iterator[tuple[CodecDirection, str, str]]:
    for (direction, name), row in TRIGGERS.items():
        values = VALUE_ACTIONS if name == "value" else {}
        actions = (*row.actions, *ENDINGS, *values) if name != SIBLING else VALUE_CHANGES
        for action in actions:
            yield direction, name, action


def _is_refused(direction: CodecDirection, trigger: str) -> bool:
    return "refused" in TRIGGERS[direction, trigger].kafka or (direction, trigger) in REFUSED_BY_THE_REFERENCE


@cache
def _meeting() -> dict[tuple[CodecDirection, str], list[tuple[CodecExchange, Reply]]]:
    """Return the exchanges that meet each trigger, with the right replies."""
    found: dict[tuple[CodecDirection, str], list[tuple[CodecExchange, Reply]]] = {}
    for message, request in small_requests():
        exchange = CodecExchange(message, HEADER, request, NO_REPLY)
        prediction = Model().predict(exchange, trace=True)
        far = Model(FAR).predict(exchange, trace=True)
        for key in {each[:2] for each in (*prediction.met, *far.met)}:
            found.setdefault(key, []).append((exchange, prediction.reply))
    return found


@pytest.mark.parametrize("message", messages("4.4.0"))
def test_without_a_deviation_the_model_is_the_reference(message: str) -> None:
    """Every version of every message, on a slice of its values and mutations."""
    for version in versions(message, "4.4.0"):
        of_version = layout(message, version, release="4.4.0")
        for request in islice(requests(of_version, every=23), 40):
            exchange = CodecExchange(of_version, None, request, NO_REPLY)
            assert matches(Model().predict(exchange).reply, right_reply(exchange)), request


def test_without_a_deviation_the_model_is_the_reference_over_a_small_message() -> None:
    """The message that the other tests look at, in all of its requests."""
    for message, request in small_requests():
        exchange = CodecExchange(message, HEADER, request, NO_REPLY)
        assert matches(Model().predict(exchange).reply, right_reply(exchange)), request


@pytest.mark.parametrize(("direction", "trigger", "action"), list(_catalogue()))
def test_each_action_of_the_catalogue_changes_an_answer(
    direction: CodecDirection, trigger: str, action: str
) -> None:
    """A refusal where the reference refuses, too, is the one action that changes nothing."""
    constant = action in (*WITH_VALUE, RETAG) or trigger == SIZE
    deviation = Deviation(
        direction,
        trigger,
        action,
        "ValueError" if action == CRASH else "",
        "7" if constant else "flag = false" if trigger == SIBLING else "",
        frozenset({"int32"} if action in WITH_VALUE else ()),
    )
    deviation.check()
    others = COMPANIONS.get(action, COMPANIONS.get(trigger, ()))
    changing = 0
    for exchange, right in _meeting()[direction, trigger]:
        prediction = Model([deviation, *others]).predict(exchange)
        changing += deviation in prediction.deviations and not matches(right, prediction.reply)
        if changing and not _is_refused(direction, trigger):
            break
    assert bool(changing) is not (action == REFUSE and _is_refused(direction, trigger))


def _asked(number: int, request: Request, *deviations: Deviation) -> Prediction:
    return Model(deviations).predict(CodecExchange(LAYOUTS[number], None, request, NO_REPLY))


@pytest.mark.parametrize(
    ("trigger", "action", "value", "field", "expected"),
    [
        ("absent", "zero", {}, "offset", 0),
        ("absent", "minus-one", {}, "offset", -1),
        ("empty", "null", {"group": "", "name": "x"}, "group", None),
        ("beyond-53-bits", "double", {"offset": (1 << 53) + 1}, "offset", 1 << 53),
        ("negative", "zero", {"offset": -4}, "offset", 0),
        ("not-finite", "zero", {"quota": float("inf")}, "quota", 0.0),
        ("null-not-allowed", "empty", {"name": None}, "name", ""),
        ("range", "clamp", {"offset": 1 << 70}, "offset", (1 << 63) - 1),
        ("range", "wrap", {"offset": (1 << 64) + 3}, "offset", 3),
        ("surrogate", "question", {"name": "a\ud800"}, "name", "a?"),
        ("surrogate", "replace", {"name": "a\ud800"}, "name", "a\ufffd"),
        ("unknown-code", "minus-one", {"errorCode": 9_000}, "errorCode", -1),
        ("unknown-tag", "drop", {"_tags": {7: b"x"}}, "_tags", None),
        ("other-version", "drop", {"late": 3}, "late", None),
        ("value", "int32", {"offset": (1 << 40) + 2}, "offset", 2),
        ("elements", "reversed", {"topics": [{"key": "a"}, {"key": "b"}]}, "topics", ["b", "a"]),
        ("elements", "unique-key", {"topics": [{"key": "a"}, {"key": "a"}]}, "topics", ["a"]),
        ("elements", "map", {"topics": [{"key": "b"}, {"key": "a"}, {"key": "b"}]}, "topics", ["a", "b"]),
    ],
)
def test_a_value_is_written_as_the_words_of_the_action_say(
    trigger: str, action: str, value: dict[str, Any], field: str, expected: Any
) -> None:
    """The reference reads from the predicted bytes what the codec made of the field."""
    types = {"offset": {"int64"}, "group": {"nullable string", "compact nullable string"}}
    kinds = frozenset(types.get(field, ()))
    reply = _asked(1, Encode(value), Deviation(WRITE, trigger, action, types=kinds)).reply
    assert isinstance(reply, Encoded)
    read = right_reply(CodecExchange(LAYOUTS[1], None, Decode(reply.data), NO_REPLY))
    assert isinstance(read, Decoded)
    found: Any = read.value.get(field)
    assert ([each["key"] for each in found] if field == "topics" else found) == expected


@pytest.mark.parametrize(
    ("condition", "value", "expected"),
    [
        ('name = ""', {"group": "g"}, None),
        ('name = ""', {"group": "g", "name": "n"}, "g"),
        ('name != ""', {"group": "g", "name": "n"}, None),
        ('name = "" & offset = 5', {"group": "g"}, None),
        ('name = "" & offset = 5', {"group": "g", "offset": 6}, "g"),
        ('name in ["", "n"]', {"group": "g", "name": "n"}, None),
        ('name in ["", "n"]', {"group": "g", "name": "m"}, "g"),
        ("nothing = 0", {"group": "g"}, "g"),
    ],
)
def test_a_field_depends_on_others_of_its_struct(
    condition: str, value: dict[str, Any], expected: str | None
) -> None:
    """It is read as null where they have the values of the condition, and as it is elsewhere."""
    deviation = Deviation(READ, SIBLING, "null", value=condition, fields=frozenset({"group"}))
    deviation.check()
    written = right_reply(CodecExchange(LAYOUTS[1], None, Encode(value), NO_REPLY))
    assert isinstance(written, Encoded)
    reply = _asked(1, Decode(written.data), deviation).reply
    assert isinstance(reply, Decoded)
    assert reply.value["group"] == expected


@pytest.mark.parametrize("text", ["port", "port in 1", "port in {}", "port = x", "port < 1"])
def test_a_condition_that_cannot_be_parsed_is_an_error(text: str) -> None:
    """The message has examples."""
    with pytest.raises(
        ValueError, match=rf"'{text}' is not a condition: write value = 'port = 0', 'port != 0'"
    ):
        Deviation(READ, SIBLING, "null", value=text).check()


def test_no_condition_is_about_a_text_that_would_be_two() -> None:
    """The text of a field may hold what separates conditions."""
    root = LAYOUTS[1].root
    made = list(conditions_of(root, {"name": "a & b", "group": "c"}, root.fields[0]))
    assert 'group = "c"' in made
    assert not any("a & b" in each for each in made)
    for each in made:
        check_condition(each)


def test_a_crash_may_be_of_one_of_several_classes() -> None:
    """Where a codec passes on the errors of a library, the class depends on how the data are damaged."""
    several = Deviation(READ, "end", CRASH, "EOFError, zlib.error")
    reply = _asked(1, Decode(b""), several).reply
    assert matches(reply, Crashed("zlib.error", "unexpected end"))
    assert matches(reply, Crashed("EOFError", ""))
    assert not matches(reply, Crashed("error", ""))
    assert not matches(Crashed("error", ""), Crashed("zlib.error", ""))


def test_the_order_of_tags_is_looked_at_before_the_size() -> None:
    """A tag that repeats is refused, although the bytes end after it, where a codec would crash."""
    written = right_reply(CodecExchange(LAYOUTS[1], None, Encode({"_tags": {7: b""}}), NO_REPLY))
    assert isinstance(written, Encoded)
    assert written.data.endswith(b"\1\7\0")
    twice = Decode(written.data[:-3] + b"\2\7\0\7")
    crash = Deviation(READ, "end", CRASH, "IndexError", types=frozenset({"unsigned varint of a tag"}))
    assert _asked(1, twice, crash).reply == NO_REPLY
    accept = Deviation(READ, "tag-order", "accept")
    assert _asked(1, twice, crash, accept).reply == Crashed("IndexError", "")


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (["\ufffd", "b", "1"], ["1", "b", "\ufffd"]),
        ([None, "x", "a"], ["a", None, "x"]),
        (["x", None], "TypeError"),
    ],
)
def test_words_are_sorted_as_javascript_does(
    keys: list[str | None], expected: list[str | None] | str
) -> None:
    """A null that is the first element is the word null; any other one has no method to compare with."""
    value = {"aliases": [{"alias": each} for each in keys]}
    written = right_reply(CodecExchange(LAYOUTS[2], None, Encode(value), NO_REPLY))
    assert isinstance(written, Encoded)
    reply = _asked(2, Decode(written.data), Deviation(READ, "elements", "sorted-as-words")).reply
    if isinstance(reply, Decoded):
        assert [each["alias"] for each in reply.value["aliases"]] == expected
    else:
        assert reply == Crashed("TypeError", "")
        assert expected == "TypeError"


@pytest.mark.parametrize("number", [-1, 2**31])
def test_an_unknown_tag_that_no_varint_has_ends_no_prediction(number: int) -> None:
    """A caller can give any number."""
    deviation = Deviation(WRITE, "tag-number", "write")
    assert isinstance(_asked(1, Encode({"_tags": {number: b"x"}}), deviation).reply, Encoded)


def test_a_deviation_of_some_fields_goes_before_one_of_all() -> None:
    """In whatever order a ledger has them."""
    wide = Deviation(READ, "non-ascii", CRASH, "ValueError")
    narrow = Deviation(READ, "non-ascii", CRASH, "KeyError", fields=frozenset({"name"}))
    replies = {
        (repr(exchange.request), order): Model(models).predict(exchange).reply
        for exchange, _ in _meeting()[READ, "non-ascii"]
        for order, models in enumerate(([wide, narrow], [narrow, wide]))
    }
    assert {each.error for each in replies.values() if isinstance(each, Crashed)} == {
        "ValueError",
        "KeyError",
    }
    assert all(reply == replies[request, 1 - order] for (request, order), reply in replies.items())


def test_a_stream_is_answered_as_its_first_frame() -> None:
    """With the part that ends the frame; a deviation shows in it as in a whole frame."""
    small = LAYOUTS[1]
    data = FrameCodec(compile_layout(HEADER), compile_layout(small)).encode({}, {})
    frame = DecodeFrame(data)
    whole = Model().predict(CodecExchange(small, HEADER, frame, NO_REPLY)).reply
    assert isinstance(whole, DecodedFrame)
    for parts, number in (
        ((data,), 1),
        ((data[:1], data[1:]), 2),
        ((data[:5], data[5:], b"\0\0"), 2),
        (tuple(bytes([each]) for each in data + b"\0"), len(data)),
    ):
        fed = CodecExchange(small, HEADER, FeedFrame(parts), NO_REPLY)
        expected = FedFrame(whole.value, len(data), number)
        assert Model().predict(fed).reply == right_reply(fed) == expected
        assert not matches(expected, replace(expected, parts=number + 1))
        assert not matches(expected, replace(expected, consumed_bytes=len(data) + 1))
    crash = Deviation(READ, "message", CRASH, "ValueError")
    for request in (frame, FeedFrame((data[:6], data[6:]))):
        reply = Model([crash]).predict(CodecExchange(small, HEADER, request, NO_REPLY)).reply
        assert reply == Crashed("ValueError", "")


def test_what_a_reader_leaves_of_a_frame_in_a_stream_goes_with_the_frame() -> None:
    """The size before the frame says where the next one begins."""
    later, header = layout("ApiVersionsResponse", 1), layout("ResponseHeader", 0)
    data = FrameCodec(compile_layout(header), compile_layout(later)).encode(
        {}, {"errorCode": 1, "throttleTimeMs": 7}
    )
    stopped = Deviation(READ, "api-versions-error", "version-0")
    fed = CodecExchange(later, header, FeedFrame((data,)), NO_REPLY)
    reply = Model([stopped]).predict(fed).reply
    assert isinstance(reply, FedFrame)
    assert (reply.value["errorCode"], reply.value["throttleTimeMs"]) == (1, 0)
    assert reply.consumed_bytes == len(data)


def test_a_record_that_begins_before_the_first_byte_has_an_answer() -> None:
    """A reader that goes back by a negative length, and then by another, has no byte to read there."""
    of = record_set_layout(2)
    batch = RecordBatch(tuple(Record(offset_delta=each, key=b"k", value=b"v") for each in range(3)))
    data = encode_records([batch])
    model = Model(
        [
            Deviation(READ, "negative-length", "back", types=frozenset({RECORD_BYTES})),
            *(Deviation(READ, trigger, "content") for trigger in ("batch-size", "record-size")),
            Deviation(READ, "end", "zero"),
            Deviation(READ, "checksum", "accept"),
        ]
    )
    replies = set()
    for at, far in product(range(len(data)), (-2, -64, -200, -(1 << 20))):
        asked = Decode(data[:at] + write_varint(far) + data[at + 1 :])
        replies.add(type(model.predict(CodecExchange(of, None, asked, NO_REPLY)).reply))
    assert replies == {Crashed, Decoded, Refused}


@pytest.mark.parametrize("left", [12, 16])
def test_a_size_that_is_not_read_cuts_no_batch_off(left: int) -> None:
    """A codec that does not look at the size reads on, and ends where the bytes end: before a magic."""
    model = Model([Deviation(READ, "batch-size", "content")])
    cut = Decode(bytes(left))  # a size of 0, which no batch has
    assert isinstance(model.predict(CodecExchange(record_set_layout(1), None, cut, NO_REPLY)).reply, Refused)


def test_a_batch_whose_size_is_not_read_has_all_of_its_content() -> None:
    """No byte is left, also where the content ends with the bytes."""
    data = bytearray(encode_records([RecordBatch((Record(key=b"k", value=b"v"),))]))
    data[11] -= 1
    model = Model([Deviation(READ, "batch-size", "content"), Deviation(READ, "checksum", "accept")])
    asked = Decode(bytes(data))
    reply = model.predict(CodecExchange(record_set_layout(2), None, asked, NO_REPLY)).reply
    assert isinstance(reply, Decoded)
    assert not reply.value["tail"]


@pytest.mark.parametrize("value", ["", "x", "-1"])
def test_another_tag_is_a_number(value: str) -> None:
    """A ledger that lacks it, or has a word, is refused before a run."""
    with pytest.raises(ValueError, match="is not the number of a tag"):
        Deviation(READ, "layout", RETAG, value=value).check()
