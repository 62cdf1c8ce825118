"""A variation: one thing that the protocol allows to be otherwise in an answer, or on its way."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from random import Random
from typing import Final, TypeAlias

from wireproof.traffic.capture.proxy.paced_relay_end import Piece
from wireproof.traffic.capture.variations.answer import BrokerAnswer

__all__ = ["OFFER_SLOT", "Change", "Family", "Pace", "Variation"]

OFFER_SLOT: Final = "offer"
"""Features, and refusals of ApiVersions: a refusal has no features that another variation could show."""


class Family(StrEnum):
    """A part of the catalogue."""

    TAGS = "tags"
    VALUES = "values"
    RECORDS = "records"
    STREAM = "stream"
    VERSIONS = "versions"
    ERRORS = "errors"


Change: TypeAlias = Callable[[BrokerAnswer, Random], BrokerAnswer | None]
"""Returns the varied answer; None where the variation does not apply."""

Pace: TypeAlias = Callable[[bytes, Random, bool], Sequence[Piece] | None]
"""Frame, random numbers and whether no other request waits, to the pieces; None where it does not apply."""


@dataclass(frozen=True, slots=True)
class Variation:
    """A row of the catalogue.

    Attributes:
        id: the name on the command line and in reports; begins with its family's word.
        sentence: what is otherwise.
        source: the KIP, schema or class of Kafka that allows it.
        change: varies the values of an answer.
        pace: varies the way of the bytes.
        slot: variations of one slot exclude each other in a run; ``""`` for one that goes with all.
    """

    id: str
    family: Family
    sentence: str
    source: str
    change: Change | None = field(default=None, repr=False)
    pace: Pace | None = field(default=None, repr=False)
    slot: str = ""
