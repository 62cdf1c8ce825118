"""The adapter of a testee: its claims, the requests that it gets, and the count of its right answers."""

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Final

from kafkawire.primitives import PRIMITIVES
from kafkawire.records import Compression
from kafkawire.schema.layout import MessageLayout
from wireproof.model.adapter import (
    NOT_ASKED,
    SAME_CAUSE,
    Crashed,
    Decode,
    HeaderLayouts,
    Reencode,
    Refused,
    RegisteredApi,
    Reply,
    ReplyObserver,
    Request,
    Unsupported,
)
from wireproof.model.case_source import CpuTime, RecordDomain
from wireproof.model.cell import Cell
from wireproof.model.codec_ends import MutationSite
from wireproof.model.repertoire import CodecDirection, MessageVersion
from wireproof.proof.adapters.testee.protocol_requests import (
    OPERATIONS,
    RequestContext,
    content_of,
    reply_of,
    site_of,
    target_members,
)
from wireproof.proof.adapters.testee.protocol_values import (
    MAX_LAYOUTS,
    LayoutLookup,
    NoJsonError,
    Renaming,
    renaming_both_ways,
)
from wireproof.proof.adapters.testee.record_values import (
    RECORD_SET,
    RecordValues,
    codecs_of_request,
    holds_records,
)
from wireproof.proof.testees.description.claimed_operations import Claims, Operation
from wireproof.proof.testees.description.hello import Hello
from wireproof.proof.testees.limits.watchdog import PeakMemory
from wireproof.proof.testees.session.testee_session import ProtocolAnswer, TesteeSession

UNCLAIMED: Final = Unsupported("", "not claimed")
"""The reply to a request that the testee does not claim."""
UNSENDABLE: Final = "no-json"
"""The reason if a value cannot be written as JSON."""

_MAX_CELLS: Final = 64
"""Most cells whose right answers are counted at a time: a cell needs its own counts and its neighbours'."""

EMBEDDED: Final = "embedded-"
"""The prefix of the names of operations on a message in its framing."""


