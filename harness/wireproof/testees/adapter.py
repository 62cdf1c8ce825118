"""Our side of a testee: the questions of a run as lines of the protocol, its answers as replies."""

import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, assert_never

from kafkawire.canonical import canonical
from kafkawire.errors import DecodeError
from kafkawire.schema.layout import MessageLayout
from kafkawire.schema.model import MessageKind
from wireproof.model import (
    NO_VALUE,
    NOT_ASKED,
    Cell,
    Crashed,
    Decode,
    Decoded,
    DecodedFrame,
    DecodeFrame,
    Encode,
    Encoded,
    EncodeFrame,
    Place,
    Reencode,
    Reencoded,
    Refused,
    Registered,
    Reply,
    Request,
    Size,
    Sized,
    Unsupported,
    Way,
)
from wireproof.testees.answers import Answer, Ended, Failed, NotAsked, Ok
from wireproof.testees.answers import Unsupported as UnsupportedAnswer
from wireproof.testees.claims import Operation
from wireproof.testees.names import Renaming, renaming
from wireproof.testees.sending import NoJsonError, sparse_json
from wireproof.testees.transport import Conversation

__all__ = ["UNCLAIMED", "UNSENDABLE", "TesteeAdapter"]

HeaderLayouts: TypeAlias = Mapping[tuple[str, MessageKind, int], MessageLayout]

LayoutIn: TypeAlias = Callable[[str, str, int], MessageLayout | None]
"""(release, message, version) -> layout."""

UNCLAIMED: Final = Unsupported("", "not claimed")
"""The reply to what the testee does not claim: there is nothing to judge."""
UNSENDABLE: Final = "no-json"
"""The reason where a value cannot even be said in JSON."""

_MOST_CELLS: Final = 64
"""Cells whose right answers are counted at a time: a cell needs its own and its neighbours'."""

_OPERATIONS: Final[Mapping[type, Operation]] = {
    Encode: Operation.ENCODE,
    Size: Operation.SIZE,
    Decode: Operation.DECODE,
    Reencode: Operation.REENCODE,
    EncodeFrame: Operation.FRAME,
    DecodeFrame: Operation.UNFRAME,
}


