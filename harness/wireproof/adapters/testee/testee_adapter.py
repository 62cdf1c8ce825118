"""Our side of a testee: what of it is claimed, how it is asked, and what it answered right."""

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from kafkawire.primitives import PRIMITIVES
from kafkawire.records import Compression
from kafkawire.schema.layout import MessageLayout
from wireproof.adapters.header_layouts import HeaderLayouts
from wireproof.adapters.testee.field_renaming import Renaming, renaming
from wireproof.adapters.testee.protocol_requests import OPERATIONS, RequestContext, content_of, reply_of
from wireproof.adapters.testee.protocol_values import NoJsonError
from wireproof.adapters.testee.record_set_requests import RECORD_SET, codecs_asked
from wireproof.model import (
    NOT_ASKED,
    SAME_CAUSE,
    VALUES,
    Cell,
    CodecDirection,
    CpuTime,
    Crashed,
    Decode,
    DecodeFrame,
    MessageVersion,
    MutationSite,
    RecordDomain,
    Reencode,
    Refused,
    RegisteredApi,
    Reply,
    Request,
    Unsupported,
)
from wireproof.testees.description.claimed_operations import Claims, Operation
from wireproof.testees.description.hello import Hello
from wireproof.testees.process.peak_memory import PeakMemory
from wireproof.testees.session.protocol_answers import ProtocolAnswer
from wireproof.testees.session.testee_session import TesteeSession

__all__ = ["EMBEDDED", "UNCLAIMED", "UNSENDABLE", "TesteeAdapter"]

LayoutLookup: TypeAlias = Callable[[str, str, int], MessageLayout | None]
"""(release, message, version) -> layout."""

UNCLAIMED: Final = Unsupported("", "not claimed")
"""The reply to what the testee does not claim: there is nothing to judge."""
UNSENDABLE: Final = "no-json"
"""The reason where a value cannot even be said in JSON."""

_MOST_CELLS: Final = 64
"""Cells whose right answers are counted at a time: a cell needs its own and its neighbours'."""

_RIGHT: Final = {operation: MutationSite(operation, "", VALUES) for operation in Operation}
"""The sites of questions about right values and their bytes."""

EMBEDDED: Final = "embedded-"
"""What the names of operations begin with that concern a message in its framing."""


