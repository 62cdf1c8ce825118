"""Answers of version 0 to an ApiVersions request of a later version (KIP-511), as a case of their own."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from kafkawire.canonical import canonical
from wireproof.model.adapter import Adapter, Decode, Reencoded, Unsupported
from wireproof.model.cell import Phase
from wireproof.model.oracle import OracleValue
from wireproof.proof.checks.known_defects.leniencies import UNSUPPORTED_VERSION, has_fallback
from wireproof.proof.checks.malformed.mutated_bytes import judge_fallback
from wireproof.proof.run.context.cell_context import CellContext

_BODIES: Final[dict[str, list[dict[str, Any]]]] = {
    "fallback/no-versions": [],
    "fallback/own-versions": [{"apiKey": 18, "minVersion": 0, "maxVersion": 2}],
}
"""The API keys of the answers by case: brokers before KIP-511 name none, later ones their own versions."""


def try_version_fallback(context: CellContext) -> int:
    """Let each codec read the answers; return how many were tried."""
    if not has_fallback(context.layout):
        return 0
    answers = list(_answers(context))
    context.announce(Phase.ENUMERATED, [name for name, _ in answers])
    for adapter in context.target.adapters:
        _try(context, adapter, answers)
    return len(answers)


def _answers(context: CellContext) -> Iterator[tuple[str, OracleValue]]:
    """The cases, without those to skip: an answer of version 0, and what Kafka's `ApiVersionsResponse.parse`
    reads there.

    `parse` reads the requested version; if that is refused, it reads version 0.
    """
    cell, layout, oracle = context.cell, context.layout, context.target.oracle
    oldest = replace(cell, version=0)
    oldest_layout = context.environment.layouts.of(oldest)
    form = canonical(oldest_layout)
    for name, keys in _BODIES.items():
        if not context.tries(Phase.ENUMERATED, name):
            continue
        value = form.to_binary({"errorCode": UNSUPPORTED_VERSION, "apiKeys": keys})
        (written,) = oracle.write(oldest, oldest_layout, [value])
        if not isinstance(written, OracleValue):
            continue
        (read,) = oracle.read(cell, layout, [written.written])
        if not isinstance(read, OracleValue):
            # Fields that version 0 lacks have their defaults.
            read = replace(written, value=canonical(layout).to_binary(form.from_binary(written.value)))
        yield name, replace(read, written=written.written)


def _try(context: CellContext, adapter: Adapter, answers: list[tuple[str, OracleValue]]) -> None:
    requests = [Decode(expected.written) for _, expected in answers]
    replies = adapter.ask(context.cell, context.layout, requests)
    for (name, expected), reply in zip(answers, replies, strict=True):
        if isinstance(reply, Unsupported | Reencoded):
            continue  # the version of bytes that are written again is unknown
        judged = judge_fallback(context.layout, adapter.name, expected, reply)
        context.recorder.judged(judged.verdict, judged.leniency.name if judged.leniency else "")
        found, data = () if judged.divergence is None else (judged.divergence,), expected.written
        context.recorder.record(Phase.ENUMERATED, name, found, data=data, size=len(data))
