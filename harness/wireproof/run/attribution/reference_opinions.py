"""Who agrees with whom: what third parties say to a value on which the codec and the oracle disagree."""

from dataclasses import replace

from kafkawire.schema import Effect, MessageLayout, compare_layouts
from wireproof.checks import side_taken
from wireproof.model import (
    EMBEDDED_MODULE,
    PRIMITIVES_MODULE,
    Cell,
    Divergence,
    Encode,
    Encoded,
    Oracle,
    OracleValue,
)
from wireproof.run.core.environment import Bench
from wireproof.run.core.prepared_cases import Prepared, Subject

__all__ = ["same_bytes", "with_opinions"]


def same_bytes(one: MessageLayout, other: MessageLayout) -> bool:
    """Whether every value has the same bytes in both, be its keys the same or not."""
    return all(change.effect is Effect.WORDS for change in compare_layouts(one, other))


def with_opinions(
    bench: Bench, subject: Subject, item: Prepared, divergences: tuple[Divergence, ...]
) -> tuple[Divergence, ...]:
    """The divergences of one value, the first with what `SCHEMAS` and another release say about it.

    For a protocol that is nothing but schemas there is no third party, nor for a primitive.
    """
    alone = subject.cell.module in (EMBEDDED_MODULE, PRIMITIVES_MODULE)
    if item.problem is not None or not divergences or alone:
        return divergences
    (written,) = subject.oracle.write(subject.cell, subject.layout, [item.expected])
    kafka = written.written if isinstance(written, OracleValue) else None
    codec = _codec_bytes(subject, divergences[0].subject, item)
    bodies = [body for body in (codec, kafka) if body is not None]
    second = subject.oracle.second_reread(subject.cell, subject.layout, bodies)
    told = [f"SCHEMAS: {side_taken(codec, kafka, item.expected, second)}"]
    other = _other_release(bench, subject)
    if other is not None:
        cell, layout, oracle = other
        replies = oracle.write(cell, layout, [item.expected])
        told.append(f"{cell.release}: {side_taken(codec, kafka, item.expected, replies)}")
    return replace(divergences[0], opinions="; ".join(told)), *divergences[1:]


def _codec_bytes(subject: Subject, name: str, item: Prepared) -> bytes | None:
    """What the codec of this name writes for the value; None where it writes nothing, or is no codec."""
    for adapter in subject.adapters:
        if adapter.name == name:
            (reply,) = adapter.ask(subject.cell, subject.layout, [Encode(item.case.value)])
            return reply.data if isinstance(reply, Encoded) else None
    return None


def _other_release(bench: Bench, subject: Subject) -> tuple[Cell, MessageLayout, Oracle] | None:
    """Another release that defines the cell alike: one of the run, else one that is at hand."""
    for cell in bench.layouts.elsewhere(subject.cell):
        layout = bench.layouts.of(cell)
        if same_bytes(layout, subject.layout):
            return cell, layout, bench.oracles[cell.release]
    if bench.witness is None:
        return None
    return bench.witness(subject.cell, subject.layout)
