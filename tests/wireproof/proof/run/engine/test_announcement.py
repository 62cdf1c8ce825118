"""The announcement of a worker, which its parent reads after the worker died."""

from multiprocessing import get_context

import pytest

from wireproof.model.cell import Phase
from wireproof.proof.run.engine.cell_worker import AnnouncedCases, AnnouncementSlot


def test_an_announcement_outlives_its_process() -> None:
    """The parent reads the latest announcement whole after the process has ended."""
    slot = AnnouncementSlot()
    assert slot.get() is None
    for case in ("a much longer name, which the next one replaces", "topics[]/ä"):
        words = Phase.ENUMERATED, "message/default", case
        process = get_context("spawn").Process(target=slot.put, args=words)
        process.start()
        process.join()
    assert slot.get() == AnnouncedCases(Phase.ENUMERATED, "message/default", "topics[]/ä")
    slot.clear()
    assert slot.get() is None


@pytest.mark.parametrize("letter", ["x", "\U0001f600", "\ud800"])
def test_a_name_of_any_length_is_announced(letter: str) -> None:
    """A name that is too long is cut instead of refused."""
    slot = AnnouncementSlot()
    slot.put(Phase.CORPUS, letter * 10_000, "last")
    announced = slot.get()
    assert announced is not None
    assert (announced.phase, len(announced.first), announced.last) == (Phase.CORPUS, 2000, "last")
