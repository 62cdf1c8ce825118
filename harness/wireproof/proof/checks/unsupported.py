"""Replies without anything to judge: the types cannot hold the value, or the operation is not claimed."""

from wireproof.model import Divergence, Unsupported
from wireproof.proof.checks.check_table import Check

__all__ = ["left_out"]


def left_out(check: Check, subject: str, reply: Unsupported) -> tuple[Divergence, ...]:
    """Report that a case was left out by the limit that the codec names; report nothing if the case was
    never to be asked.
    """
    if not reply.reason:
        return ()
    summary = "the codec's types cannot hold the value"
    return (Divergence(check, subject, summary, codec=reply.message, unsupported=reply.reason),)
