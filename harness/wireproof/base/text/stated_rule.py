"""The base of enums whose members are rules in words."""

from enum import StrEnum
from typing import Self


class StatedRule(StrEnum):
    """A rule. Its value is its id, which is stable: reports, event files and ``wireproof explain`` have it.

    Attributes:
        sentence: what the rule demands.
        source: the KIP, document or class of Kafka that states it; empty if it is wireproof's own.
        gate: the setting of a cluster that holds writers back; empty if the rule needs none.
    """

    sentence: str
    source: str
    gate: str

    def __new__(cls, value: str, sentence: str = "", source: str = "", gate: str = "") -> Self:
        member = str.__new__(cls, value)
        member._value_ = value
        member.sentence, member.source, member.gate = sentence, source, gate
        return member
