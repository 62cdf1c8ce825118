"""Dialects: the schema rules of Kafka's generator at the time of a release, and those of proposals."""

from dataclasses import dataclass
from typing import Final

from kafkawire.schema.problems import Severity

__all__ = ["BEFORE_3_0", "BEFORE_3_6", "KIP_625", "TODAY", "Dialect", "dialect_of", "leniently"]


@dataclass(frozen=True, slots=True)
class Dialect:
    """Leniences of an old generator: a warning replaces the error for what it accepted.

    Attributes:
        trailing_text: whether text may follow the message (Jackson's `FAIL_ON_TRAILING_TOKENS`
            is set since 3.0; `DescribeProducersRequest.json` of 2.8 ends in a stray ``]}``).
        flexible_left_out: whether a message's `flexibleVersions` may be missing, which means none
            (`MessageSpec` wants it since 3.0).
        tagged_struct_versions: whether an inline struct may have its tagged versions only, as any other field
            may (`ReplicaState` in `FetchRequest.json` of 3.5; none does since 3.6).
        integer_encodings: whether a field may have the key `encoding`, which KIP-625 proposes. The generator
            of every release refuses it as an unknown key.
    """

    trailing_text: bool = False
    flexible_left_out: bool = False
    tagged_struct_versions: bool = False
    integer_encodings: bool = False


TODAY: Final = Dialect()
"""The rules of the newest release, without leniences."""

KIP_625: Final = Dialect(integer_encodings=True)
"""The rules of the newest release, and the `encoding` of integers that KIP-625 proposes."""

BEFORE_3_6: Final = Dialect(tagged_struct_versions=True)
"""The rules of 3.0 to 3.5."""

BEFORE_3_0: Final = Dialect(trailing_text=True, flexible_left_out=True, tagged_struct_versions=True)
"""The rules of 2.8 and older."""


def dialect_of(release: str) -> Dialect:
    """The dialect that the schema files of a release such as ``2.8.2`` are written in."""
    line = tuple(int(part) for part in release.split(".")[:2])
    if line < (3, 0):
        return BEFORE_3_0
    return BEFORE_3_6 if line < (3, 6) else TODAY


def leniently(let_pass: bool) -> Severity:
    """Return the severity of a finding that a dialect allows, or does not."""
    return Severity.WARNING if let_pass else Severity.ERROR