class TesteeAdapter:
    """Asks a testee. Several threads may ask; one waits for the other.

    Args:
        headers: the header layouts of every release that will be asked for.
        layout_in: a message's layout in the release that a testee takes its names from; None where that
            release lacks it.
    """

    def __init__(
        self, testee: Conversation, headers: HeaderLayouts, layout_in: LayoutIn = lambda *_: None
    ) -> None:
        self._testee = testee
        self._layout_in = layout_in
        self._renamings: dict[MessageLayout, tuple[Renaming | None, Renaming | None]] = {}
        self._headers = headers
        self._lock = threading.Lock()
        self._answered: dict[Cell, Counter[Operation]] = {}
        self._claimed: Mapping[Place, frozenset[Way]] | None = None
        self._not_asked = 0

    @property
    def name(self) -> str:
        return self._testee.hello().identity.subject

    @property
    def refuses(self) -> bool:
        """Whether the testee promises to refuse values that a version cannot hold."""
        return self._testee.hello().refuses

    def claimed(self, cell: Cell) -> frozenset[str]:
        """The operations that the testee claims for a cell."""
        claims = self._testee.hello().claims
        return frozenset(each for each in Operation if claims.has(each, cell.message, cell.version))

    def ways(self, cell: Cell) -> frozenset[Way]:
        """The ways that the testee claims for a cell."""
        if self._claimed is None:
            self._claimed = self._testee.hello().repertoire.claimed
        return self._claimed.get((cell.message, cell.version), frozenset())

    def idle(self, cell: Cell) -> frozenset[str]:
        """Those of them that answered nothing right since the cell began: claims that no case could try."""
        claims = self.claimed(cell)
        if {Operation.DECODE, Operation.ENCODE} <= claims:
            claims -= {Operation.REENCODE}  # what the two prove is not asked a third time
        answered = self._answered.get(cell, Counter[Operation]())
        return frozenset(each for each in claims if not answered[Operation(each)])

    @property
    def not_asked(self) -> int:
        """How many questions were not asked, since it had ended too often; `answers` does not count."""
        return self._not_asked

    def registered(self, cell: Cell) -> Registered | None:
        """What the testee's own registry says of the cell's message at its version."""
        for entry in self._testee.hello().registry:
            for direction in (entry.request, entry.response):
                if direction is not None and direction.message == cell.message:
                    return Registered(entry.api_key, direction.headers.get(cell.version))
        return None

    def ask(
        self,
        cell: Cell,
        layout: MessageLayout,
        requests: Sequence[Request],
        header: MessageLayout | None = None,
    ) -> list[Reply]:
        """Answer each request for the cell, in order.

        What the testee does not claim is `UNCLAIMED`. A question that ends it, hangs it or makes it break the
        protocol is a crash.

        Args:
            header: the layout of the header in frames; that of the cell's release where it is None.

        Raises:
            TesteeError: it does not start any more.
        """
        replies = self.answers(cell, layout, requests, header)
        self._not_asked += sum(isinstance(each, Unsupported) and each.reason == NOT_ASKED for each in replies)
        return replies

    def answers(
        self,
        cell: Cell,
        layout: MessageLayout,
        requests: Sequence[Request],
        header: MessageLayout | None = None,
    ) -> list[Reply]:
        """What `ask` gives, for those who count by themselves what was not asked."""
        with self._lock:
            if cell not in self._answered:
                if len(self._answered) >= _MOST_CELLS:
                    self._answered.clear()
                self._answered[cell] = Counter()
                self._testee.forgive()
            if header is None and layout.header_version is not None:
                header = self._headers.get((cell.release, layout.kind, layout.header_version))
            claimed = [self._claimed_form(cell, request) for request in requests]
            return self._ask(
                _Subject(cell, layout, header, *self._renaming(layout), self._testee.hello().whole), claimed
            )

    def ask_anyway(
        self, cell: Cell, layout: MessageLayout, requests: Sequence[Encode | Decode]
    ) -> list[Reply]:
        """Answer each request for a cell, claimed or not.

        Raises:
            TesteeError: it does not start any more.
        """
        with self._lock:
            self._answered.setdefault(cell, Counter())
            subject = _Subject(cell, layout, None, *self._renaming(layout), self._testee.hello().whole)
            return self._ask(subject, requests)

    def _renaming(self, layout: MessageLayout) -> tuple[Renaming | None, Renaming | None]:
        """What has to be renamed on the way to the testee, and on the way back."""
        release = self._testee.hello().names
        if not release:
            return None, None
        if layout not in self._renamings:
            if len(self._renamings) >= _MOST_CELLS:
                self._renamings.clear()
            other = self._layout_in(release, layout.name, layout.version)
            both = (
                (None, None)
                if other is None
                else (renaming(layout.root, other.root), renaming(other.root, layout.root))
            )
            self._renamings[layout] = both
        return self._renamings[layout]

    def _claimed_form(self, cell: Cell, request: Request) -> Request | None:
        """The request as the testee claims to take it: a codec without values reads by encoding again; None
        where it claims no such thing."""
        claims = self._testee.hello().claims

        def claimed(operation: Operation) -> bool:
            return claims.has(operation, cell.message, cell.version)

        if claimed(_OPERATIONS[type(request)]):
            return request
        if isinstance(request, Decode) and claimed(Operation.REENCODE):
            return Reencode(request.data)
        return None

    def _ask(self, subject: "_Subject", requests: Sequence[Request | None]) -> list[Reply]:
        cell = subject.cell
        replies: list[Reply] = [UNCLAIMED] * len(requests)
        asked: list[tuple[int, Request, Operation]] = []
        questions: list[str] = []
        for index, request in enumerate(requests):
            if request is None:
                continue
            operation = _OPERATIONS[type(request)]
            try:
                content = _content(subject, request)
            except NoJsonError as error:
                replies[index] = Unsupported(UNSENDABLE, str(error))
                continue
            asked.append((index, request, operation))
            questions.append(
                f'"op":"{operation}","message":"{cell.message}","version":{cell.version},{content}'
            )
        for (index, request, operation), answer in zip(asked, self._testee.ask(questions), strict=True):
            replies[index] = _reply(subject, request, answer)
            self._answered[cell][operation] += not isinstance(replies[index], Refused | Crashed | Unsupported)
        return replies


