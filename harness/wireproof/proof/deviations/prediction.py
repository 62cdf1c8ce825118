"""Predicted answers: what a codec with a set of deviations replies to a request."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from typing import Any, Final

from kafkawire.canonical import canonical
from kafkawire.compiler import fastest_codec
from kafkawire.compiler.defaults import default_value
from kafkawire.errors import CodecError, Fault
from kafkawire.headers import FrameCodec
from kafkawire.primitives import PRIMITIVES, codec_of, is_varint
from kafkawire.schema.layout import MessageLayout, StructLayout
from kafkawire.values import TAGS
from wireproof.model.adapter import (
    ENDED,
    NO_VALUE,
    READ_PAST_END,
    STOPPED_EARLY,
    Copy,
    Crashed,
    Decode,
    Decoded,
    DecodedFrame,
    DecodeFrame,
    Encode,
    Encoded,
    EncodeFrame,
    Equal,
    Equality,
    FedFrame,
    FeedFrame,
    Reencode,
    Reencoded,
    Refused,
    Reply,
    Request,
    Size,
    Sized,
)
from wireproof.model.layout_parts import without_unknown_tags
from wireproof.model.repertoire import CodecDirection
from wireproof.proof.deviations.catalogue.trigger import BODY, END_OF_MESSAGE, FRAME
from wireproof.proof.deviations.catalogue.triggers import UNKNOWN_VERSION
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.deviations.field_values import same
from wireproof.proof.deviations.reading import DeviantReader
from wireproof.proof.deviations.rules import EndingError, Rules, RulesByTrigger, rules_of, type_name
from wireproof.proof.deviations.whole_values import (
    is_record_set,
    read_single_varint,
    record_set_reply,
    write_single_varint,
)
from wireproof.proof.deviations.writing import DeviantWriter
from wireproof.proof.deviations.wrong_layouts import BOOL, flexible, inflexible, version_0_of_api_versions

_API_VERSIONS: Final = "ApiVersionsResponse"
_PREFIX_BYTES: Final = 4
HEADER: Final = "header."
"""The beginning of the paths of a header's fields."""
_MISCOUNTED: Final = {"one-more": 1, "one-less": -1, "without-size": -_PREFIX_BYTES}


@dataclass(frozen=True, slots=True)
class CodecExchange:
    """A request and the codec's reply.

    Attributes:
        header: the header layout of its frames; None if the request has no frame.
        whole: whether the codec gets every field of a value.
    """

    layout: MessageLayout
    header: MessageLayout | None
    request: Request
    reply: Reply
    whole: bool = False

    @property
    def size(self) -> int:
        """The approximate size of the exchange, for choosing short ones."""
        request = self.request
        if isinstance(request, Decode | Reencode | Copy | Equal | DecodeFrame):
            return len(request.data)
        if isinstance(request, FeedFrame):
            return sum(map(len, request.parts))
        if isinstance(self.reply, Encoded):
            return len(self.reply.data)
        return len(str(getattr(request, "value", "")))


@dataclass(frozen=True, slots=True)
class Prediction:
    """A predicted reply.

    Attributes:
        fired: the deviations that took the place of Kafka's action, each with the type and the field.
        met: the triggers that were met, each with the type and the field; empty unless they were traced.
        ended_at: the trigger at which the reference refuses; None if it does not, or if it was not traced.
        content: the decompressed size of the record sets that were read, in bytes.
    """

    reply: Reply
    fired: tuple[tuple[Deviation, str, str], ...]
    met: tuple[tuple[CodecDirection, str, str, str], ...] = ()
    ended_at: tuple[CodecDirection, str, str, str] | None = None
    content: int = 0

    @property
    def deviations(self) -> frozenset[Deviation]:
        return frozenset(each for each, *_ in self.fired)

    def fields_of(self, deviation: Deviation) -> frozenset[str]:
        """The fields at which a deviation fired."""
        return frozenset(path for each, _, path in self.fired if each == deviation)


def right_reply(exchange: CodecExchange) -> Reply:
    """Return the reference's reply to a request, which may be a refusal."""
    return _to_first_frame(exchange, _right_reply, Rules())


