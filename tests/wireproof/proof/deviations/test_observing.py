"""The observer of answers: no error of the search loses a cell."""

import gzip
import struct
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from kafkawire.bundled import layout as bundled_layout
from kafkawire.headers import FrameCodec
from kafkawire.primitives import codec_of
from kafkawire.records import (
    Compression,
    Record,
    RecordBatch,
    RecordSet,
    crc32c,
    encode_records,
    record_set_layout,
    to_value,
)
from kafkawire.schema import MessageLayout
from tests.support.schemas.kitchen_sink import layout, message
from wireproof.model.adapter import (
    Crashed,
    Decode,
    Decoded,
    Encode,
    Encoded,
    Equal,
    Equality,
    FedFrame,
    FeedFrame,
    Reencode,
    Reencoded,
    Refused,
    Reply,
    Request,
    Sized,
)
from wireproof.model.cell import Cell
from wireproof.model.repertoire import CodecDirection
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.deviations.matching import is_lenient_reading, predicted_leniently
from wireproof.proof.deviations.prediction import CodecExchange, Model, right_reply
from wireproof.proof.deviations.search import observing, recent_exchanges
from wireproof.proof.deviations.search.cell_diagnosis import KnownCause
from wireproof.proof.deviations.search.deviation_search import DeviationSearch
from wireproof.proof.deviations.search.exchange_words import reply_words, request_words
from wireproof.proof.deviations.search.observing import AnswerObserver
from wireproof.proof.deviations.search.recent_exchanges import RecentExchanges

CELL = Cell("4.4.0", "common", "KitchenSinkRequest", 2)
KEY = ("encode", "tiny", "value")
OFFSET_DELTA = "batches[].records[].offsetDelta"


def _observed(request: Request, reply: Reply) -> AnswerObserver:
    observer = AnswerObserver()
    observer.begin(CELL, ())
    observer.settle(layout(2), None, request, reply, whole=False)
    return observer


def test_a_cell_in_which_no_case_fails_has_no_diagnosis() -> None:
    """The answers are kept, and nothing is searched."""
    request = Encode({})
    right = right_reply(CodecExchange(layout(2), None, request, Encoded(b"")))
    assert _observed(request, right).finish() is None


