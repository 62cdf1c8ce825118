"""Judgement of what a codec says of itself: its claims, and its own registry of APIs."""

from collections.abc import Iterator

from kafkawire.schema.layout import MessageLayout
from kafkawire.schema.model import MessageKind
from wireproof.model import Divergence, RegisteredApi
from wireproof.proof.checks.check_table import Check

__all__ = ["judge_claims", "judge_registry"]


def judge_claims(
    subject: str, idle: frozenset[str], unanswered: frozenset[str] = frozenset()
) -> tuple[Divergence, ...]:
    """A divergence for each operation that is claimed and answered nothing right.

    Cases without an answer are reported by themselves: then the claim is not hollow.

    Args:
        idle: those operations.
        unanswered: the checks in which the codec gave no answer in a case of the cell.
    """
    summary = "an operation is claimed, and no case of it was answered right"
    hollow = (each for each in sorted(idle) if not _reporting(each) & unanswered)
    return tuple(Divergence(Check.CLAIM, subject, summary, operation) for operation in hollow)


def _reporting(operation: str) -> frozenset[str]:
    """The checks that report a missing answer of an operation."""
    return frozenset(check for check in Check if operation in check.row.operations)


def judge_registry(layout: MessageLayout, subject: str, registered: RegisteredApi) -> tuple[Divergence, ...]:
    """Judge the entry of the codec's registry for a request or response against Kafka's classes."""
    return tuple(_judge_registry(layout, subject, registered))


def _judge_registry(layout: MessageLayout, subject: str, registered: RegisteredApi) -> Iterator[Divergence]:
    if layout.kind not in (MessageKind.REQUEST, MessageKind.RESPONSE):
        return
    if registered.api_key != layout.api_key:
        summary = "the codec's registry has another api key"
        ours, theirs = f"api key {registered.api_key}", f"api key {layout.api_key}"
        yield Divergence(Check.REGISTRY, subject, summary, codec=ours, oracle=theirs)
    if registered.header_version is not None and registered.header_version != layout.header_version:
        yield Divergence(
            Check.REGISTRY,
            subject,
            "the codec's registry has another header version",
            codec=f"header version {registered.header_version}",
            oracle=f"header version {layout.header_version}",
        )