class TesteeAdapter:
    """Asks a testee. Several threads may ask; one waits for the other.

    Args:
        headers: the header layouts of every release that will be asked for.
        layout_in: a message's layout in the release that a testee takes its names from; None where that
            release lacks it.
        name: what it is called in reports, where its own name would not tell it from another.
    """

    def __init__(
        self,
        testee: TesteeSession,
        headers: HeaderLayouts,
        layout_in: LayoutLookup = lambda *_: None,
        name: str = "",
    ) -> None:
        self._testee = testee
        self._name = name
        self._layout_in = layout_in
        self._renamings: dict[MessageLayout, tuple[Renaming | None, Renaming | None]] = {}
        self._headers = headers
        self._lock = threading.Lock()
        self._answered: dict[tuple[str, str, int], Counter[str]] = {}
        self._claimed: Mapping[MessageVersion, frozenset[CodecDirection]] | None = None
        self._not_asked = 0
        self._skipped: Counter[str] = Counter()

    @property
    def name(self) -> str:
        return self._name or self.hello.identity.subject

    @property
    def hello(self) -> Hello:
        """Who the testee is and what it claims."""
        return self._testee.hello()

    @property
    def refuses(self) -> bool:
        """Whether the testee promises to refuse values that a version cannot hold."""
        return self.hello.refuses

    def claimed(self, cell: Cell) -> frozenset[str]:
        """The operations that the testee claims for a cell; those in its framing begin with ``embedded-``."""
        plain = self._claims_for(cell).of(cell.message, cell.version)
        embedded = self.hello.embedded.of(cell.message, cell.version)
        return frozenset(map(str, plain)) | {f"{EMBEDDED}{each}" for each in embedded}

    def ways(self, cell: Cell) -> frozenset[CodecDirection]:
        """The ways that the testee claims for a cell."""
        if cell.message in PRIMITIVES:
            return frozenset(map(CodecDirection, self.claimed(cell)))
        if self._claimed is None:
            self._claimed = self._testee.hello().repertoire.claimed
        return self._claimed.get((cell.message, cell.version), frozenset())

    def idle(self, cell: Cell) -> frozenset[str]:
        """Those of them that answered nothing right since the cell began: claims that no case could try.

        Of record sets each compression is an operation of its own: ``decode/zstd``.
        """
        claims = self.claimed(cell)
        for prefix in ("", EMBEDDED):
            if {f"{prefix}{Operation.DECODE}", f"{prefix}{Operation.ENCODE}"} <= claims:
                claims -= {f"{prefix}{Operation.REENCODE}"}  # what the two prove is not asked a third time
        if cell.message == RECORD_SET:
            codecs = [codec.name.lower() for codec in self.hello.codecs(cell.version)]
            claims = frozenset(f"{operation}/{codec}" for operation in claims for codec in codecs)
        answered = self._answered.get(_key(cell), Counter[str]())
        return frozenset(each for each in claims if not answered[each])

    def record_domain(self, cell: Cell) -> RecordDomain:
        """The record sets that it may be asked for in a cell: of magics for which it claims the same."""
        claims, codecs = self.hello.claims.of(RECORD_SET, cell.version), self.hello.codecs(cell.version)
        magics = (
            magic
            for magic in range(3)
            if claims
            and claims <= self.hello.claims.of(RECORD_SET, magic)
            and codecs - {Compression.ZSTD} <= self.hello.codecs(magic)
        )
        return RecordDomain(frozenset(magics), codecs, self.hello.record_limits)

    @property
    def not_asked(self) -> int:
        """How many questions were not asked, since it had ended too often; `answers` does not count."""
        return self._not_asked

    @property
    def skipped(self) -> Mapping[str, int]:
        """How many were skipped, by the case that ended it for the same cause; `answers` does not count."""
        return self._skipped

    def registered(self, cell: Cell) -> RegisteredApi | None:
        """What the testee's own registry says of the cell's message at its version."""
        for entry in self.hello.registry:
            for direction in (entry.request, entry.response):
                if direction is not None and direction.message == cell.message:
                    return RegisteredApi(entry.api_key, direction.headers.get(cell.version))
        return None

    def known_versions(self, message: str) -> frozenset[int]:
        """The versions of a message that the testee claims, has, or gives a reason for, of any release."""
        codec = self.hello.repertoire
        places = {*codec.has, *codec.claimed, *codec.reasons}
        return frozenset(version for name, version in places if name == message)

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
        self.left_out(replies)
        return replies

    def left_out(self, replies: Iterable[object]) -> None:
        """Count what of some replies was not asked."""
        left = [each for each in replies if isinstance(each, Unsupported)]
        self._not_asked += sum(each.reason == NOT_ASKED for each in left)
        self._skipped.update(each.message for each in left if each.reason == SAME_CAUSE)

    def answers(
        self,
        cell: Cell,
        layout: MessageLayout,
        requests: Sequence[Request],
        header: MessageLayout | None = None,
    ) -> list[Reply]:
        """What `ask` gives, for those who count by themselves what was not asked."""
        if header is None and layout.header_version is not None:
            header = self._headers.get((cell.release, layout.kind, layout.header_version))
        subject = RequestContext(cell, layout, header, *self.renaming(layout), self.hello.whole)
        return self._ask(subject, [self._claimed_form(cell, request) for request in requests])

    def _ask(self, subject: RequestContext, requests: Sequence[Request | None]) -> list[Reply]:
        cell = subject.cell
        replies: list[Reply] = [UNCLAIMED] * len(requests)
        asked: list[tuple[int, Request]] = []
        questions: list[str] = []
        for index, request in enumerate(requests):
            if request is None:
                continue
            try:
                content = content_of(subject, request)
            except NoJsonError as error:
                replies[index] = Unsupported(UNSENDABLE, str(error))
                continue
            asked.append((index, request))
            questions.append(f"{_about(cell, request)},{content}")
        sites = [_site(request) for _, request in asked]
        for (index, request), answer in zip(asked, self.exchange(cell, questions, sites), strict=True):
            replies[index] = reply_of(subject, request, answer)
            if not isinstance(replies[index], Refused | Crashed | Unsupported):
                self.count(cell, _operations(cell, request))
        return replies

    def ask_anyway(self, cell: Cell, layout: MessageLayout, requests: Sequence[Request]) -> list[Reply]:
        """Answer each request for a cell, claimed or not.

        Raises:
            TesteeError: it does not start any more.
        """
        return self._ask(
            RequestContext(cell, layout, None, *self.renaming(layout), self.hello.whole), requests
        )

    def exchange(
        self, cell: Cell, questions: Sequence[str], sites: Sequence[MutationSite | None] = ()
    ) -> list[ProtocolAnswer]:
        """The answers to questions about a cell.

        Args:
            sites: of malformed bytes what was done to them and where.

        Raises:
            TesteeError: it does not start any more.
        """
        with self._lock:
            self._begin(cell)
            return self._testee.ask(questions, sites)

    def end(self) -> bool:
        """End the process, in order or not: the next question is the first of a new one."""
        with self._lock:
            return self._testee.stop()

    def weigh(self, *, begin: bool = False) -> PeakMemory | None:
        """The peak of its memory since `begin` was last given; None where it has no process of its own."""
        weigh = getattr(self._testee, "measure_peak", None)
        found: PeakMemory | None = None if weigh is None else weigh(begin=begin)
        return found

    def spent(self) -> CpuTime | None:
        """Its processor time so far; None where nobody can tell at no cost."""
        spent = getattr(self._testee, "cpu_time", None)
        found: CpuTime | None = None if spent is None else spent()
        return found

    def count(self, cell: Cell, operations: Iterable[str]) -> None:
        """Keep that these were answered right once more."""
        self._answered.setdefault(_key(cell), Counter()).update(operations)

    def _begin(self, cell: Cell) -> None:
        """Whatever a testee did to a cell before, another one begins anew."""
        if _key(cell) not in self._answered:
            if len(self._answered) >= _MOST_CELLS:
                del self._answered[next(iter(self._answered))]  # the oldest: this one's neighbours stay
            self._answered[_key(cell)] = Counter()
            self._testee.begin_cell()

    def renaming(self, layout: MessageLayout) -> tuple[Renaming | None, Renaming | None]:
        """What has to be renamed on the way to the testee, and on the way back."""
        release = self.hello.names
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
        claims = self._claims_for(cell)

        def claimed(operation: Operation) -> bool:
            return claims.has(operation, cell.message, cell.version)

        if claimed(OPERATIONS[type(request)]):
            return request
        if isinstance(request, Decode) and claimed(Operation.REENCODE):
            return Reencode(request.data, request.site)
        return None

    def _claims_for(self, cell: Cell) -> Claims:
        """Those that a cell is among; the names of messages and primitives are unique."""
        return self.hello.primitives if cell.message in PRIMITIVES else self.hello.claims


def _key(cell: Cell) -> tuple[str, str, int]:
    """What is counted together; the names of messages are unique over modules."""
    return cell.release, cell.message, cell.version


def _site(request: Request) -> MutationSite:
    """What was done to the bytes of a request; its operation where they are right, or there are none."""
    site = request.site if isinstance(request, Decode | Reencode | DecodeFrame) else None
    return site or _RIGHT[OPERATIONS[type(request)]]


def _about(cell: Cell, request: Request) -> str:
    """The members of a question that say what it is about: of a primitive what is asked says which way."""
    if cell.message in PRIMITIVES:
        return f'"op":"primitive","type":"{cell.message}"'
    operation = OPERATIONS[type(request)]
    return f'"op":"{operation}","message":"{cell.message}","version":{cell.version}'


def _operations(cell: Cell, request: Request) -> Iterable[str]:
    """What a right answer counts for."""
    operation = OPERATIONS[type(request)]
    if cell.message != RECORD_SET:
        return (operation,)
    return [f"{operation}/{codec}" for codec in codecs_asked(request)]
