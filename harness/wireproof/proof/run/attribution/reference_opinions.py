"""Second opinions on a value on which the codec and the oracle disagree: `SCHEMAS`, another release."""

import contextlib
from dataclasses import replace

from kafkawire.compiler import interpret_layout
from kafkawire.errors import CodecError
from kafkawire.schema import Effect, MessageLayout, compare_layouts
from wireproof.model.adapter import Encode, Encoded
from wireproof.model.cell import EMBEDDED_MODULE, PRIMITIVES_MODULE, Cell
from wireproof.model.divergence import Divergence
from wireproof.model.oracle import Oracle, OracleValue
from wireproof.proof.checks.fault_attribution import OF_RELEASE
from wireproof.proof.checks.references.second_opinion import side_taken
from wireproof.proof.run.core.environment import WorkerEnvironment
from wireproof.proof.run.core.prepared_cases import CellTarget, PreparedCase


def add_reference_opinions(
    environment: WorkerEnvironment,
    target: CellTarget,
    item: PreparedCase,
    divergences: tuple[Divergence, ...],
) -> tuple[Divergence, ...]:
    """The divergences of one value, the first with what `SCHEMAS` and another release say about it.

    There is no second opinion on primitives, and on protocols that only have schemas.
    """
    alone = target.cell.module in (EMBEDDED_MODULE, PRIMITIVES_MODULE)
    if item.problem is not None or not divergences or alone:
        return divergences
    (written,) = target.oracle.write(target.cell, target.layout, [item.expected])
    kafka = written.written if isinstance(written, OracleValue) else None
    codec = _codec_bytes(target, divergences[0].subject, item)
    bodies = [body for body in (codec, kafka) if body is not None]
    second = target.oracle.second_reread(target.cell, target.layout, bodies)
    reported = [f"SCHEMAS: {side_taken(codec, kafka, item.expected, second)}"]
    other = _other_release(environment, target)
    if other is not None:
        cell, layout, oracle = other
        replies = oracle.write(cell, layout, [item.expected])
        reported.append(f"{cell.release}: {side_taken(codec, kafka, item.expected, replies)}")
    if codec is not None and codec != kafka and (release := _release_of(environment, target, item, codec)):
        reported.append(f"{release}: {OF_RELEASE} --release {release}")
    return replace(divergences[0], opinions="; ".join(reported)), *divergences[1:]


def _codec_bytes(target: CellTarget, name: str, item: PreparedCase) -> bytes | None:
    """The bytes that the codec of this name writes for the value; None without bytes or codec."""
    for adapter in target.adapters:
        if adapter.name == name:
            (reply,) = adapter.ask(target.cell, target.layout, [Encode(item.case.value)])
            return reply.data if isinstance(reply, Encoded) else None
    return None


def _other_release(
    environment: WorkerEnvironment, target: CellTarget
) -> tuple[Cell, MessageLayout, Oracle] | None:
    """Another release of the run with the same layout. Releases that are only in the cache do not count."""
    for cell in environment.layouts.elsewhere(target.cell):
        layout = environment.layouts.of(cell)
        if all(change.effect is Effect.WORDS for change in compare_layouts(layout, target.layout)):
            return cell, layout, environment.oracles[cell.release]
    return None


def _release_of(environment: WorkerEnvironment, target: CellTarget, item: PreparedCase, codec: bytes) -> str:
    """Return the nearest release outside the run whose definition of the message gives the codec's bytes;
    empty if none does."""
    others = () if environment.other_definitions is None else environment.other_definitions(target.cell)
    for release, layout in others:
        with contextlib.suppress(CodecError):
            if interpret_layout(layout).encode(item.case.value) == codec:
                return release
    return ""
