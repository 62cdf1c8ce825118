"""Whole answers that are wrong: what is consumed, what is refused, sizes, frames, bytes on the wire."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from kafkawire.annotate import annotate
from kafkawire.schema import FieldLayout, MessageLayout, StructLayout
from kafkawire.values import TAGS
from wireproof.power.testees.operator import (
    AnsweredQuestion,
    AnswerOperator,
    bug,
    decoded,
    decoded_frame,
    encoded,
    encoded_frame,
    tree_of,
    value_of,
)
from wireproof.proof.testees.description.claimed_operations import Operation
from wireproof.proof.testees.session.testee_session import EndedAnswer, FailedAnswer, OkAnswer, ProtocolAnswer

READS: Final = frozenset({Operation.DECODE, Operation.REENCODE})
WRITES: Final = frozenset({Operation.ENCODE, Operation.REENCODE})
_LARGE_BYTES: Final = 8192


def refusal(words: str) -> FailedAnswer:
    """An orderly refusal, of a class that is not the codec's own."""
    return FailedAnswer(True, "MutantError", words)


Changed = Mapping[str, Any]
"""The members of an answer that a mutant changes; empty if it leaves the answer unchanged."""


def given(
    change: Callable[[AnsweredQuestion, Mapping[str, Any]], Changed | FailedAnswer],
) -> Callable[[AnsweredQuestion], ProtocolAnswer]:
    """Return a change of successful answers from a function (exchange, members) -> changed members."""

    def wrong(exchange: AnsweredQuestion) -> ProtocolAnswer:
        answer = exchange.answer
        if not isinstance(answer, OkAnswer):
            return answer
        changed = change(exchange, answer.content)
        if isinstance(changed, FailedAnswer):
            return changed
        content = {**answer.content, **changed}
        return answer if content == answer.content else OkAnswer(content)

    return wrong


def consumes(change: Callable[[int, int], int]) -> Callable[[AnsweredQuestion], ProtocolAnswer]:
    """Return a change of `consumed`, from a function (consumed, bytes of the question) -> consumed."""
    return given(
        lambda exchange, members: {"consumed": change(int(members["consumed"]), len(exchange.question.data))}
    )


def writes(change: Callable[[bytes, MessageLayout], bytes]) -> Callable[[AnsweredQuestion], ProtocolAnswer]:
    """Return a change of the bytes that a codec writes."""
    return given(lambda exchange, members: {"data": change(_written(members), exchange.layout).hex()})


def _written(members: Mapping[str, Any]) -> bytes:
    return bytes.fromhex(members["data"])


def _default(exchange: AnsweredQuestion) -> Mapping[str, Any]:
    """Return the answer of a decoder that reads nothing: every field at its default, all bytes consumed."""
    data = exchange.question.data
    if exchange.question.operation is Operation.REENCODE:
        return {"data": (encoded(exchange.layout, {}) or b"").hex(), "consumed": len(data)}
    return {"value": tree_of(exchange.layout, {}), "consumed": len(data)}


def _cut_accepted(exchange: AnsweredQuestion) -> ProtocolAnswer:
    failed = isinstance(exchange.answer, FailedAnswer)
    return OkAnswer(_default(exchange)) if failed else exchange.answer


def _cut_crashes(exchange: AnsweredQuestion) -> ProtocolAnswer:
    answer = exchange.answer
    return replace(answer, orderly=False, error="MutantCrash") if isinstance(answer, FailedAnswer) else answer


def _cut_hangs(exchange: AnsweredQuestion) -> ProtocolAnswer:
    return (
        EndedAnswer("hang", "used 10 s of processor time")
        if isinstance(exchange.answer, FailedAnswer)
        else exchange.answer
    )


@given
def _large_refused(exchange: AnsweredQuestion, members: Mapping[str, Any]) -> Changed | FailedAnswer:
    asked = exchange.question.members
    large = len(str(asked.get("data") or asked.get("value"))) > _LARGE_BYTES
    return refusal("the buffer is full") if large else {}


@given
def _all_refused(exchange: AnsweredQuestion, members: Mapping[str, Any]) -> FailedAnswer:
    return refusal("not understood")


@given
def _one_more(exchange: AnsweredQuestion, members: Mapping[str, Any]) -> Changed:
    return {"size": int(members["size"]) + 1}


