"""Questions of a run as text of the protocol, and the answers to them as replies."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, assert_never

from kafkawire.canonical import canonical
from kafkawire.errors import DecodeError, Fault
from kafkawire.primitives import PRIMITIVES, VALUE
from kafkawire.schema.layout import MessageLayout
from wireproof.adapters.testee.field_renaming import Renaming
from wireproof.adapters.testee.protocol_values import primitive_json, sparse_json
from wireproof.adapters.testee.record_set_requests import RECORD_SET, set_told
from wireproof.model import (
    NO_DEFAULT,
    NO_VALUE,
    NOT_ASKED,
    READ_PAST_END,
    SAME_CAUSE,
    STOPPED_EARLY,
    Cell,
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
    Reencode,
    Reencoded,
    Refused,
    Reply,
    Request,
    Size,
    Sized,
    Unsupported,
)
from wireproof.parsing import MISSHAPEN
from wireproof.testees.description.claimed_operations import Operation
from wireproof.testees.session.protocol_answers import (
    EndedAnswer,
    FailedAnswer,
    NotAskedAnswer,
    OkAnswer,
    ProtocolAnswer,
)
from wireproof.testees.session.protocol_answers import UnsupportedAnswer as UnsupportedAnswer

__all__ = ["OPERATIONS", "RequestContext", "content_of", "failure_of", "no_answer", "reply_of", "value_of"]

OPERATIONS: Final[Mapping[type, Operation]] = {
    Encode: Operation.ENCODE,
    Size: Operation.SIZE,
    Decode: Operation.DECODE,
    Reencode: Operation.REENCODE,
    Equal: Operation.EQUAL,
    Copy: Operation.COPY,
    EncodeFrame: Operation.FRAME,
    DecodeFrame: Operation.UNFRAME,
}


@dataclass(frozen=True, slots=True)
class RequestContext:
    """What the questions are about.

    Attributes:
        header: of its frames; None where it has none.
        there, back: what is renamed on the way to the testee and back.
        whole: whether values are sent with every field.
    """

    cell: Cell
    layout: MessageLayout
    header: MessageLayout | None
    there: Renaming | None
    back: Renaming | None
    whole: bool

    @property
    def framed(self) -> MessageLayout:
        """The header's layout."""
        if self.header is None:
            raise LookupError(f"{self.cell.id} has no header")
        return self.header


def content_of(subject: RequestContext, request: Request) -> str:
    """The members of a question that hold what it is about."""
    root = subject.layout.root
    match request:
        case Encode(value) if subject.cell.message in PRIMITIVES:
            return f'"value":{primitive_json(subject.layout, value)}'
        case Encode(value, omitted) | Size(value, omitted):
            text = sparse_json(root, value, subject.there, whole=subject.whole, omitted=omitted)
            return f'"value":{text}'
        case Equal(data, other):
            return f'"data":"{data.hex()}","other":"{other.hex()}"'
        case Decode(data) | Reencode(data) | Copy(data) | DecodeFrame(data):
            return f'"data":"{data.hex()}"'
        case EncodeFrame(header, value):
            head = sparse_json(subject.framed.root, header, whole=subject.whole)
            body = sparse_json(root, value, subject.there, whole=subject.whole)
            return f'"header":{head},"value":{body}'
        case _:
            assert_never(request)


def reply_of(subject: RequestContext, request: Request, answer: ProtocolAnswer) -> Reply:
    """What an answer means."""
    if not isinstance(answer, OkAnswer):
        return _without_default(subject, request, answer) or failure_of(answer)
    try:
        return _good(subject, request, answer.content)
    except MISSHAPEN as error:
        return no_answer(OPERATIONS[type(request)], error)


def _without_default(subject: RequestContext, request: Request, answer: ProtocolAnswer) -> Unsupported | None:
    """That a codec which wants complete values does not encode one that lacks a field: it has no default."""
    asked = isinstance(request, Encode | Size) and bool(request.omitted) and subject.whole
    if not asked or not isinstance(answer, FailedAnswer):
        return None
    return Unsupported(NO_DEFAULT, f"{answer.error}: {answer.message}")


