"""Leniencies: Kafka reads bytes that its protocol forbids. A codec that refuses them is stricter, not wrong.

Each entry has a witness: bytes of a message that Kafka's class reads all the same, which
`tests/oracle/test_leniencies.py` runs in every line.

For a message, the bytes alone show that a refusal is right: `lenient_reader` reads them as Kafka does, finds
Kafka's value, and names the leniencies that this takes. It does not read record sets: there the kind of the
codec's refusal decides, together with the mutation.

The broker answers with UNSUPPORTED_VERSION in the format of version 0, whatever version was requested.
`ApiVersionsResponse.parse` of Kafka reads version 0 if the requested version cannot be read.
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
        data: the bytes in hexadecimal.
    """

    message: str
    version: int
    data: str


@dataclass(frozen=True, slots=True)
class Leniency:
    """A kind of malformed bytes that Kafka accepts.

    Attributes:
        name: a stable name, which events and reports contain.
        summary: what Kafka does with such bytes, in one sentence.
        first: the first line of releases that was seen to do so.
        gone: the later lines whose newest patch does not do so any more.
        explains: the refusals of a codec (for ours, `Fault`), each with the beginnings of the mutations
            that it explains; an empty beginning means all. None if our own codec accepts them, too.
        early: another witness, by line, for lines that do not have the message of `witness` yet.
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
        """Return whether the leniency is about record sets, and not about messages."""
        return self.witness.message == _RECORD_SETS

    def holds(self, release: str) -> bool:
        """Return whether a release of the table has the leniency."""
        line = release_line(release)
        return line >= release_line(self.first) and line not in map(release_line, self.gone)


@cache
def known_leniencies(release: str) -> frozenset[str]:
    """The names of the leniencies that a release has."""
    return frozenset(leniency.name for leniency in LENIENCIES if leniency.holds(release))


def fitting_leniency(leniencies: Set[str], answer: Answer) -> Leniency:
    """Return the leniency, of those that the bytes need, that explains a codec's refusal.

    It is the leniency for the codec's error, if that is one of ours; else one that our codec does not share.
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
"""No class of a single version has this leniency, so it is not in the table of leniencies."""

OTHER_MESSAGE: Final = Leniency(
    "other-message",
    "the class of one message reads its body, whatever message and version the header names",
    LeniencyWitness("MetadataRequest", 0, "0000000e0004000000000007ffff00000000"),
    "2.8",
)
"""The witness is a frame. A codec that chooses the message by the header, as a broker does, refuses it."""

MORE_LENIENCIES: Final = (VERSION_FALLBACK, OTHER_MESSAGE)
"""Leniencies that one class and its bytes cannot show."""


def has_fallback(layout: MessageLayout) -> bool:
    """Return whether an answer to a request of the layout's version may come in the format of version 0."""
    return layout.name == _MESSAGE and layout.version > 0


def begins_fallback(layout: MessageLayout, data: bytes) -> bool:
    """Return whether a client may take the bytes for an answer of version 0: they begin with the error.

    A broker never writes this error in another version, so such bytes are no evidence against a codec that
    falls back to version 0.
    """
    return has_fallback(layout) and data.startswith(_ERROR)
