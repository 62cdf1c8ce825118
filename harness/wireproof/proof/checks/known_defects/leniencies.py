"""Leniencies: Kafka reads bytes that its protocol forbids. A codec that refuses them is stricter, not wrong.

Each entry has a witness: bytes of a message that Kafka's class reads all the same, which
`tests/oracle/test_leniencies.py` runs in every line.

That a refusal of a message is right is shown by the bytes alone: `lax_reading` reads them as Kafka does,
comes to Kafka's value, and names what had to be let pass. For record sets, which it does not read, the
codec's own word is taken: the kind of its refusal, together with what was done.

The broker answers with UNSUPPORTED_VERSION in the format of version 0, whatever version was asked for.
`ApiVersionsResponse.parse` of Kafka reads version 0 where the requested version cannot be read.
"""

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Final

from kafkawire.schema.layout import MessageLayout
from wireproof.base.text.parsing import parse_toml
from wireproof.model.kafka.releases import release_line
from wireproof.model.malformed_input import Answer, Mutation


@dataclass(frozen=True, slots=True)
class LeniencyWitness:
    """Malformed bytes that Kafka reads.

    Attributes:
        message, version: the class, in every release that is named; ``RecordBatch`` and a magic for a
            record set.
        data: hex.
    """

    message: str
    version: int
    data: str


@dataclass(frozen=True, slots=True)
class Leniency:
    """A kind of malformed bytes that Kafka takes.

    Attributes:
        name: stable; events and reports hold it.
        summary: what Kafka does with them, one sentence.
        first: the first line that was seen to do so.
        gone: the lines after it whose newest patch does not do so any more.
        explains: the refusals of a codec (for ours, `Fault`), each with the beginnings of the mutations
            that it explains; an empty one means all. None where our own codec does as Kafka does.
        early: by line, the witness for those that have not the message of the other one yet.
    """

    name: str
    summary: str
    witness: LeniencyWitness
    first: str
    explains: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    gone: tuple[str, ...] = ()
    early: Mapping[str, LeniencyWitness] = field(default_factory=dict)

    @property
    def of_record_sets(self) -> bool:
        """Return whether it is one of record sets: messages have the others."""
        return self.witness.message == _RECORD_SETS

    def holds(self, release: str) -> bool:
        """Return whether a release of the table has it."""
        line = release_line(release)
        return line >= release_line(self.first) and line not in map(release_line, self.gone)


@cache
def known_leniencies(release: str) -> frozenset[str]:
    """The names of the leniencies that a release has."""
    return frozenset(leniency.name for leniency in LENIENCIES if leniency.holds(release))


def fitting_leniency(leniencies: Set[str], answer: Answer) -> Leniency:
    """Return the leniency, of those that the bytes need, that explains a codec's refusal.

    The one that fits the codec's own words, where it uses ours; else one that our codec does not share.
    """
    met = [leniency for leniency in LENIENCIES if leniency.name in leniencies]
    fitting = [leniency for leniency in met if answer.error in leniency.explains]
    return (fitting or [leniency for leniency in met if leniency.explains] or met)[0]


def record_set_leniency(release: str, mutation: Mutation, answer: Answer) -> Leniency | None:
    """Return the leniency by which Kafka reads a mutated record set that a codec refuses, if any."""
    return next(
        (
            leniency
            for leniency in LENIENCIES
            if leniency.of_record_sets
            and leniency.holds(release)
            and mutation.operator.startswith(leniency.explains.get(answer.error, ()))
        ),
        None,
    )


_RECORD_SETS: Final = "RecordBatch"


def _leniency(row: Mapping[str, Any]) -> Leniency:
    explains = {error: tuple(operators) for error, operators in row.get("explains", {}).items()}
    early = {line: LeniencyWitness(**each) for line, each in row.get("early", {}).items()}
    columns = {**row, "explains": explains, "gone": tuple(row.get("gone", ())), "early": early}
    return Leniency(**{**columns, "witness": LeniencyWitness(**row["witness"])})


_TEXT: Final = files(__package__).joinpath("leniencies.toml").read_text(encoding="utf-8")
LENIENCIES: Final[tuple[Leniency, ...]] = tuple(map(_leniency, parse_toml(_TEXT)["leniency"]))


_MESSAGE: Final = "ApiVersionsResponse"
UNSUPPORTED_VERSION: Final = 35
_ERROR: Final = UNSUPPORTED_VERSION.to_bytes(2)

LEFT_OUT: Final = "the codec may read these bytes as version 0; whether it does is a case of its own"

VERSION_FALLBACK: Final = Leniency(
    "version-fallback",
    "an ApiVersionsResponse that its version cannot read is read as version 0 (KIP-511)",
    LeniencyWitness(_MESSAGE, 3, "002300000000"),
    "2.8",
)
"""Kafka's class of a single version does not do it, so the table of leniencies has no place for it."""

OTHER_MESSAGE: Final = Leniency(
    "other-message",
    "the class of one message reads its body, whatever message and version the header names",
    LeniencyWitness("MetadataRequest", 0, "0000000e0004000000000007ffff00000000"),
    "2.8",
)
"""The witness is a frame. A codec that chooses the message by the header, as a broker does, refuses it."""

MORE_LENIENCIES: Final = (VERSION_FALLBACK, OTHER_MESSAGE)
"""Leniencies that no single class and its bytes can show."""


def has_fallback(layout: MessageLayout) -> bool:
    """Return whether an answer to a request of the layout's version may come in the format of version 0."""
    return layout.name == _MESSAGE and layout.version > 0


def begins_fallback(layout: MessageLayout, data: bytes) -> bool:
    """Return whether a client may take bytes for an answer of version 0: they begin with the error.

    A broker never writes this error in another version, so bytes of such a value prove nothing against a
    codec that falls back.
    """
    return has_fallback(layout) and data.startswith(_ERROR)
