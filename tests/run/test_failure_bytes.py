"""Failures carry their bytes: those of both sides, with the names of their fields, up to a bound."""

from collections.abc import Callable
from typing import Any

import pytest

from kafkawire.annotate import annotate
from kafkawire.compiler import compile_layout
from kafkawire.schema.layout import MessageLayout
from tests.run import deviant_codecs
from tests.support.environments import small_environment
from wireproof.model.cell import Phase
from wireproof.model.divergence import ByteEvidence
from wireproof.proof.checks.comparing.divergences import MOST_BYTES, named_bytes
from wireproof.proof.run.core.cell_events import CellResult, FailedCase, ShrunkCase
from wireproof.proof.run.core.plan import RunOptions

CELL = small_environment.cell("PingRequest", 3)


def failures(wrong: Callable[[MessageLayout], Any], *phases: Phase) -> list[FailedCase | ShrunkCase]:
    options = RunOptions(phases=phases)
    events = small_environment.engine(small_environment.make(wrong=wrong), options).run([CELL])
    return [event for event in events if isinstance(event, FailedCase | ShrunkCase)]


def evidence(event: FailedCase | ShrunkCase) -> ByteEvidence:
    first, *others = event.divergences
    assert first.bytes is not None
    assert all(each.bytes is None for each in others)
    return first.bytes


def test_differing_bytes_are_those_of_both_sides() -> None:
    """The offset of the divergence is the first byte that differs; its field is named on both sides."""
    found = [
        each
        for each in failures(small_environment.NullAsEmpty, Phase.ENUMERATED)
        if each.divergences[0].check == "bytes"
    ]

    assert found
    for event in found:
        shown, at = evidence(event), event.divergences[0].offset
        assert at is not None
        assert shown.codec is not None
        assert shown.oracle is not None
        assert shown.codec.data[:at] == shown.oracle.data[:at]
        assert shown.codec.data[at] != shown.oracle.data[at]
        for side in (shown.codec, shown.oracle):
            (name,) = [name for start, end, name in side.fields if start <= at < end]
            assert name == f"{event.divergences[0].path} length" or name == event.divergences[0].path
            assert [end for _, end, _ in side.fields][-1] == side.length == len(side.data)


def test_a_codec_that_writes_nothing_is_shown_the_bytes_of_kafka() -> None:
    found = [
        each
        for each in failures(deviant_codecs.NullCrashes, Phase.ENUMERATED)
        if each.divergences[0].check == "encode"
    ]

    assert found
    for event in found:
        shown = evidence(event)
        assert shown.codec is shown.given is None
        assert shown.oracle is not None
        assert shown.oracle.length > 0


def test_malformed_bytes_are_those_that_both_sides_were_given() -> None:
    """The fields are named as far as the bytes can be read; those of a frame have its header."""
    found = failures(deviant_codecs.TailIgnored, Phase.MUTATIONS)

    assert found
    names = set()
    for event in found:
        assert isinstance(event, FailedCase)
        shown = evidence(event)
        assert shown.codec is shown.oracle is None
        assert shown.given is not None
        assert shown.given.hex == event.input
        names |= {name for _, _, name in shown.given.fields}
    assert {"name", "_tags count"} <= names


@pytest.mark.parametrize("at", [None, 0, 5_000, 9_000, 9_999])
def test_a_long_encoding_is_shown_around_the_place(at: int | None) -> None:
    layout = layout_of("PingRequest", 3)
    data = compile_layout(layout).encode({"name": "x" * 10_000})
    shown = named_bytes(data, annotate(layout, data), at)

    assert len(shown.data) == MOST_BYTES
    assert shown.length == len(data)
    assert shown.data == data[shown.start : shown.start + MOST_BYTES]
    assert shown.start <= (at or 0) < shown.start + MOST_BYTES
    assert all(end > shown.start and start < shown.start + MOST_BYTES for start, end, _ in shown.fields)
    assert "name" in {name for _, _, name in shown.fields}


def test_every_phase_that_ran_has_its_seconds() -> None:
    options = RunOptions(phases=(Phase.ENUMERATED, Phase.MUTATIONS))
    events = small_environment.engine(small_environment.make(), options).run([CELL])
    (done,) = [event for event in events if isinstance(event, CellResult)]

    assert done.phase_s.keys() == {Phase.ENUMERATED, Phase.MUTATIONS}
    assert 0 < sum(done.phase_s.values()) <= done.duration_s


def layout_of(message: str, version: int) -> MessageLayout:
    environment = small_environment.make()()
    return environment.layouts.of(small_environment.cell(message, version))
