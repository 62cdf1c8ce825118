"""The parts of a cell that several workers proved, put together."""

from tests.support.environments.ledgers import cause, done, shown
from tests.support.environments.small_environment import cell
from wireproof.model import FramePart
from wireproof.pipeline.campaign.campaign_blocks import Block, Outcome
from wireproof.pipeline.campaign.cell_sums import CellSum
from wireproof.run import CellResult


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
