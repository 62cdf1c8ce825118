"""Cases with their bytes, valid or mutated, of messages and of whole frames, and the cell under test."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from kafkawire.canonical import canonical
from kafkawire.errors import CodecError
from kafkawire.records import RecordSet, to_canonical
from kafkawire.schema.layout import MessageLayout
from wireproof.model.adapter import Adapter, Claimant, ClaimExercise
from wireproof.model.case_source import CaseSource, RecordCase, RecordDomain
from wireproof.model.cell import Case, Cell, Phase
from wireproof.model.divergence import Divergence
from wireproof.model.kafka.releases import release_line
from wireproof.model.malformed_input import Mutation
from wireproof.model.oracle import Oracle, OracleError, OracleReply, OracleValue
from wireproof.proof.checks.check_table import Check


@dataclass(frozen=True, slots=True)
class CellTarget:
    """The cell under test: its layout, the codecs and the oracle.

    Attributes:
        authority: the oracle; None in a run without Java.
        exercise: the claims that were tried with values or bytes of the oracle.
    """

    cell: Cell
    layout: MessageLayout
    adapters: Sequence[Adapter]
    authority: Oracle | None
    exercise: ClaimExercise = field(default_factory=lambda: ClaimExercise(frozenset()))

    @property
    def oracle(self) -> Oracle:
        """The oracle of the cell's release.

        Raises:
            OracleError: the run has none.
        """
        if self.authority is None:
            raise OracleError("this run has no Java, and so no oracle to ask", "Leave --no-java out.")
        return self.authority

    @property
    def record_domain(self) -> RecordDomain:
        """The record sets that the codecs of a cell of the module ``records`` may be asked for.

        All sets if there are several codecs, each of which is asked for its own sets: see `domain_of`.
        """
        return self.domain_of(self.adapters[0]) if len(self.adapters) == 1 else RecordDomain()

    def domain_of(self, adapter: object) -> RecordDomain:
        """The record sets that a codec may be asked for in the cell."""
        return adapter.record_domain(self.cell) if isinstance(adapter, Claimant) else RecordDomain()

    def asks(self, phase: Phase) -> bool:
        """True if a codec can be asked in the phase: some claim only to frame a cell's message."""
        if phase in (Phase.SHAPE, Phase.EMBEDDED) or not self.adapters:
            return True
        return any(
            not isinstance(each, Claimant)
            or any(not claim.startswith("embedded-") for claim in each.claimed(self.cell))
            for each in self.adapters
        )


@dataclass(frozen=True, slots=True)
class PreparedCase:
    """A case with the canonical binary of its value, or the reason why it has none."""

    case: Case
    expected: bytes
    problem: Divergence | None = None


@dataclass(frozen=True, slots=True)
class ProvenBatch:
    """A batch whose cases are all proven.

    Attributes:
        items: the cases, of the release that was asked first.
        bodies: the bytes that the codecs wrote, each once.
        reread: the oracle's answers for those bytes.
    """

    items: Sequence[PreparedCase]
    written: Sequence[OracleReply]
    bodies: Sequence[bytes]
    reread: Sequence[OracleReply]


def prepare(layout: MessageLayout, case: Case) -> PreparedCase:
    """The canonical binary of a case's value."""
    try:
        return PreparedCase(case, canonical(layout).to_binary(case.value))
    except CodecError as error:
        return PreparedCase(case, b"", without_form("value", error))


def without_form(kind: str, error: CodecError) -> Divergence:
    """The divergence of a valid value that has no canonical form."""
    summary = f"a valid {kind} has no canonical form"
    return Divergence(Check.CANONICAL, "layout", summary, error.path, codec=str(error))


def binary_or_none(layout: MessageLayout, value: dict[str, Any]) -> bytes | None:
    """The canonical binary of a value that a codec decoded; None if it is not a value of the layout."""
    try:
        return canonical(layout).to_binary(value)
    except CodecError:
        return None


@dataclass(frozen=True, slots=True)
class MutatedCase:
    """A mutation of a named base, and its bytes.

    Attributes:
        framed: whether the bytes are a whole frame.
        entry: the line of the corpus that it comes from; empty if the run made it.
    """

    name: str
    mutation: Mutation
    data: bytes
    framed: bool = False
    entry: str = ""


FULLEST = "message/fullest"
"""The enumerated case that has every field off its default."""

SMALL_BYTES = 512
"""Headers up to this size are framed with every cell; larger ones are tried in the header's own cell."""

HEADER_CASES: Final = "header-"
"""The prefix of the names of frames that differ only in their headers."""


def header_cases(
    source: CaseSource, cell: Cell, layout: MessageLayout, header_layout: MessageLayout
) -> Iterator[Case]:
    """Frames that differ in their headers, and one with the fullest body."""
    fixed = header_identity(cell, layout, header_layout)
    for case in source.enumerated(header_cell(cell, header_layout), header_layout):
        item = prepare(header_layout, case)
        if item.problem is None and len(item.expected) <= SMALL_BYTES:
            yield Case(cell, Phase.FRAME, f"{HEADER_CASES}{case.name}", {}, {**case.value, **fixed})
    fullest = next((case for case in source.enumerated(cell, layout) if case.name == FULLEST), None)
    if fullest is not None:
        yield Case(cell, Phase.FRAME, f"body-{FULLEST}", fullest.value, fixed)


def header_identity(cell: Cell, layout: MessageLayout, header_layout: MessageLayout) -> dict[str, Any]:
    """The header fields that identify the message after it."""
    identity = {"requestApiKey": layout.api_key, "requestApiVersion": cell.version}
    known = {field.name for field in header_layout.root.fields}
    return {name: value for name, value in identity.items() if name in known}


def header_cell(cell: Cell, header_layout: MessageLayout) -> Cell:
    """The cell of a header's layout."""
    return Cell(cell.release, cell.module, header_layout.name, header_layout.version)


def made_by_kafka(oracle: Oracle, release: str, cases: Sequence[RecordCase]) -> list[list[OracleReply]]:
    """Kafka's bytes of each set, from its builder and from its writers of parts, if they can make the set."""
    made: list[list[OracleReply]] = [[] for _ in cases]
    for parts in (False, True):
        able = [
            index
            for index, case in enumerate(cases)
            if case.foreign is None and (case.parts if parts else case.builder) and is_known(release, case)
        ]
        forms = [to_canonical(cases[index].records, written=True) for index in able]
        for index, reply in zip(able, oracle.write_records(forms, parts=parts), strict=True):
            made[index].append(reply)
    return made


def first_made(made: Sequence[OracleReply], records: RecordSet) -> bytes | None:
    """Kafka's bytes of a set; None if Kafka does not write it."""
    return next((data for each in made if (data := with_tail(each, records)) is not None), None)


def is_known(release: str, case: RecordCase) -> bool:
    """True if the release knows every feature of the set; else it can only read it."""
    return case.since <= release_line(release)


def with_tail(reply: OracleReply, records: RecordSet) -> bytes | None:
    """Kafka's bytes of a set with the bytes after its last batch; None if Kafka did not write it."""
    return reply.written + records.tail if isinstance(reply, OracleValue) else None
