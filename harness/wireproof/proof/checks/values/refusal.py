"""Judgement of a codec's answer to a value that its version cannot hold."""

from wireproof.model.adapter import ENDED, Crashed, Refused, Reply, Unsupported
from wireproof.model.divergence import Divergence
from wireproof.proof.checks.check_table import Check
from wireproof.proof.checks.comparing.divergences import wrong_reply
from wireproof.proof.checks.difference_kinds import ACCEPTED


def judge_refusal(subject: str, path: str, reply: Reply, field: str = "") -> tuple[Divergence, ...]:
    """Judge the answer to a value that the version cannot hold: only an orderly refusal is right.

    Args:
        field: the field at the path, in words.
    """
    if isinstance(reply, Refused | Unsupported):
        return ()
    summary = "a value that this version cannot hold is not refused"
    return (
        wrong_reply(
            Check.REFUSAL, subject, summary, reply, "refuses it", path=path, field=field, otherwise=ACCEPTED
        ),
    )


def judge_ended(subject: str, path: str, reply: Reply, field: str = "") -> tuple[Divergence, ...]:
    """Judge the answer of a codec that promises no refusal: it may do anything except end or hang.

    Args:
        field: the field at the path, in words.
    """
    if not (isinstance(reply, Crashed) and reply.error in ENDED):
        return ()
    summary = "a value that this version cannot hold ends the process or hangs it"
    return (wrong_reply(Check.REFUSAL, subject, summary, reply, "refuses it", path=path, field=field),)