class TesteeAdapter:
    """Sends requests to a testee. Several threads may use it; they wait for each other.

    Args:
        headers: the header layouts of every release of the requests.
        layout_in: returns a message's layout in the release whose names a testee uses; None if that release
            lacks it.
        name: its name in reports, if its own name would be ambiguous.
        observer: gets each reply before the caller does; None for no observer.
    """

    def __init__(
        self,
        testee: TesteeSession,
        headers: HeaderLayouts,
        layout_in: LayoutLookup = lambda *_: None,
        name: str = "",
        observer: ReplyObserver | None = None,
    ) -> None:
        self._testee = testee
        self._name = name
        self._observer = observer
        self._renamings = lru_cache(MAX_LAYOUTS)(partial(renaming_both_ways, layout_in))
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
        """The testee's identity and claims."""
        return self._testee.hello()

    @property
    def refuses(self) -> bool:
        """The testee promises to refuse values that a version cannot hold."""
        return self.hello.refuses

    def claimed(self, cell: Cell) -> frozenset[str]:
        """Return the operations that the testee claims for a cell; those on framings have ``embedded-``."""
        plain = self._claims_for(cell).of(cell.message, cell.version)
        embedded = self.hello.embedded.of(cell.message, cell.version)
        return frozenset(map(str, plain)) | {f"{EMBEDDED}{each}" for each in embedded}

    def ways(self, cell: Cell) -> frozenset[CodecDirection]:
        """Return the directions that the testee claims for a cell."""
        if cell.message in PRIMITIVES:
            return frozenset(map(CodecDirection, self.claimed(cell)))
        if self._claimed is None:
            self._claimed = self._testee.hello().repertoire.claimed
        return self._claimed.get((cell.message, cell.version), frozenset())

    def idle(self, cell: Cell) -> frozenset[str]:
        """Return the claimed operations without a right answer in the cell.

        For record sets each compression is a separate operation: ``decode/zstd``.
        """
        claims = self.claimed(cell)
        for prefix in ("", EMBEDDED):
            if {f"{prefix}{Operation.DECODE}", f"{prefix}{Operation.ENCODE}"} <= claims:
                claims -= {f"{prefix}{Operation.REENCODE}"}  # decode and encode prove it, too
        if cell.message == RECORD_SET:
            codecs = [codec.name.lower() for codec in self.hello.codecs(cell.version)]
            claims = frozenset(f"{operation}/{codec}" for operation in claims for codec in codecs)
        answered = self._answered.get(_key(cell), Counter[str]())
        return frozenset(each for each in claims if not answered[each])

    def record_domain(self, cell: Cell) -> RecordDomain:
        """Return the record sets that it can handle in a cell: of magics with the same claims."""
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
        """The number of requests not sent, because the testee had ended too often; `answers` counts none."""
        return self._not_asked

    @property
    def skipped(self) -> Mapping[str, int]:
        """The number of skipped requests by the case with the same cause; `answers` counts none."""
        return self._skipped

    def registered(self, cell: Cell) -> RegisteredApi | None:
        """Return the entry of the testee's own registry for the cell's message at its version."""
        for entry in self.hello.registry:
            for direction in (entry.request, entry.response):
                if direction is not None and direction.message == cell.message:
                    return RegisteredApi(entry.api_key, direction.headers.get(cell.version))
        return None

    def known_versions(self, message: str) -> frozenset[int]:
        """Return the versions of a message that the testee claims, has, or gives a reason for."""
        codec = self.hello.repertoire
        versions = {*codec.has, *codec.claimed, *codec.reasons}
        return frozenset(version for name, version in versions if name == message)

    def ask(
        self,
        cell: Cell,
        layout: MessageLayout,
        requests: Sequence[Request],
        header: MessageLayout | None = None,
    ) -> list[Reply]:
        """Answer each request for the cell, in order.

        The reply is `UNCLAIMED` for what the testee does not claim, and a crash for a request that ends it,
        hangs it or makes it violate the protocol.

        Args:
            header: the layout of the header in frames; None for that of the cell's release.

        Raises:
            TesteeError: it does not start any more.
        """
        replies = self.answers(cell, layout, requests, header)
        self.count_skipped(replies)
        return replies

    def count_skipped(self, replies: Iterable[object]) -> None:
        """Count the requests that were not sent, by their replies."""
        unsupported = [each for each in replies if isinstance(each, Unsupported)]
        self._not_asked += sum(each.reason == NOT_ASKED for each in unsupported)
        self._skipped.update(each.message for each in unsupported if each.reason == SAME_CAUSE)

    def answers(
        self,
        cell: Cell,
        layout: MessageLayout,
        requests: Sequence[Request],
        header: MessageLayout | None = None,
    ) -> list[Reply]:
        """Answer like `ask`, without counting the requests that were not sent."""
        if header is None and layout.header_version is not None:
            header = self._headers.get((cell.release, layout.kind, layout.header_version))
        context = self._context(cell, layout, header)
        return self._ask(context, [self._claimed_form(cell, request) for request in requests])

    def _context(self, cell: Cell, layout: MessageLayout, header: MessageLayout | None) -> RequestContext:
        parsed = self.hello.record_values and holds_records(layout)
        records = RecordValues(layout, self.hello) if parsed else None
        return RequestContext(cell, layout, header, *self.renaming_of(layout), self.hello.whole, records)

    def _ask(self, context: RequestContext, requests: Sequence[Request | None]) -> list[Reply]:
        cell = context.cell
        replies: list[Reply] = [UNCLAIMED] * len(requests)
        sent: list[tuple[int, Request]] = []
        requests_text: list[str] = []
        for index, request in enumerate(requests):
            asked = request if request is None or context.records is None else context.records.asked(request)
            if request is None or asked is None:
                continue
            if isinstance(asked, Unsupported):
                replies[index] = asked
                continue
            try:
                content = content_of(context, asked)
            except NoJsonError as error:
                replies[index] = Unsupported(UNSENDABLE, str(error))
                continue
            sent.append((index, request))
            requests_text.append(f"{target_members(cell, request)},{content}")
        sites = [site_of(request) for _, request in sent]
        for (index, request), answer in zip(sent, self.exchange(cell, requests_text, sites), strict=True):
            replies[index] = reply_of(context, request, answer)
            if self._observer is not None:
                at = context.layout
                at = at if at.version == cell.version else replace(at, version=cell.version)
                replies[index] = self._observer.settle(
                    at, context.header, request, replies[index], whole=context.whole
                )
            if not isinstance(replies[index], Refused | Crashed | Unsupported):
                self.count(cell, _counted_operations(cell, request))
        return replies

    def ask_anyway(self, cell: Cell, layout: MessageLayout, requests: Sequence[Request]) -> list[Reply]:
        """Answer each request for a cell, claimed or not.

        Raises:
            TesteeError: it does not start any more.
        """
        return self._ask(self._context(cell, layout, None), requests)

    def exchange(
        self, cell: Cell, requests_text: Sequence[str], sites: Sequence[MutationSite | None] = ()
    ) -> list[ProtocolAnswer]:
        """Return the answers to requests for a cell.

        Args:
            requests_text: the JSON text of each from its second member on.
            sites: the mutation of each request with malformed bytes, and its place.

        Raises:
            TesteeError: it does not start any more.
        """
        with self._lock:
            self._begin_cell(cell)
            return self._testee.ask(requests_text, sites)

    def end(self) -> bool:
        """End the process: the next request is the first of a new one. Return whether it ended in order."""
        with self._lock:
            return self._testee.stop()

    def measure_peak(self, *, begin: bool = False) -> PeakMemory | None:
        """Return the peak of its memory since the last `begin`; None if it has no process of its own."""
        measure = getattr(self._testee, "measure_peak", None)
        found: PeakMemory | None = None if measure is None else measure(begin=begin)
        return found

    def spent(self) -> CpuTime | None:
        """Return its processor time so far; None if there is no cheap clock for it."""
        read = getattr(self._testee, "cpu_time", None)
        found: CpuTime | None = None if read is None else read()
        return found

    def count(self, cell: Cell, operations: Iterable[str]) -> None:
        """Count a right answer of each operation."""
        self._answered.setdefault(_key(cell), Counter()).update(operations)

    def _begin_cell(self, cell: Cell) -> None:
        """Begin the counts of a cell, and its limits of ends and time, unless it is known."""
        if _key(cell) not in self._answered:
            if len(self._answered) >= _MAX_CELLS:
                del self._answered[next(iter(self._answered))]  # the oldest cell: this one's neighbours stay
            self._answered[_key(cell)] = Counter()
            self._testee.begin_cell()

    def renaming_of(self, layout: MessageLayout) -> tuple[Renaming | None, Renaming | None]:
        """Return the renaming of fields in requests to the testee, and in its answers."""
        release = self.hello.names
        return self._renamings(release, layout) if release else (None, None)

    def _claimed_form(self, cell: Cell, request: Request) -> Request | None:
        """Return the request in a form that the testee claims; None if it claims none.

        A codec without values decodes by encoding again.
        """
        claims = self._claims_for(cell)

        def claimed(operation: Operation) -> bool:
            return claims.has(operation, cell.message, cell.version)

        if claimed(OPERATIONS[type(request)]):
            return request
        if isinstance(request, Decode) and claimed(Operation.REENCODE):
            return Reencode(request.data, request.site)
        return None

    def _claims_for(self, cell: Cell) -> Claims:
        """Return the claims for a cell's kind; the names of messages and primitives are unique."""
        return self.hello.primitives if cell.message in PRIMITIVES else self.hello.claims