def _right_reply(exchange: CodecExchange) -> Reply:
    layout, header, request = exchange.layout, exchange.header, exchange.request
    try:
        if _is_beyond(layout):
            return _right_beyond(exchange.reply)
        if is_record_set(layout):
            return record_set_reply(layout, request, exchange.reply, Rules(), Rules())
        codec = codec_of(layout)
        match request:
            case Encode(value):
                return Encoded(codec.encode(value))
            case Size(value):
                return Sized(codec.size(value))
            case Decode(data):
                return Decoded(codec.decode(data))
            case Reencode(data) | Copy(data):
                return Reencoded(codec.encode(codec.decode(data)))
            case EncodeFrame(head, value) if header is not None:
                return Encoded(FrameCodec(fastest_codec(header), fastest_codec(layout)).encode(head, value))
            case Equal(data, other):
                alike = same(codec.decode(data), codec.decode(other))
                return Equality(alike, True if alike else None)
            case DecodeFrame(data) if header is not None:
                return DecodedFrame(*FrameCodec(fastest_codec(header), fastest_codec(layout)).decode(data))
    except EndingError:
        return Refused("", "")
    except CodecError as error:
        return Refused(str(error.fault), str(error), error.path, error.offset)
    raise ValueError(f"no reference for {type(request).__name__}")


class Model:
    """The reference codec with a set of deviations.

    Args:
        deviations: the deviations of a codec in all messages.
    """

    def __init__(self, deviations: Iterable[Deviation] = ()) -> None:
        self.deviations = tuple(deviations)
        self._by_cell: dict[tuple[str, int], tuple[RulesByTrigger, RulesByTrigger]] = {}

    def predict(self, exchange: CodecExchange, *, trace: bool = False, matching: bool = False) -> Prediction:
        """Predict the reply to the exchange's request.

        Args:
            trace: also return the triggers that are met.
            matching: raise `OtherReplyError` at the first field that the codec's reply has otherwise.
        """
        cell = exchange.layout.name, exchange.layout.version
        if cell not in self._by_cell:
            self._by_cell[cell] = rules_of(self.deviations, *cell)
        read, written = (Rules(each, trace=trace) for each in self._by_cell[cell])
        # A codec may have defaults for all bytes that it refuses, whatever it read before.
        if matching and not (is_record_set(exchange.layout) or read.concern("refused")):
            match exchange.reply:
                case Decoded(dict() as value):
                    read.expected = value
                case Encoded(data) | Reencoded(data) if not isinstance(exchange.request, EncodeFrame):
                    written.expected = data
        reply = _to_first_frame(exchange, partial(_reply, read=read, written=written), read)
        sides = (CodecDirection.DECODE, read), (CodecDirection.ENCODE, written)
        met = tuple((direction, *each) for direction, rules in sides for each in rules.met or ())
        ended_at = None
        if isinstance(reply, Refused) and reply.read is None:
            last = ((direction, rules.last) for direction, rules in reversed(sides))
            ended_at = next(((direction, *each) for direction, each in last if each is not None), None)
        return Prediction(reply, (*read.fired, *written.fired), met, ended_at, read.content)


def _reply(exchange: CodecExchange, read: Rules, written: Rules) -> Reply:
    layout, header, request = exchange.layout, exchange.header, exchange.request
    try:
        if _is_beyond(layout):
            return _reply_beyond(exchange, written if isinstance(request, Encode | Size) else read)
        if is_record_set(layout):
            return record_set_reply(layout, request, exchange.reply, read, written)
        match request:
            case Encode(value, omitted):
                return Encoded(_ended(_write(layout, value, written, exchange.whole, omitted), written))
            case Size(value, omitted):
                size = len(_write(layout, value, written, exchange.whole, omitted))
                return Sized(size + (written.at("size", "", "") == "one-more"))
            case Decode(data):
                value, reader = _read(layout, data, read)
                return _consumed(layout, reader, len(data), Decoded(value))
            case Reencode(data) | Copy(data):
                value, reader = _read(layout, data, read)
                again = Reencoded(_ended(_write(layout, value, written, False, again=True), written))
                return again if isinstance(request, Copy) else _consumed(layout, reader, len(data), again)
            case EncodeFrame() if header is not None:
                return Encoded(_write_frame(header, layout, request, written, exchange.whole))
            case DecodeFrame(data) if header is not None:
                return _read_frame(header, layout, data, read)
            case Equal():
                return _compare(layout, request, read)
    except EndingError as ending:
        if ending.error or is_record_set(layout) or not isinstance(request, Decode | Reencode):
            return Crashed(ending.error, "") if ending.error else Refused("", "")
        return _refused(exchange, read)
    raise ValueError(f"no prediction for {type(request).__name__}")