@dataclass(frozen=True, slots=True)
class _Subject:
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


def _content(subject: _Subject, request: Request) -> str:
    """The members of a question that hold what it is about."""
    root = subject.layout.root
    match request:
        case Encode(value) | Size(value):
            return f'"value":{sparse_json(root, value, subject.there, whole=subject.whole)}'
        case Decode(data) | Reencode(data) | DecodeFrame(data):
            return f'"data":"{data.hex()}"'
        case EncodeFrame(header, value):
            head = sparse_json(subject.framed.root, header, whole=subject.whole)
            body = sparse_json(root, value, subject.there, whole=subject.whole)
            return f'"header":{head},"value":{body}'
        case _:
            assert_never(request)


def _reply(subject: _Subject, request: Request, answer: Answer) -> Reply:
    match answer:
        case Ok(content):
            try:
                return _good(subject, request, content)
            except (KeyError, TypeError, ValueError) as error:
                operation = _OPERATIONS[type(request)]
                return Crashed("protocol", f"its answer is not what {operation} gives: {error!r}")
        case Failed(orderly, error, message, path, offset):
            if orderly:
                return Refused(error, message, path, offset, foreign=True)
            return Crashed(error, message)
        case UnsupportedAnswer(reason, message):
            return Unsupported(reason, message)
        case Ended(error, message):
            return Crashed(error, message)
        case NotAsked(words):
            return Unsupported(NOT_ASKED, words)
        case _:
            assert_never(answer)


def _good(subject: _Subject, request: Request, content: Mapping[str, Any]) -> Reply:
    match request:
        case Encode() | EncodeFrame():
            return Encoded(bytes.fromhex(content["data"]))
        case Size():
            return Sized(int(content["size"]))
        case Reencode(data):
            return _unless_left(data, content) or Reencoded(bytes.fromhex(content["data"]))
        case Decode(data):
            return _unless_left(data, content) or _decoded(subject, content["value"])
        case DecodeFrame(data):
            return _unless_left(data, content) or _decoded_frame(subject, content)
        case _:
            assert_never(request)


def _decoded_frame(subject: _Subject, content: Mapping[str, Any]) -> Reply:
    header = _value(subject.framed, content["header"])
    value = _value(subject.layout, content["value"], subject.back)
    if isinstance(header, Crashed):
        return header
    return value if isinstance(value, Crashed) else DecodedFrame(header, value)


def _unless_left(data: bytes, content: Mapping[str, Any]) -> Refused | None:
    """A decoder that stops before the end says so, and has refused the rest."""
    consumed = int(content["consumed"])
    if consumed == len(data):
        return None
    return Refused("consumed", f"it reads {consumed} of {len(data)} bytes", offset=consumed, foreign=True)


def _decoded(subject: _Subject, tree: Any) -> Reply:
    value = _value(subject.layout, tree, subject.back)
    return value if isinstance(value, Crashed) else Decoded(value)


def _value(layout: MessageLayout, tree: Any, names: Renaming | None = None) -> dict[str, Any] | Crashed:
    try:
        return canonical(layout).from_tree(tree if names is None else names.apply(tree))
    except DecodeError as error:
        return Crashed(NO_VALUE, f"what it decoded is no value of the message: {error}")
