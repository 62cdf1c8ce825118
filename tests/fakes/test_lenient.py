"""A codec that is wrong only on malformed bytes fails, with the right verdict and the mutation."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from kafkawire.compiler import interpret_layout
from kafkawire.schema.layout import MessageLayout
from tests.support.codecs import lenient_codecs
from tests.support.oracles.kafka_classes import kafka
from wireproof.model.cell import Cell, Phase
from wireproof.model.malformed_input import MalformedVerdict
from wireproof.proof.adapters.own.limited_codec import LimitedCodec
from wireproof.proof.run.core.cell_events import CellResult, FailedCase, ProverEvent
from wireproof.proof.run.core.environment import Layouts, WorkerEnvironment
from wireproof.proof.run.core.plan import RunOptions
from wireproof.proof.run.provers.message_prover import CellProver
from wireproof.proof.strategies.layout_source import LayoutSource

RELEASE = "4.4.0"
VERSIONS = "ApiVersionsRequest", 3
TAGGED = "ApiVersionsResponse", 3
METADATA = "MetadataRequest", 12
CURSOR = "DescribeTopicPartitionsRequest", 0


@pytest.fixture
def judged() -> Iterator[Callable[..., tuple[CellResult, list[FailedCase]]]]:
    """Runs the mutations of a cell through one codec; ends its process at the end."""
    started: list[LimitedCodec] = []

    def judge(make: Any, message: str, version: int) -> tuple[CellResult, list[FailedCase]]:
        release = kafka(RELEASE)
        started.append(LimitedCodec("careless", make, cpu_s=0.3))
        environment = WorkerEnvironment(
            layouts=Layouts({RELEASE: release.schemas}),
            adapters=[],
            oracles={RELEASE: release.oracle},
            source=LayoutSource(lambda cell: ""),
            limited=started,
        )
        module, _ = release.schemas.find(message)
        events: list[ProverEvent] = []
        options = RunOptions(phases=(Phase.MUTATIONS,))
        cell = Cell(RELEASE, module, message, version)
        done = CellProver(environment, options, cell, events.append, lambda phase, names: None).prove()
        assert isinstance(done, CellResult)
        return done, [event for event in events if isinstance(event, FailedCase)]

    yield judge
    for each in started:
        each.close()


@pytest.mark.parametrize(
    ("make", "place", "verdict"),
    [
        (lenient_codecs.unchecked_length, VERSIONS, MalformedVerdict.LAXER),
        (lenient_codecs.null_taken, VERSIONS, MalformedVerdict.LAXER),
        (lenient_codecs.tail_ignored, VERSIONS, MalformedVerdict.LAXER),
        (lenient_codecs.text_replaced, VERSIONS, MalformedVerdict.DIFFERENT),
        (lenient_codecs.tags_forgotten, TAGGED, MalformedVerdict.DIFFERENT),
        (lenient_codecs.marker_guessed, CURSOR, MalformedVerdict.DIFFERENT),
        (lenient_codecs.allocating, METADATA, MalformedVerdict.BLOW_UP),
        (lenient_codecs.aborting, TAGGED, MalformedVerdict.CRASH),
        (lenient_codecs.raising, VERSIONS, MalformedVerdict.CRASH),
        (lenient_codecs.spinning, ("MetadataRequest", 1), MalformedVerdict.HANG),
        (lenient_codecs.slow, ("MetadataRequest", 1), MalformedVerdict.HANG),
    ],
    ids=lambda part: getattr(part, "__name__", None),
)
def test_a_lenient_codec_fails(
    judged: Any, make: Callable[[MessageLayout], Any], place: tuple[str, int], verdict: MalformedVerdict
) -> None:
    """By its own verdict; the report has the bytes, and what was done to them."""
    done, failures = judged(make, *place)
    assert done.verdicts[verdict] > 0
    assert done.failed_cases == sum(count for each, count in done.verdicts.items() if not each.passes)
    assert failures
    for failure in failures:
        (divergence,) = failure.divergences
        word = divergence.kind.partition(":")[0]
        assert {"crashed": MalformedVerdict.CRASH, "death": MalformedVerdict.CRASH}.get(
            word, word
        ) in done.verdicts
        assert " in place of " in divergence.summary or "cut off at byte" in divergence.summary
        assert "; bytes " in divergence.codec
        assert failure.input is not None


def test_a_careful_codec_is_not(judged: Any) -> None:
    """The codec that the others are made of agrees, or is stricter by laxities that are known."""
    for place in (VERSIONS, TAGGED, METADATA, CURSOR):
        done, failures = judged(interpret_layout, *place)
        assert not failures
        assert set(done.verdicts) == {MalformedVerdict.AGREE, MalformedVerdict.STRICTER}
        assert "" not in done.laxities


def test_a_codec_that_refuses_what_is_well_formed_fails(judged: Any) -> None:
    """Whatever reason it gives: the bytes decide whether there is something to refuse."""
    done, failures = judged(lenient_codecs.TooStrict, *METADATA)
    assert done.failed_cases > 0
    assert all("a message like any other" in failure.divergences[0].summary for failure in failures)