def test_an_error_of_the_search_leaves_every_case_in_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cell stays, the error is named, and the cell counts as one that was not searched to the end."""

    def broken(*_: Any) -> None:
        raise RecursionError("too deep")

    monkeypatch.setattr(observing, "diagnose", broken)
    value = {"tiny": 1}
    observer = _observed(Encode(value), Encoded(b"wrong"))
    observer.failed("a", frozenset({KEY}), value, None)
    observer.failed("b", frozenset({KEY, ("size", "", "value")}), {}, None)
    found = observer.finish()
    assert found is not None
    assert (found.causes, found.failed, found.rest) == ((), 2, 2)
    assert dict(found.rest_causes) == {KEY: 2, ("size", "", "value"): 1}
    assert found.exhausted
    assert found.error == "RecursionError: too deep"


def test_searches_that_reach_their_limit_make_later_ones_shorter(monkeypatch: pytest.MonkeyPatch) -> None:
    """A codec that no cause explains is wrong in hundreds of cells; each of them would take ten seconds."""
    limits: list[int] = []

    def search(*given: Any) -> DeviationSearch:
        limits.append(given[-1])
        return DeviationSearch([], [], [], exhausted=len(limits) != 2)

    monkeypatch.setattr(observing, "diagnose", search)
    observer = _observed(Encode({"tiny": 1}), Encoded(b"wrong"))
    for _ in range(9):
        observer.begin(CELL, ())
        observer.failed("a", frozenset({KEY}), {"tiny": 1}, None)
        assert observer.finish()
    assert limits == [50_000, 25_000, 25_000, 12_500, 6_250, *[5_000] * 4]


def test_further_questions_are_of_the_version_of_the_cell() -> None:
    """The codec reads a longer message of another version, and loses its member."""
    asked: list[Request] = []

    def ask(of: MessageLayout, requests: Sequence[Request]) -> Sequence[Reply]:
        assert of.version == 4
        asked.extend(requests)
        return [refused] * len(requests)

    refused = Refused("malformed", "")
    observer = AnswerObserver()
    observer.begin(Cell("4.4.0", "common", "HeartbeatRequest", 4), ())
    for version, member, reply in ((4, "m", refused), (4, "member", refused), (3, "x" * 100, Decoded({}))):
        message = bundled_layout("HeartbeatRequest", version)
        data = codec_of(message).encode({"memberId": member})
        observer.settle(message, None, Decode(data), reply, whole=False)
        observer.failed(member, frozenset({("decode", "", "refused")}), None, data)
    assert observer.finish(ask) is not None
    assert asked
    assert all(isinstance(each, Decode) and b"xxx" not in each.data for each in asked)


def test_an_empty_request_and_the_end_of_a_process_have_words() -> None:
    """Empty bytes are the shortest ones that crash a codec."""
    died = CodecExchange(layout(2), None, Decode(b""), Crashed("process", "was killed by SIGABRT"))
    assert request_words(died) == "decode (no bytes)"
    assert reply_words(died.layout, died.reply) == "its process was killed by SIGABRT"
    assert reply_words(died.layout, Crashed("value", "tiny is no number")) == "tiny is no number"
    assert reply_words(died.layout, Encoded(b"")) == "(no bytes)"
    assert reply_words(died.layout, Sized(0)) == "0"


def test_a_failed_case_without_an_exchange_is_in_the_rest() -> None:
    """A case can fail on a question that no model predicts."""
    observer = _observed(Decode(b""), Encoded(b"an answer to another question"))
    observer.failed("a", frozenset({KEY}), None, None)
    found = observer.finish()
    assert found is not None
    assert (found.causes, found.failed, found.rest) == ((), 1, 1)


def test_a_case_that_only_what_was_read_and_written_again_shows_has_its_cause() -> None:
    """It is about bytes of another release: the codec adds a tagged field when it writes their value."""
    message = bundled_layout("FetchRequest", 12)
    observer = AnswerObserver()
    observer.begin(Cell("4.4.0", "common", "FetchRequest", 12), ())
    planted = Model([Deviation(CodecDirection.ENCODE, "tag-default", "write")])
    for topics in ([], [{"topic": "a", "partitions": []}]):
        data = codec_of(message).encode({"topics": topics, "_tags": {9: b"new"}})
        read = right_reply(CodecExchange(message, None, Decode(data), Refused("", "")))
        assert isinstance(read, Decoded)
        observer.settle(message, None, Decode(data), read, whole=False)
        written = planted.predict(CodecExchange(message, None, Encode(read.value), Refused("", ""))).reply
        assert isinstance(written, Encoded)
        observer.settle(message, None, Encode(read.value), written, whole=False)
        observer.failed(f"of {len(topics)}", frozenset({("tags-kept", "_tags", "tags-added")}), None, data)
    found = observer.finish()
    assert found is not None
    assert (found.failed, found.rest) == (2, 0)
    assert [(each.deviation.trigger, each.deviation.action, each.predicted) for each in found.causes] == [
        ("tag-default", "write", 2)
    ]


@pytest.mark.parametrize(
    ("other", "flaky"),
    [
        (Crashed("KeyError", "at 0x7f2", stderr="Traceback, at another moment"), False),
        (Crashed("IndexError", "at 0x7f1"), True),
    ],
)
def test_what_a_crash_prints_is_no_second_answer(other: Crashed, flaky: bool) -> None:
    """Two crashes of one class are one answer, whatever the codec had printed until then."""
    request = Decode(b"\x00")
    observer = _observed(request, Crashed("KeyError", "at 0x7f1", stderr="Trace"))
    observer.settle(layout(2), None, request, other, whole=False)
    observer.failed("a", frozenset({KEY}), None, b"\x00")
    found = observer.finish()
    assert found is not None
    assert bool(found.two_answers) is flaky


@pytest.mark.parametrize(("kept", "stale"), [(True, True), (False, False)])
def test_a_codec_that_keeps_an_answer_has_no_other_cause(kept: bool, stale: bool) -> None:
    """Its answers are those of the questions before; a codec that loses a field gives one again and again."""
    observer, of = AnswerObserver(), layout(2)
    observer.begin(CELL, ())
    before: Reply = Refused("", "")
    for number, text in enumerate("abcd"):
        request = Encode({"snapshot": text.encode()})
        right = right_reply(CodecExchange(of, None, request, Refused("", "")))
        empty = right_reply(CodecExchange(of, None, Encode({"snapshot": b""}), Refused("", "")))
        answered = (right, before, right, before)[number] if kept else empty
        observer.settle(of, None, request, answered, whole=False)
        if answered != right:
            observer.failed(f"{CELL.id}/enumerated/{number}", frozenset({KEY}), request.value, None)
        before = right
    found = observer.finish()
    assert found is not None
    assert bool(found.stale) is stale
    assert bool(found.causes) is not stale


def test_a_kept_answer_may_be_one_that_a_known_cause_predicts() -> None:
    """The codec gives the answer before, whether the ledger knows that one or not."""
    observer, of = AnswerObserver(), layout(2)
    zero = Deviation(CodecDirection.ENCODE, "value", "zero", fields=frozenset({"tiny"}))
    observer.begin(CELL, [KnownCause("zero", zero.shown_in(CELL.message, CELL.version))])
    for number in range(1, 4):
        known = Encode({"tiny": number, "snapshot": bytes(number)})
        predicted = right_reply(CodecExchange(of, None, Encode({**known.value, "tiny": 0}), Refused("", "")))
        observer.settle(of, None, known, predicted, whole=False)
        request = Encode({"port": number, "snapshot": b""})
        observer.settle(of, None, request, predicted, whole=False)
        observer.failed(str(number), frozenset({KEY}), request.value, None)
    found = observer.finish()
    assert found is not None
    assert found.stale
    assert not found.causes


@pytest.mark.parametrize(("check", "causes"), [("recover", []), ("refusal", ["tag-number"])])
def test_a_value_that_a_codec_may_write_is_no_cause_of_what_comes_after_it(
    check: str, causes: list[str]
) -> None:
    """The check `recover` is about the value afterwards. A codec need not refuse the one before."""
    value: dict[str, Any] = {"snapshot": b"", "_tags": {2**31 - 1: b""}}
    without = right_reply(CodecExchange(layout(2), None, Encode({"snapshot": b""}), Refused("", "")))
    observer = _observed(Encode(value), without)
    observer.failed("a", frozenset({(check, "_tags", "accepted")}), value, None)
    found = observer.finish()
    assert found is not None
    assert [each.deviation.trigger for each in found.causes] == causes
    assert found.rest == (0 if causes else 1)


def test_a_frame_that_is_read_before_its_last_part_is_there_has_one_cause() -> None:
    """The failure is found by the frame; what else the codec was asked about the value is none of it."""
    of, header = bundled_layout("ApiVersionsRequest", 3), bundled_layout("RequestHeader", 2)
    frame = FrameCodec(codec_of(header), codec_of(of)).encode({}, {})
    observer = AnswerObserver()
    observer.begin(Cell("4.4.0", "clients", of.name, 3), ())
    body = codec_of(of).encode({})
    observer.settle(of, header, Equal(body, body), Equality(equal=False), whole=False)
    for place in range(1, len(frame)):
        request = FeedFrame((frame[:place], frame[place:]))
        right = right_reply(CodecExchange(of, header, request, Refused("", "")))
        assert isinstance(right, FedFrame)
        observer.settle(of, header, request, replace(right, parts=1), whole=False)
    observer.failed("a", frozenset({("feed", "", "early")}), {}, frame)
    found = observer.finish()
    assert found is not None
    assert [(each.deviation.trigger, each.deviation.action) for each in found.causes] == [("stream", "early")]
    assert found.rest == 0


def test_two_right_answers_to_one_question_are_not_flaky() -> None:
    """Gzip holds the time, so a set that is compressed again has other bytes."""
    of, batch = record_set_layout(2), RecordBatch((Record(value=b"x"),), compression=Compression.GZIP)
    value = to_value(RecordSet((batch,)))
    observer = AnswerObserver()
    observer.begin(Cell("4.4.0", "records", of.name, 2), ())
    for level in (1, 9):
        data = encode_records([batch], compress=partial(_gzipped, level))
        observer.settle(of, None, Encode(value), Encoded(data), whole=False)
    observer.settle(of, None, Decode(b""), Refused("", ""), whole=False)
    observer.failed("a", frozenset({KEY}), None, b"")
    found = observer.finish()
    assert found is not None
    assert not found.two_answers


def test_two_nans_are_two_questions() -> None:
    """Their bits differ, and so do the right answers; both are written as nan."""
    of, observer = layout(2), AnswerObserver()
    observer.begin(CELL, ())
    for bits in ("7ff8000000000001", "fff80000deadbeef"):
        request = Encode({"snapshot": b"", "quota": struct.unpack(">d", bytes.fromhex(bits))[0]})
        right = right_reply(CodecExchange(of, None, request, Refused("", "")))
        observer.settle(of, None, request, right, whole=False)
    observer.settle(of, None, Decode(b"\x00"), Crashed("KeyError", ""), whole=False)
    observer.failed("a", frozenset({KEY}), None, b"\x00")
    found = observer.finish()
    assert found is not None
    assert not found.two_answers


def test_the_exchange_about_a_nan_is_found_by_another_object() -> None:
    """No NaN equals another one; its bits do."""
    found = RecentExchanges()
    values = [
        {"quota": struct.unpack(">d", bytes.fromhex(bits))[0]}
        for bits in ("7ff8000000000001", "fff80000deadbeef", "7ff8000000000001")
    ]
    for each in values[:2]:
        found.keep(CodecExchange(layout(2), None, Encode(each), Encoded(b"")))
    assert [each.request for each in found.about_value(values[2])] == [Encode(values[0])]


def _gzipped(level: int, codec: Compression, data: bytes, magic: int) -> bytes:
    return gzip.compress(data, level, mtime=level)


def test_a_negative_length_that_kafka_reads_as_null_is_no_further_cause() -> None:
    """Kafka's reader of records takes each negative length of a key for null (`DefaultRecord.readFrom`)."""
    of, batch = record_set_layout(2), RecordBatch((Record(offset_delta=1, value=b"x"),))
    data = bytearray(encode_records([batch]))
    key_at = data.index(b"\x01", data.index(b"x") - 4)
    data[key_at] = 3
    data[17:21] = crc32c()(bytes(data[21:])).to_bytes(4)
    read = to_value(RecordSet((replace(batch, records=(Record(value=b"x"),)),)))
    exchange = CodecExchange(of, None, Decode(bytes(data)), Decoded(read))
    lost = Deviation(CodecDirection.DECODE, "value", "zero", fields=frozenset({OFFSET_DELTA}))
    prediction = predicted_leniently([lost], exchange)
    assert prediction is not None
    assert prediction.deviations == {lost}


