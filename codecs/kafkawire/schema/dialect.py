"""Dialects: the schema rules of Kafka's generator at the time of a release, and those of proposals."""

from dataclasses import dataclass, replace
from typing import Final

from kafkawire.schema.rule_table import Severity


@dataclass(frozen=True, slots=True)
class Dialect:
    """The differences between the generators of releases.

    Attributes:
        zk_listener: whether a listener may be ``zkBroker`` (removed in 4.0).
        valid_versions_none: whether `validVersions` may be none (`MessageSpec.hasValidVersion`, since 4.0).
        coordinator_types: whether there are the types coordinator-key and coordinator-value (since 4.0).
        header_versions: whether there is the key `headerVersions`, which KIP-1313 adds.

    For the following, a warning replaces the error if the generator of the release accepts it:

    Attributes:
        trailing_text: whether text may follow the message (Jackson's `FAIL_ON_TRAILING_TOKENS`
            is set since 3.0; `DescribeProducersRequest.json` of 2.8 ends in a stray ``]}``).
        flexible_left_out: whether a message's `flexibleVersions` may be missing, which means none
            (`MessageSpec` wants it since 3.0).
        tagged_struct_versions: whether an inline struct may have its tagged versions only, as any other field
            may (until 3.9; `ReplicaState` in `FetchRequest.json` of 3.5).
        integer_encodings: whether a field may have the key `encoding`, which KIP-625 proposes. The generator
            of every release refuses it as an unknown key.
    """

    zk_listener: bool = False
    valid_versions_none: bool = True
    coordinator_types: bool = True
    header_versions: bool = False
    trailing_text: bool = False
    flexible_left_out: bool = False
    tagged_struct_versions: bool = False
    integer_encodings: bool = False


SINCE_4_0: Final = Dialect()
"""The rules of 4.0 to 4.4."""

TODAY: Final = Dialect(zk_listener=True, header_versions=True)
"""The rules for a file of an unknown release: those of the newest one, with the keys and words that only
older releases or KIP-1313 have."""

KIP_625: Final = replace(TODAY, integer_encodings=True)
"""As `TODAY`, and the `encoding` of integers that KIP-625 proposes."""

BEFORE_4_0: Final = Dialect(
    zk_listener=True, valid_versions_none=False, coordinator_types=False, tagged_struct_versions=True
)
"""The rules of 3.0 to 3.9."""

BEFORE_3_0: Final = replace(BEFORE_4_0, trailing_text=True, flexible_left_out=True)
"""The rules of 2.8 and older."""

_FIRST: Final = (((3, 0), BEFORE_3_0), ((4, 0), BEFORE_4_0))
"""Each dialect, after the first line that no longer has it."""


def dialect_of(release: str) -> Dialect:
    """The dialect that the schema files of a release such as ``2.8.2`` are written in."""
    line = tuple(int(part) for part in release.split(".")[:2])
    return next((dialect for first, dialect in _FIRST if line < first), SINCE_4_0)


def leniently(let_pass: bool) -> Severity:
    """Return the severity of a finding that a dialect allows, or does not."""
    return Severity.WARNING if let_pass else Severity.ERROR
