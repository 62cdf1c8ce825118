"""Judgement of what a codec says of itself: its claims, and its own registry of APIs."""

from collections.abc import Iterator

from kafkawire.schema.layout import MessageLayout
from kafkawire.schema.model import MessageKind
from wireproof.checks.catalogue import Check
from wireproof.model import Divergence, Registered

__all__ = ["judge_claims", "judge_registry"]


def judge_claims(subject: str, idle: frozenset[str]) -> tuple[Divergence, ...]:
    """A divergence for each operation that is claimed and answered nothing right.

    Args:
        idle: those operations.
    """
    summary = "an operation is claimed, and no case of it was answered right"
    return tuple(Divergence(Check.CLAIM, subject, summary, operation) for operation in sorted(idle))


def judge_registry(layout: MessageLayout, subject: str, told: Registered) -> tuple[Divergence, ...]:
    """What the codec's registry says of a request or response, against Kafka's classes."""
    return tuple(_judge_registry(layout, subject, told))


def _judge_registry(layout: MessageLayout, subject: str, told: Registered) -> Iterator[Divergence]:
    if layout.kind not in (MessageKind.REQUEST, MessageKind.RESPONSE):
        return
    if told.api_key != layout.api_key:
        summary = "the codec's registry has another api key"
        ours, theirs = f"api key {told.api_key}", f"api key {layout.api_key}"
        yield Divergence(Check.REGISTRY, subject, summary, codec=ours, oracle=theirs)
    if told.header_version is not None and told.header_version != layout.header_version:
        yield Divergence(
            Check.REGISTRY,
            subject,
            "the codec's registry has another header version",
            codec=f"header version {told.header_version}",
            oracle=f"header version {layout.header_version}",
        )