def _is_beyond(layout: MessageLayout) -> bool:
    """Test if the message does not have the requested version."""
    return layout.version not in layout.versions


def _reply_beyond(exchange: CodecExchange, rules: Rules) -> Reply:
    """Predict the reply at a version that the message does not have: any bytes or value are wrong."""
    right = _right_beyond(exchange.reply)
    if rules.at(UNKNOWN_VERSION, "", "") != "accept":
        return right
    return Encoded(b"") if right is exchange.reply else exchange.reply


def _right_beyond(reply: Reply) -> Reply:
    """Return the codec's own reply if it has no value or bytes; else a refusal."""
    match reply:
        case Refused(error=error) if error != STOPPED_EARLY:
            return reply
        case Crashed(error=error) if error not in (NO_VALUE, READ_PAST_END, *ENDED):
            return reply
    return Refused("", "")


def _refused(exchange: CodecExchange, read: Rules) -> Reply:
    """Predict the reply to bytes that the reference refuses."""
    try:
        if read.at_refusal() != "defaults":
            return Refused("", "")
    except EndingError as ending:
        return Crashed(ending.error, "") if ending.error else Refused("", "")
    value = {each.name: default_value(each) for each in exchange.layout.root.all_fields}
    is_read = isinstance(exchange.request, Decode)
    return Decoded(value) if is_read else Reencoded(codec_of(exchange.layout).encode({}))


def _ended(data: bytes, rules: Rules, kind: str = BODY) -> bytes:
    """Return the bytes of a message with the end that the codec writes."""
    return {"zero": data + b"\0", "lost": data[:-1]}.get(rules.at(END_OF_MESSAGE, kind, ""), data)


def _root(layout: MessageLayout, rules: Rules) -> StructLayout:
    """Return the layout that the codec has."""
    match rules.at("message", "", ""):
        case "inflexible" if layout.flexible:
            return inflexible(layout).root
        case "flexible" if not layout.flexible:
            return flexible(layout).root
    return layout.root


def _write(
    layout: MessageLayout, value: Any, rules: Rules, whole: bool, omitted: str = "", *, again: bool = False
) -> bytes:
    if is_varint(layout.name):
        return write_single_varint(layout, value, rules)
    return DeviantWriter(rules, whole, omitted, again).struct(_root(layout, rules), value)


def _write_frame(
    header: MessageLayout, layout: MessageLayout, request: EncodeFrame, rules: Rules, whole: bool
) -> bytes:
    head = DeviantWriter(rules).struct(header.root, request.header, HEADER)
    body = _ended(head + _write(layout, request.value, rules, whole), rules, FRAME)
    return len(body).to_bytes(_PREFIX_BYTES) + body


def _read(layout: MessageLayout, data: bytes, rules: Rules) -> tuple[dict[str, Any], DeviantReader]:
    if is_varint(layout.name):
        return read_single_varint(layout, data, rules)
    root = _root(layout, rules)
    reader = DeviantReader(data, 0, len(data), rules)
    return _read_root(reader, layout, root), reader


def _read_root(reader: DeviantReader, layout: MessageLayout, root: StructLayout) -> dict[str, Any]:
    later = layout.name == _API_VERSIONS and layout.version > 0
    failed = later and int.from_bytes(reader.data[reader.pos :][:2]) != 0
    action = reader.rules.at("api-versions-error", "", "") if failed else ""
    if not action:
        return reader.struct(root)
    defaults = {each.name: default_value(each) for each in root.all_fields}
    if action == "stop":
        code = root.fields[0]
        return {**defaults, code.name: reader.field(code, type_name(code), code.name)}
    return {**defaults, **reader.struct(version_0_of_api_versions(layout))}


