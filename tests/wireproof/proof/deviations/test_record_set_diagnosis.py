"""The diagnosis of record sets and message sets: planted deviations come out."""

import pytest

from tests.support.codecs.planted_deviations import READ, assert_all_predicted, planted, searched, small_asked
from wireproof.proof.deviations.deviation import Deviation


@pytest.mark.parametrize(
    "deviations",
    [
        (Deviation(READ, "checksum", "accept"),),
        (Deviation(READ, "checksum", "accept"), Deviation(READ, "batch-size", "content")),
        (Deviation(READ, "checksum", "accept"), Deviation(READ, "record-size", "content")),
        (Deviation(READ, "record-size", "size"), Deviation(READ, "negative-length", "null")),
        (Deviation(READ, "compressed", "crash", "BadGzipFile"), Deviation(READ, "codec", "none")),
        (Deviation(READ, "cut-off", "refuse"), Deviation(READ, "magic", "2")),
        (Deviation(READ, "elements", "unique-key", fields=frozenset({"batches[].records[].headers"})),),
    ],
    ids=lambda several: " and ".join(f"{each.trigger}-{each.action}" for each in several),
)
def test_planted_deviations_of_record_sets_come_out(deviations: tuple[Deviation, ...]) -> None:
    """A codec that does not look at checksums reads damaged sets as far as its other deviations say."""
    found, differing = searched(planted(*deviations), small_asked("RecordBatch"))
    words = {(each.trigger, each.action, each.error) for each in found.found}
    assert words == {(each.trigger, each.action, each.error) for each in deviations}
    assert_all_predicted(found, differing)


@pytest.mark.parametrize(
    "deviations",
    [
        (Deviation(READ, "checksum", "late"), Deviation(READ, "negative-length", "crash", "SystemError")),
        (Deviation(READ, "no-stream", "empty"), Deviation(READ, "compressed", "crash", "EOFError")),
    ],
    ids=lambda several: " and ".join(f"{each.trigger}-{each.action}" for each in several),
)
def test_planted_deviations_of_message_sets_come_out(deviations: tuple[Deviation, ...]) -> None:
    """A checksum that is looked at last hides nothing; an empty stream is damaged, too."""
    found, differing = searched(planted(*deviations), small_asked("RecordBatch", 1))
    words = {(each.trigger, each.action, each.error) for each in found.found}
    assert words == {(each.trigger, each.action, each.error) for each in deviations}
    assert_all_predicted(found, differing)