def _tags_reversed(data: bytes, layout: MessageLayout) -> bytes:
    """Return the bytes with the fields of the first tag section that has several fields in reverse order."""
    pieces: list[tuple[int, int]] = []
    spans = annotate(layout, data).spans
    for index, span in enumerate(spans):
        if span.role != "tag count" or not isinstance(span.value, int) or span.value < 2:
            continue
        depth = span.path.count(".")
        starts = [
            each.start for each in spans[index + 1 :] if each.role == "tag" and each.path.count(".") == depth
        ][: span.value]
        if len(starts) < span.value:
            continue
        end = next(
            (
                each.start
                for each in spans[index + 1 :]
                if each.start > starts[-1] and _leaves(each.path, span.path)
            ),
            len(data),
        )
        pieces = list(zip(starts, [*starts[1:], end], strict=True))
        return data[: starts[0]] + b"".join(data[one:other] for one, other in reversed(pieces)) + data[end:]
    return data


def _leaves(path: str, section: str) -> bool:
    """Return whether a span lies outside the struct of a tag section."""
    return not path.startswith(section.removesuffix("_tags"))


def _without_last_section(data: bytes, layout: MessageLayout) -> bytes:
    return data[:-1] if layout.flexible and data.endswith(b"\0") else data


def _long_varints(data: bytes, layout: MessageLayout) -> bytes:
    """Return the bytes with the first count or length of a compact field in one byte more than it needs."""
    for span in annotate(layout, data).spans:
        if span.role == "count" and span.field is not None and span.field.compact:
            first = data[span.start : span.end]
            return data[: span.start] + first[:-1] + bytes([first[-1] | 0x80, 0]) + data[span.end :]
    return data


@given
def _older(exchange: AnsweredQuestion, members: Mapping[str, Any]) -> Changed:
    """Return the bytes of the value in the layout of the version before."""
    older, data = exchange.older, _written(members)
    if older is None:
        return {}
    if exchange.question.operation is Operation.FRAME:
        framed = None if exchange.header is None else decoded_frame(exchange.header, exchange.layout, data)
        if exchange.header is None or framed is None:
            return {}
        written = encoded_frame(exchange.header, older, framed[0], _of_layout(older.root, framed[1]))
    else:
        value = decoded(exchange.layout, data)
        written = None if value is None else encoded(older, _of_layout(older.root, value))
    return {} if written is None else {"data": written.hex()}


def _of_layout(struct: StructLayout, value: dict[str, Any]) -> dict[str, Any]:
    """Return a value without the members that a struct has no field for."""
    kept = {each.name: _of_field(each, value[each.name]) for each in struct.all_fields if each.name in value}
    return {**kept, TAGS: value[TAGS]} if struct.flexible and TAGS in value else kept


def _of_field(field: FieldLayout, value: Any) -> Any:
    if field.struct is None or value is None:
        return value
    inner = field.struct
    return [_of_layout(inner, each) for each in value] if field.is_array else _of_layout(inner, value)


@given
def _read_older(exchange: AnsweredQuestion, members: Mapping[str, Any]) -> Changed | FailedAnswer:
    """Return the answer of a decoder that reads the bytes in the layout of the version before."""
    older, data = exchange.older, exchange.question.data
    if older is None or "value" not in members:
        return {}
    if exchange.question.operation is Operation.UNFRAME:
        framed = None if exchange.header is None else decoded_frame(exchange.header, older, data)
        value = None if framed is None else framed[1]
    else:
        value = decoded(older, data)
    if value is None:
        return refusal("the message ends too early or too late")
    tree = tree_of(older, value)
    return {} if tree == members["value"] else {"value": tree, "consumed": len(data)}


def _frame(
    change: Callable[[dict[str, Any]], dict[str, Any]],
) -> Callable[[AnsweredQuestion], ProtocolAnswer]:
    @given
    def wrong(exchange: AnsweredQuestion, members: Mapping[str, Any]) -> Changed:
        if exchange.header is None:
            return {}
        both = decoded_frame(exchange.header, exchange.layout, _written(members))
        if both is None:
            return {}
        changed = encoded_frame(exchange.header, exchange.layout, change(dict(both[0])), both[1])
        return {} if changed is None else {"data": changed.hex()}

    return wrong


def _other_size(data: bytes, layout: MessageLayout) -> bytes:
    return (int.from_bytes(data[:4], "big") + 4).to_bytes(4, "big") + data[4:]


@given
def _header_lost(exchange: AnsweredQuestion, members: Mapping[str, Any]) -> Changed:
    if exchange.header is None:
        return {}
    header = value_of(exchange.header, members["header"])
    if header is None:
        return {}
    return {"header": tree_of(exchange.header, {**header, "correlationId": 0})}


def _has_versions(layout: MessageLayout) -> bool:
    return layout.version > layout.versions.lowest


_DECODE, _ENCODE, _FRAME, _UNFRAME = (
    frozenset({each}) for each in (Operation.DECODE, Operation.ENCODE, Operation.FRAME, Operation.UNFRAME)
)

