"""The conversion of requests to the text of the testee protocol, and of its answers to replies."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, assert_never

from kafkawire.canonical import canonical
from kafkawire.errors import CodecError, DecodeError, Fault
from kafkawire.primitives import PRIMITIVES, VALUE
from kafkawire.schema.layout import MessageLayout
from wireproof.base.text.parsing import MISSHAPEN, shape_fault
from wireproof.model.adapter import (
    NO_DEFAULT,
    NO_VALUE,
    NOT_ASKED,
    READ_PAST_END,
    SAME_CAUSE,
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
    Unsupported,
)
from wireproof.model.cell import Cell
from wireproof.model.codec_ends import VALUES, MutationSite
from wireproof.proof.adapters.testee.protocol_values import Renaming, primitive_json, sparse_json
from wireproof.proof.adapters.testee.record_values import (
    RECORD_BYTES,
    RECORD_SET,
    NoRecordSetError,
    RecordValues,
    parse_record_set,
)
from wireproof.proof.testees.description.claimed_operations import Operation
from wireproof.proof.testees.session.testee_session import (
    EndedAnswer,
    FailedAnswer,
    NotAskedAnswer,
    OkAnswer,
    ProtocolAnswer,
)
from wireproof.proof.testees.session.testee_session import UnsupportedAnswer as UnsupportedAnswer

OPERATIONS: Final[Mapping[type, Operation]] = {
    Encode: Operation.ENCODE,
    Size: Operation.SIZE,
    Decode: Operation.DECODE,
    Reencode: Operation.REENCODE,
    Equal: Operation.EQUAL,
    Copy: Operation.COPY,
    EncodeFrame: Operation.FRAME,
    DecodeFrame: Operation.UNFRAME,
    FeedFrame: Operation.FEED,
}

_VALUE_SITES: Final = {operation: MutationSite(operation, "", VALUES) for operation in Operation}
"""The sites of requests about right values and their bytes."""


@dataclass(frozen=True, slots=True)
class RequestContext:
    """The cell of some requests, with the settings for writing them.

    Attributes:
        to_testee, from_testee: the renaming of fields in requests and in answers; None for no renaming.
        whole: whether values are sent with every field.
        records: converts the records fields of a codec that reads records with the message; else None.
    """

    cell: Cell
    layout: MessageLayout
    header: MessageLayout | None
    to_testee: Renaming | None
    from_testee: Renaming | None
    whole: bool
    records: RecordValues | None = None

    @property
    def framed(self) -> MessageLayout:
        """The header's layout."""
        if self.header is None:
            raise LookupError(f"{self.cell.id} has no header")
        return self.header


def content_of(context: RequestContext, request: Request) -> str:
    """Return the members of a request that hold its content."""
    match request:
        case Encode(value) if context.cell.message in PRIMITIVES:
            return f'"value":{primitive_json(context.layout, value)}'
        case Encode(value, omitted) | Size(value, omitted):
            text = sparse_json(context.layout, value, context.to_testee, whole=context.whole, omitted=omitted)
            return f'"value":{text}'
        case Equal(data, other):
            return f'"data":"{data.hex()}","other":"{other.hex()}"'
        case Decode(data) | Reencode(data) | Copy(data) | DecodeFrame(data):
            return f'"data":"{data.hex()}"'
        case FeedFrame(parts):
            digits = (f'"{part.hex()}"' for part in parts)
            return f'"parts":[{",".join(digits)}]'
        case EncodeFrame(header, value):
            head = sparse_json(context.framed, header, whole=context.whole)
            body = sparse_json(context.layout, value, context.to_testee, whole=context.whole)
            return f'"header":{head},"value":{body}'
        case _:
            assert_never(request)


def site_of(request: Request) -> MutationSite:
    """Return the mutation of a request's bytes; the site of its operation if they are right, or absent."""
    site = request.site if isinstance(request, Decode | Reencode | DecodeFrame) else None
    return site or _VALUE_SITES[OPERATIONS[type(request)]]


def target_members(cell: Cell, request: Request) -> str:
    """Return the members that name the operation and message; a primitive's content implies its direction."""
    if cell.message in PRIMITIVES:
        return f'"op":"primitive","type":"{cell.message}"'
    operation = OPERATIONS[type(request)]
    return f'"op":"{operation}","message":"{cell.message}","version":{cell.version}'


def reply_of(context: RequestContext, request: Request, answer: ProtocolAnswer) -> Reply:
    """Convert an answer to a reply."""
    if not isinstance(answer, OkAnswer):
        return _without_default(context, request, answer) or failure_of(answer)
    try:
        return _success(context, request, answer.content)
    except MISSHAPEN as error:
        return no_answer(OPERATIONS[type(request)], error)


def _without_default(context: RequestContext, request: Request, answer: ProtocolAnswer) -> Unsupported | None:
    """Return `Unsupported` if a codec without defaults fails to encode a value that lacks a field."""
    expected = isinstance(request, Encode | Size) and bool(request.omitted) and context.whole
    if not expected or not isinstance(answer, FailedAnswer):
        return None
    return Unsupported(NO_DEFAULT, f"{answer.error}: {answer.message}")


