"""The parts of a cell that several workers proved, put together."""

from dataclasses import replace

from tests.support.environments.ledgers import cause, done, shown
from tests.support.environments.small_environment import cell
from wireproof.model.cell import FramePart, Phase
from wireproof.pipeline.campaign.campaign_worker import Block, Outcome
from wireproof.pipeline.campaign.spark_campaign import CellSum
from wireproof.proof.run.core.cell_events import CellResult


def test_places_and_causes_of_all_blocks_are_kept() -> None:
    """Places of known deviations, which a ledger is held against; causes of two parts of a frame stay two."""
    header = cause(1, part=FramePart.HEADER)
    parts = (
        done(1, "wild", known_at=shown("wild", "name"), causes=(cause(1),)),
        done(1, "wild", known_at=shown("wild", "name", "host"), causes=(cause(1), header)),
    )
    blocks = [Block(0, 0, 0), Block(0, 0, 8)]
    total = CellSum(cell("PingRequest", 1), blocks)
    ended = [event for part in parts for event in total.take(Outcome((), part))]
    (whole,) = [event for event in ended if isinstance(event, CellResult)]
    assert {(each.field, each.cases) for each in whole.known_at} == {("name", 4), ("host", 2)}
    assert {(each.part, each.cases) for each in whole.causes} == {
        (FramePart.MESSAGE, 4),
        (FramePart.HEADER, 2),
    }


def test_seconds_of_phases_are_added_up() -> None:
    """As those of the cell are: the page of the run shows where the time went."""
    parts = [replace(done(1), duration_s=2.5, phase_s={Phase.BULK: 1.5}) for _ in range(2)]
    parts[1] = replace(parts[1], phase_s={Phase.BULK: 0.25, Phase.SHAPE: 0.5})
    total = CellSum(cell("PingRequest", 1), [Block(0, 0, 0), Block(0, 0, 8)])
    ended = [event for part in parts for event in total.take(Outcome((), part))]
    (whole,) = [event for event in ended if isinstance(event, CellResult)]

    assert whole.phase_s == {Phase.BULK: 1.75, Phase.SHAPE: 0.5}
    assert whole.duration_s == 5.0