ANSWERS: Final = (
    AnswerOperator(*bug("reads-past-the-end"), READS, consumes(lambda there, all_: there + 1)),
    AnswerOperator(*bug("stops-early"), READS, consumes(lambda there, all_: there - 1)),
    AnswerOperator(*bug("trailing-bytes-taken"), READS, consumes(lambda there, all_: max(there, all_))),
    AnswerOperator(*bug("cut-accepted"), READS, _cut_accepted),
    AnswerOperator(*bug("cut-crashes"), READS, _cut_crashes),
    AnswerOperator(*bug("cut-hangs"), READS, _cut_hangs),
    AnswerOperator(*bug("large-refused"), READS | WRITES, _large_refused),
    AnswerOperator(*bug("all-refused"), READS, _all_refused),
    AnswerOperator(*bug("size-off-by-one"), frozenset({Operation.SIZE}), _one_more),
    AnswerOperator(
        *bug("always-equal"), frozenset({Operation.EQUAL}), given(lambda exchange, members: {"equal": True})
    ),
    AnswerOperator(
        *bug("never-equal"), frozenset({Operation.EQUAL}), given(lambda exchange, members: {"equal": False})
    ),
    AnswerOperator(
        *bug("hashes-differ"),
        frozenset({Operation.EQUAL}),
        given(lambda exchange, members: {"hashes": False}),
    ),
    AnswerOperator(
        *bug("stream-early"),
        frozenset({Operation.FEED}),
        given(lambda exchange, members: {"parts": max(1, int(members["parts"]) - 1)}),
    ),
    AnswerOperator(*bug("byte-after"), WRITES, writes(lambda data, layout: data + b"\0")),
    AnswerOperator(*bug("last-byte-lost"), WRITES, writes(lambda data, layout: data[:-1])),
    AnswerOperator(*bug("tags-reversed"), WRITES, writes(_tags_reversed), lambda layout: layout.flexible),
    AnswerOperator(
        *bug("last-tag-section-lost"), WRITES, writes(_without_last_section), lambda layout: layout.flexible
    ),
    AnswerOperator(*bug("long-varints"), WRITES, writes(_long_varints), lambda layout: layout.flexible),
    AnswerOperator(*bug("written-as-version-before"), _ENCODE | _FRAME, _older, _has_versions),
    AnswerOperator(*bug("read-as-version-before"), _DECODE | _UNFRAME, _read_older, _has_versions),
    AnswerOperator(*bug("frame-size-wrong"), _FRAME, writes(_other_size)),
    AnswerOperator(
        *bug("frame-without-correlation"), _FRAME, _frame(lambda head: {**head, "correlationId": 0})
    ),
    AnswerOperator(*bug("unframe-without-correlation"), _UNFRAME, _header_lost),
    AnswerOperator(*bug("unframe-stops-early"), _UNFRAME, consumes(lambda there, all_: there - 4)),
)


_PERIOD: Final = 7
_COPY: Final = frozenset({Operation.COPY})


def _last(exchange: AnsweredQuestion) -> ProtocolAnswer:
    """Return the answer to the question before, with the right number of consumed bytes."""
    operation, answer = exchange.question.operation, exchange.answer
    last = exchange.memory.last.get(operation)
    if last is None or not isinstance(answer, OkAnswer):
        return answer
    stale = {**last, "consumed": answer.content["consumed"]} if "consumed" in answer.content else {**last}
    return answer if stale == answer.content else OkAnswer(stale)


def _number(exchange: AnsweredQuestion) -> int:
    return exchange.memory.answers.get(exchange.question.operation, 0)


def _where(holds: Callable[[AnsweredQuestion], bool]) -> Callable[[AnsweredQuestion], ProtocolAnswer]:
    return lambda exchange: _last(exchange) if holds(exchange) else exchange.answer


def _first_refused(exchange: AnsweredQuestion) -> ProtocolAnswer:
    first = _number(exchange) == 0 and isinstance(exchange.answer, OkAnswer)
    return refusal("not ready") if first else exchange.answer


STATES: Final = (
    AnswerOperator(
        *bug("stale-now-and-then"), READS, _where(lambda each: _number(each) % _PERIOD == _PERIOD - 1)
    ),
    AnswerOperator(
        *bug("stale-bytes-now-and-then"), WRITES, _where(lambda each: _number(each) % _PERIOD == _PERIOD - 1)
    ),
    AnswerOperator(*bug("stale-after-refusal"), READS, _where(lambda each: each.memory.refused)),
    AnswerOperator(*bug("first-refused"), READS | WRITES, _first_refused),
    AnswerOperator(*bug("copy-of-before"), _COPY, _where(lambda each: True)),
)
