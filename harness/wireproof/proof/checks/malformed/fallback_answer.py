"""Judgement of a codec that reads the answer of a broker which lacks the requested version (KIP-511)."""

from dataclasses import replace

from kafkawire.schema.layout import MessageLayout
from wireproof.model import Crashed, MalformedVerdict, OracleValue, Refused, Reply
from wireproof.proof.checks.check_table import Check
from wireproof.proof.checks.known_defects.api_versions_fallback import VERSION_FALLBACK
from wireproof.proof.checks.malformed.mutated_bytes import JudgedMutation
from wireproof.proof.checks.values.message_value import judge_instance

__all__ = ["judge_fallback"]


def judge_fallback(
    layout: MessageLayout, subject: str, expected: OracleValue, reply: Reply
) -> JudgedMutation:
    """A codec's answer: Kafka's value, or a refusal by a codec that reads one version only.

    Args:
        layout: of the requested version.
        expected: the bytes, and what `ApiVersionsResponse.parse` reads there in the layout's canonical form.
    """
    if isinstance(reply, Refused) and reply.read is None:
        return JudgedMutation(MalformedVerdict.STRICTER, VERSION_FALLBACK)
    found = [
        replace(each, summary=f"a version 0 answer to a request of version {layout.version}: {each.summary}")
        for each in judge_instance(layout, subject, expected, reply, None)
        if each.check == Check.DECODE
    ]
    if not found:
        return JudgedMutation(MalformedVerdict.AGREE)
    verdict = MalformedVerdict.CRASH if isinstance(reply, Crashed) else MalformedVerdict.DIFFERENT
    return JudgedMutation(verdict, None, found[0], fails=True)