def no_answer(operation: Operation, error: Exception) -> Crashed:
    """An answer that lacks what the protocol wants there."""
    return Crashed("protocol", f"its answer is not what {operation} gives: {error!r}")


def failure_of(
    answer: FailedAnswer | UnsupportedAnswer | EndedAnswer | NotAskedAnswer,
) -> Refused | Crashed | Unsupported:
    """What an answer means that is no success."""
    match answer:
        case FailedAnswer(orderly, error, message, path, offset, stderr):
            if orderly:
                return Refused(error, message, path, offset, foreign=True)
            return Crashed(error, message, stderr)
        case UnsupportedAnswer(reason, message):
            return Unsupported(reason, message)
        case EndedAnswer(error, message):
            return Crashed(error, message)
        case NotAskedAnswer(words, same_as):
            return Unsupported(SAME_CAUSE, same_as) if same_as else Unsupported(NOT_ASKED, words)
        case _:
            assert_never(answer)


def _good(subject: RequestContext, request: Request, content: Mapping[str, Any]) -> Reply:
    match request:
        case Encode() | EncodeFrame():
            return Encoded(bytes.fromhex(content["data"]))
        case Size():
            return Sized(_count(content, "size"))
        case Equal():
            return _equality(content)
        case Copy():
            return Reencoded(bytes.fromhex(content["data"]))
        case Reencode(data):
            return _consuming(data, content, Reencoded(bytes.fromhex(content["data"])))
        case Decode(data):
            return _consuming(data, content, _decoded(subject, content["value"]))
        case DecodeFrame(data):
            return _consuming(data, content, _decoded_frame(subject, content))
        case _:
            assert_never(request)


def _decoded_frame(subject: RequestContext, content: Mapping[str, Any]) -> Reply:
    header = value_of(subject.framed, content["header"])
    value = value_of(subject.layout, content["value"], subject.back)
    if isinstance(header, Crashed):
        return header
    return value if isinstance(value, Crashed) else DecodedFrame(header, value)


def _equality(content: Mapping[str, Any]) -> Equality:
    equal, hashes = content["equal"], content.get("hashes")
    if type(equal) is not bool or type(hashes) not in (bool, type(None)):
        raise TypeError(f"equal and hashes are true or false, not {equal!r} and {hashes!r}")
    return Equality(equal, hashes)


def _consuming(data: bytes, content: Mapping[str, Any], read: Reply) -> Reply:
    """What was read, where the codec read all bytes; else that it left some, or says that it read more."""
    consumed = _count(content, "consumed")
    if consumed == len(data) or not isinstance(read, Decoded | DecodedFrame | Reencoded):
        return read
    words = f"it reads {consumed} of {len(data)} bytes"
    if not 0 <= consumed < len(data):
        return Crashed(READ_PAST_END, words)
    return Refused(STOPPED_EARLY, words, offset=consumed, foreign=True, read=read)


def _count(content: Mapping[str, Any], key: str) -> int:
    """A number of bytes: an integer of 64 bits."""
    count = content[key]
    if type(count) is not int:
        raise TypeError(f"{key} is a number of bytes, not {str(count)[:40]}")
    if not -(1 << 63) <= count < 1 << 63:
        raise ValueError(f"{key} has more than 64 bits")
    return count


def _decoded(subject: RequestContext, tree: Any) -> Reply:
    if subject.layout.name == RECORD_SET:
        return set_told(tree)
    if subject.layout.name in PRIMITIVES:
        tree = {VALUE: tree}
    value = value_of(subject.layout, tree, subject.back)
    return value if isinstance(value, Crashed) else Decoded(value)


def value_of(layout: MessageLayout, tree: Any, names: Renaming | None = None) -> dict[str, Any] | Crashed:
    """The value that a testee told; a crash where it is none of the layout."""
    try:
        return canonical(layout).from_tree(tree if names is None else names.apply(tree))
    except DecodeError as error:
        if layout.name in PRIMITIVES and error.fault is Fault.RANGE:
            return Crashed(str(error.fault), f"it reads a number beyond the type: {error}")
        return Crashed(NO_VALUE, f"what it decoded is no value of the message: {error}")