def test_a_codec_that_takes_more_bytes_than_kafka_reads_is_no_lenient_reader() -> None:
    """Kafka leaves what a tagged field has after its data; a codec that skips it reads the same value."""
    of = bundled_layout("FetchRequest", 12)
    written = right_reply(CodecExchange(of, None, Encode({"clusterId": "x"}), Refused("", "")))
    assert isinstance(written, Encoded)
    assert written.data.endswith(b"\1\0\2\2x")
    data = written.data[:-3] + b"\3\2x\7"
    right = right_reply(CodecExchange(of, None, Decode(data), Refused("", "")))
    read = right_reply(CodecExchange(of, None, Decode(written.data), Refused("", "")))
    assert isinstance(read, Decoded)
    stopped = Refused("stopped-early", "", offset=len(data) - 1, foreign=True, read=read)
    replies: list[tuple[Reply, bool]] = [(read, False), (stopped, True)]
    for reply, lenient in replies:
        assert is_lenient_reading(CodecExchange(of, None, Decode(data), reply), right, "4.4.0") is lenient


def test_a_right_answer_of_another_version_contradicts_nothing() -> None:
    """A cell asks for its neighbours, too: the codec refuses one version of a message and takes another."""
    observer = AnswerObserver()
    observer.begin(CELL, ())
    data = b""
    for version in (1, 2):
        written = right_reply(CodecExchange(layout(version), None, Encode({"snapshot": b""}), Encoded(b"")))
        assert isinstance(written, Encoded)
        data = written.data
        right = right_reply(CodecExchange(layout(version), None, Decode(data), Refused("", "")))
        refused = Refused("Error", "a version that it does not take")
        observer.settle(layout(version), None, Decode(data), right if version == 1 else refused, whole=False)
    observer.failed("a", frozenset({KEY}), None, data)
    found = observer.finish()
    assert found is not None
    (cause,) = found.causes
    assert (cause.deviation.trigger, cause.deviation.action) == ("message", "refuse")
    assert found.rest == 0