def _key(cell: Cell) -> tuple[str, str, int]:
    """Return the key of a cell's counts; the names of messages are unique over modules."""
    return cell.release, cell.message, cell.version


def _counted_operations(cell: Cell, request: Request) -> Iterable[str]:
    """Return the operations that a right answer counts for."""
    operation = OPERATIONS[type(request)]
    if cell.message != RECORD_SET:
        return (operation,)
    return [f"{operation}/{codec}" for codec in codecs_of_request(request)]


_MAX_PROCESSES: Final = 4
"""Processes at a time: each may take as much memory as a virtual machine."""


@dataclass(slots=True)
class _Process:
    adapter: TesteeAdapter
    seen: set[str] = field(default_factory=set)


class ColdStartTestee:
    """An adapter that sends a message's first request to a process that has seen no version of it.

    Args:
        make: makes an adapter with a process of its own, which starts at its first request.
    """

    def __init__(self, make: Callable[[], TesteeAdapter]) -> None:
        self._make = make
        self._processes: list[_Process] = []

    @property
    def name(self) -> str:
        if not self._processes:
            self._processes.append(_Process(self._make()))
        return self._processes[0].adapter.name

    def ask(self, cell: Cell, layout: MessageLayout, requests: Sequence[Request]) -> list[Reply]:
        """Answer each request for the cell, in order; the first is its process's first for the message.

        Raises:
            TesteeError: a process does not start.
        """
        process = self._process_without(cell.message)
        self._processes.remove(process)
        self._processes.append(process)
        process.seen.add(cell.message)
        return process.adapter.ask(cell, layout, requests)

    def _process_without(self, message: str) -> _Process:
        for process in self._processes:
            if message not in process.seen:
                return process
        if len(self._processes) < _MAX_PROCESSES:
            self._processes.append(_Process(self._make()))
            return self._processes[-1]
        oldest = self._processes[0]
        oldest.adapter.end()
        oldest.seen.clear()
        return oldest