def no_answer(operation: Operation, error: Exception) -> Crashed:
    """Return the reply for an answer that lacks what the protocol requires."""
    return Crashed("protocol", f"its answer is not what {operation} gives: {shape_fault(error)}")


def failure_of(
    answer: FailedAnswer | UnsupportedAnswer | EndedAnswer | NotAskedAnswer,
) -> Refused | Crashed | Unsupported:
    """Convert an answer that is not a success."""
    match answer:
        case FailedAnswer(orderly, error, message, path, offset, stderr):
            if orderly:
                return Refused(error, message, path, offset, foreign=True)
            return Crashed(error, message, stderr)
        case UnsupportedAnswer(reason, message):
            return Unsupported(reason, message)
        case EndedAnswer(error, message):
            return Crashed(error, message)
        case NotAskedAnswer(message, same_as):
            return Unsupported(SAME_CAUSE, same_as) if same_as else Unsupported(NOT_ASKED, message)
        case _:
            assert_never(answer)


def _success(context: RequestContext, request: Request, content: Mapping[str, Any]) -> Reply:
    match request:
        case Encode(value) if context.records is not None:
            return Encoded(context.records.settled(bytes.fromhex(content["data"]), value))
        case Encode() | EncodeFrame():
            return Encoded(bytes.fromhex(content["data"]))
        case Size():
            return Sized(_count(content, "size"))
        case Equal():
            return _equality(content)
        case Copy():
            return Reencoded(bytes.fromhex(content["data"]))
        case Reencode(data):
            again = bytes.fromhex(content["data"])
            again = again if context.records is None else context.records.settled(again, data)
            return _check_consumed(data, content, Reencoded(again))
        case Decode(data):
            return _check_consumed(data, content, _decoded(context, content["value"], data))
        case DecodeFrame(data):
            return _check_consumed(data, content, _decoded_frame(context, content))
        case FeedFrame():
            fed = value_of(context.layout, content["value"], context.from_testee)
            counts = _count(content, "consumed"), _count(content, "parts")
            return fed if isinstance(fed, Crashed) else FedFrame(fed, *counts)
        case _:
            assert_never(request)


def _decoded_frame(context: RequestContext, content: Mapping[str, Any]) -> Reply:
    header = value_of(context.framed, content["header"])
    value = value_of(context.layout, content["value"], context.from_testee)
    if isinstance(header, Crashed):
        return header
    return value if isinstance(value, Crashed) else DecodedFrame(header, value)


def _equality(content: Mapping[str, Any]) -> Equality:
    equal, hashes = content["equal"], content.get("hashes")
    if type(equal) is not bool or type(hashes) not in (bool, type(None)):
        raise TypeError(f"equal and hashes are true or false, not {equal!r} and {hashes!r}")
    return Equality(equal, hashes)


def _check_consumed(data: bytes, content: Mapping[str, Any], read: Reply) -> Reply:
    """Return a reply if the codec read all bytes; else a refusal, or a crash if it reports more bytes."""
    consumed = _count(content, "consumed")
    if consumed == len(data) or not isinstance(read, Decoded | DecodedFrame | Reencoded):
        return read
    message = f"it reads {consumed} of {len(data)} bytes"
    if not 0 <= consumed < len(data):
        return Crashed(READ_PAST_END, message)
    return Refused(STOPPED_EARLY, message, offset=consumed, foreign=True, read=read)


def _count(content: Mapping[str, Any], key: str) -> int:
    """Return a number of bytes or of parts: an integer of 64 bits."""
    count = content[key]
    if type(count) is not int:
        raise TypeError(f"{key} is a number, not {str(count)[:40]}")
    if not -(1 << 63) <= count < 1 << 63:
        raise ValueError(f"{key} has more than 64 bits")
    return count


def _decoded(context: RequestContext, tree: Any, data: bytes) -> Reply:
    if context.layout.name == RECORD_SET:
        return parse_record_set(tree)
    if context.layout.name in PRIMITIVES:
        tree = {VALUE: tree}
    if context.records is not None:
        tree = tree if context.from_testee is None else context.from_testee.apply(tree)
        try:
            tree = context.records.with_bytes(tree, data)
        except CodecError as error:
            return Crashed(NO_VALUE, f"what it decoded in a records field is no record set: {error}")
        except NoRecordSetError as error:
            return Unsupported(RECORD_BYTES, str(error))
    found = value_of(context.layout, tree, None if context.records else context.from_testee)
    return found if isinstance(found, Crashed) else Decoded(found)


def value_of(layout: MessageLayout, tree: Any, names: Renaming | None = None) -> dict[str, Any] | Crashed:
    """Convert the value in a testee's answer; return a crash if it is not one of the layout."""
    try:
        return canonical(layout).from_tree(tree if names is None else names.apply(tree))
    except DecodeError as error:
        if layout.name in PRIMITIVES and error.fault is Fault.RANGE:
            return Crashed(str(error.fault), f"it reads a number beyond the type: {error}")
        return Crashed(NO_VALUE, f"what it decoded is no value of the message: {error}", path=error.path)
