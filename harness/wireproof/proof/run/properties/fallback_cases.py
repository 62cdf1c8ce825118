"""Answers of version 0 to an ApiVersions request of a later version (KIP-511), as a case of their own."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from kafkawire.canonical import canonical
from wireproof.model.adapter import Adapter, Decode, Reencoded, Unsupported
from wireproof.model.cell import Phase
from wireproof.model.oracle import OracleValue
from wireproof.proof.checks.known_defects.leniencies import UNSUPPORTED_VERSION, has_fallback
from wireproof.proof.checks.malformed.mutated_bytes import JudgedMutation, judge_fallback
from wireproof.proof.run.context.cell_context import CellContext

_BODIES: Final[dict[str, list[dict[str, Any]]]] = {
    "fallback/no-versions": [],
    "fallback/own-versions": [{"apiKey": 18, "minVersion": 0, "maxVersion": 2}],
}
"""The API keys of the answers by case: brokers before KIP-511 name none, later ones their own versions."""


@dataclass(frozen=True, slots=True)
class _Answer:
    """An answer of version 0, and what Kafka's `ApiVersionsResponse.parse` reads there."""

    name: str
    expected: OracleValue


def try_version_fallback(context: CellContext, *, only: str = "") -> int:
    """Let each codec read the answers; return how many were tried.

    Args:
        only: the name of the one case to try; all if it is empty.
    """
    if not has_fallback(context.layout):
        return 0
    answers = [each for each in _answers(context) if only in ("", each.name)]
    context.announce(Phase.ENUMERATED, [each.name for each in answers])
    for adapter in context.target.adapters:
        _try(context, adapter, answers)
    return len(answers)


def _answers(context: CellContext) -> Iterator[_Answer]:
    """The cases, without those to skip.

    `parse` reads the requested version; if that is refused, it reads version 0.
    """
    cell, layout, oracle = context.cell, context.layout, context.target.oracle
    oldest = replace(cell, version=0)
    oldest_layout = context.environment.layouts.of(oldest)
    for name, keys in _BODIES.items():
        if cell.case_id(Phase.ENUMERATED, name) in context.skip:
            continue
        value = canonical(oldest_layout).to_binary({"errorCode": UNSUPPORTED_VERSION, "apiKeys": keys})
        (written,) = oracle.write(oldest, oldest_layout, [value])
        if not isinstance(written, OracleValue):
            continue
        (read,) = oracle.read(cell, layout, [written.written])
        if not isinstance(read, OracleValue):
            read = replace(written, value=_in_the_form_of(context, written.value))
        yield _Answer(name, replace(read, written=written.written))


def _in_the_form_of(context: CellContext, binary: bytes) -> bytes:
    """A value of version 0 as a value of the cell: fields that version 0 lacks have their defaults."""
    oldest = context.environment.layouts.of(replace(context.cell, version=0))
    return canonical(context.layout).to_binary(canonical(oldest).from_binary(binary))


def _try(context: CellContext, adapter: Adapter, answers: list[_Answer]) -> None:
    requests = [Decode(each.expected.written) for each in answers]
    replies = adapter.ask(context.cell, context.layout, requests)
    for answer, reply in zip(answers, replies, strict=True):
        if not isinstance(
            reply, Unsupported | Reencoded
        ):  # the version of bytes that are written again is unknown
            _record(context, answer, judge_fallback(context.layout, adapter.name, answer.expected, reply))


def _record(context: CellContext, answer: _Answer, judged: JudgedMutation) -> None:
    data = answer.expected.written
    context.recorder.judged(judged.verdict, judged.leniency.name if judged.leniency else "")
    found = () if judged.divergence is None else (judged.divergence,)
    context.recorder.record(Phase.ENUMERATED, answer.name, found, data=data, size=len(data))