def test_recent_exchanges_are_found_by_value_and_by_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest are forgotten in each index, too."""
    monkeypatch.setattr(recent_exchanges, "_MOST", 4)
    value = {"tiny": 1}
    asked: list[Decode | Encode] = [
        Decode(b"\x01"),
        Encode(value),
        Decode(b"\x01\x02"),
        Encode({"tiny": 1}),
        Decode(b"\x01\x02"),
    ]
    kept = RecentExchanges()
    exchanges = [CodecExchange(layout(2), None, each, Refused("", "")) for each in asked]
    for each in exchanges:
        kept.keep(each)
    assert list(kept) == exchanges[1:]
    assert kept.about_value(value) == [exchanges[1]]
    assert kept.about_value({"tiny": 1}) == [exchanges[1], exchanges[3]]
    assert kept.about_value(None) == []
    assert kept.about_data({b"\x01", b"\x01\x02"}) == [exchanges[2], exchanges[4]]


def test_a_long_exchange_takes_the_place_of_no_short_one() -> None:
    """Cases of 1 MiB are asked in the batch of many short ones, which are judged after it."""
    value = {"tiny": 1}
    kept = RecentExchanges()
    short = CodecExchange(layout(2), None, Encode(value), Encoded(b"\1"))
    kept.keep(short)
    for _ in range(5):
        kept.keep(CodecExchange(layout(2), None, Decode(bytes(1 << 20)), Refused("", "")))
    assert kept.about_value(value) == [short]


@pytest.mark.parametrize(("field", "rest"), [("tiny", 0), ("snapshot", 1)])
def test_a_long_case_that_differs_as_predicted_ones_do_is_not_left(field: str, rest: int) -> None:
    """Its answers are not kept. A ledger with the cause predicts them; a difference elsewhere is left."""
    observer = AnswerObserver()
    observer.begin(CELL, ())

    def fail(name: str, value: dict[str, Any], field: str) -> None:
        wrong = Encoded(codec_of(layout(2)).encode(value | {"tiny": 0}))
        observer.settle(layout(2), None, Encode(value), wrong, whole=False)
        observer.failed(name, frozenset({("bytes", field, "differs")}), value, None)

    for number in range(1, 21):
        fail(f"short-{number}", {"tiny": number, "snapshot": b""}, "tiny")
    fail("long", {"tiny": 7, "snapshot": bytes(1 << 20)}, field)
    found = observer.finish()
    assert found is not None
    assert [each.predicted for each in found.causes] == [20]
    assert (found.failed, found.rest) == (20 + rest, rest)
    assert found.rest_causes == ((("bytes", field, "differs"), 1),) * rest


@pytest.mark.parametrize(("drops", "constant"), [(True, False), (False, True)])
def test_one_answer_that_a_cause_explains_is_no_constant_answer(drops: bool, constant: bool) -> None:
    """A codec that loses unknown tagged fields writes an empty message again in one way alone."""
    empty = message("", flexible="0+")
    observer = AnswerObserver()
    observer.begin(Cell("4.4.0", "common", "Small", 0), ())
    for number in range(30):
        data = bytes((1, number, 1, number))
        observer.settle(empty, None, Reencode(data), Reencoded(b"\0" if drops else b"\7"), whole=False)
        observer.failed(str(number), frozenset({KEY}), None, data)
    found = observer.finish()
    assert found is not None
    assert bool(found.constant) is constant
    assert [each.deviation.trigger for each in found.causes] == ([] if constant else ["unknown-tag"])
    assert found.rest == (30 if constant else 0)


@pytest.mark.parametrize("late", [False, True], ids=["the first answer", "the last of many"])
def test_a_right_answer_contradicts_a_known_cause_whenever_it_comes(
    monkeypatch: pytest.MonkeyPatch, late: bool
) -> None:
    """Each kind of request has a bound; right values are taken from the whole cell, not its beginning."""
    monkeypatch.setattr(observing, "_SAMPLED_EACH", 20)
    observer = AnswerObserver()
    zero = Deviation(CodecDirection.ENCODE, "value", "zero", fields=frozenset({"tiny"}))
    observer.begin(CELL, [KnownCause("zero", zero.shown_in(CELL.message, CELL.version))])
    plain: list[dict[str, Any]] = [{"port": number} for number in range(200)]
    shown: list[dict[str, Any]] = [{"tiny": number} for number in range(1, 21)]
    for value in [*plain, *shown] if late else [*shown, *plain]:
        request = Encode(value | {"snapshot": b""})
        right = right_reply(CodecExchange(layout(2), None, request, Encoded(b"")))
        assert isinstance(right, Encoded)
        observer.settle(layout(2), None, request, right, whole=False)
    assert observer.contradicted.keys() == {"zero"}


@pytest.mark.parametrize("sets", [True, False])
def test_a_cause_of_record_sets_predicts_the_answers_about_those_in_a_message(sets: bool) -> None:
    """A codec is asked for the sets in a message in the cell of the message, not in that of record sets."""
    of = record_set_layout(2)
    refused = Deviation(CodecDirection.DECODE, "cut-off", "refuse", types=frozenset({"batch"}))
    cause = KnownCause("cut", refused.shown_in(of.name, 2))
    whole = encode_records(RecordSet((RecordBatch((Record(value=b"v"),)),)))
    request = Decode(whole + whole[:-1])
    right = right_reply(CodecExchange(of, None, request, Refused("", "")))
    observer = AnswerObserver()
    observer.begin(Cell("4.4.0", "clients", "FetchResponse", 18), [cause], sets=sets)
    assert isinstance(right, Decoded)
    for reply in (Refused("Error", ""), Crashed("Error", "")):
        expected = right if sets and isinstance(reply, Refused) else reply
        assert observer.settle(of, None, request, reply, whole=False) == expected
    assert observer.used == ({"cut": 1} if sets else {})


@pytest.mark.parametrize(("tags", "end"), [([1], "01ffffffff070161"), ([1, 0], "02ffffffff070161")])
def test_a_codec_with_tags_as_int32_counts_negative_ones_and_writes_the_greatest(
    tags: list[int], end: str
) -> None:
    """2^31 - 1 is an int32, though Kafka does not write it; 2^31 is negative."""
    counted = Deviation(CodecDirection.ENCODE, "tag-number", "count", types=frozenset({"tag section"}))
    request = Encode({"snapshot": b"", "_tags": {2**31 - each: b"a" for each in tags}})
    made = Model([counted]).predict(CodecExchange(layout(2), None, request, Encoded(b""))).reply
    assert isinstance(made, Encoded)
    assert made.data.hex().endswith(end)