def _read_frame(header: MessageLayout, layout: MessageLayout, data: bytes, rules: Rules) -> Reply:
    root = _root(layout, rules)
    if len(data) < _PREFIX_BYTES:
        rules.at("frame-head", "", "")
        return Refused("", "")
    end, size = len(data), int.from_bytes(data[:_PREFIX_BYTES], signed=True)
    if size != end - _PREFIX_BYTES:
        action = rules.at("frame-size", "", "")
        if action == "within" and 0 <= size < end - _PREFIX_BYTES:
            end = _PREFIX_BYTES + size
        elif action != "accept":
            return Refused("", "")
    reader = DeviantReader(data, _PREFIX_BYTES, end, rules)
    head = reader.struct(header.root, HEADER)
    read = DecodedFrame(head, _read_root(reader, layout, root))
    return _invalid(header, head, rules) or _consumed(layout, reader, len(data), read)


def _to_first_frame(
    exchange: CodecExchange, reply_to: Callable[[CodecExchange], Reply], rules: Rules
) -> Reply:
    """Return the reply; a stream gets the reply to its first frame, after the part that completes it."""
    if not isinstance(exchange.request, FeedFrame):
        return reply_to(exchange)
    frame = exchange.request.first_frame
    count = sum(size < len(frame) for size in accumulate(map(len, exchange.request.parts))) + 1
    whole = reply_to(replace(exchange, request=DecodeFrame(frame)))
    if isinstance(whole, Refused) and whole.read is not None:
        whole = whole.read  # the codec drops the rest of the frame
    if not isinstance(whole, DecodedFrame):
        return whole
    try:
        early = count > 1 and rules.at("stream", "", "") == "early"
    except EndingError as ending:
        return Crashed(ending.error, "") if ending.error else Refused("", "")
    return FedFrame(whole.value, len(frame), count - early)


def _compare(layout: MessageLayout, request: Equal, rules: Rules) -> Reply:
    """Predict whether two objects are equal: a codec may read the same value from different bytes."""
    one, other = (_read(layout, each, rules)[0] for each in (request.data, request.other))
    if same(one, other):
        action = rules.at("equal", "", "")
        return Equality(action != "unequal", action != "hash")
    alike = same(*map(without_unknown_tags, (one, other))) and rules.at("unequal-tags", "", "") == "equal"
    return Equality(alike or rules.at("unequal", "", "") == "equal")


def _invalid(layout: MessageLayout, value: dict[str, Any], rules: Rules) -> Crashed | None:
    """Return the reply if the value that was read is invalid for the message or header; else None."""
    for deviation, _, path in rules.fired:
        if deviation.trigger == "type" or (deviation.trigger, deviation.action) == ("layout", BOOL):
            return Crashed(NO_VALUE, "", path=path)
    if not rules.fired:
        return None
    try:
        canonical(layout).to_binary(value)
    except CodecError as error:
        if layout.name in PRIMITIVES and error.fault is Fault.RANGE:
            return Crashed(str(error.fault), "")
        # This check meets tags first, the codec's answer last; a wrong layout can have more wrong values.
        unsure = TAGS in error.path or any(each.trigger == "layout" for each, *_ in rules.fired)
        return Crashed(NO_VALUE, "", path="" if unsure else error.path)
    return None


def _consumed(
    layout: MessageLayout, reader: DeviantReader, size: int, read: Decoded | DecodedFrame | Reencoded
) -> Reply:
    """The reply for a value and the number of bytes that were read."""
    wrong = None if isinstance(read, Reencoded) else _invalid(layout, read.value, reader.rules)
    if wrong is not None:
        return wrong
    kind = FRAME if isinstance(read, DecodedFrame) else BODY
    reader.pos += _MISCOUNTED.get(reader.rules.at(END_OF_MESSAGE, kind, ""), 0)
    if reader.pos == size or (0 <= reader.pos < size and reader.rules.at("trailing", "", "") == "take"):
        return read
    message = f"it reads {reader.pos} of {size} bytes"
    if not 0 <= reader.pos <= size:
        return Crashed(READ_PAST_END, message)
    return Refused(STOPPED_EARLY, message, offset=reader.pos, foreign=True, read=read)
