"""The downgrade with real brokers, run again: 3.4.0 starts on a copy of the logs that 3.9 wrote."""

from pathlib import Path

from tests.support.capture.downgrade_brokers import run_downgrade
from wireproof.definitions.downgrade.broker_evidence import broker_evidence, read_evidence


def test_the_release_before_the_kip_answers_as_in_the_evidence(tmp_path: Path) -> None:
    """Answers and messages are those of the committed run; so are the added records and their places."""
    found = read_evidence(run_downgrade(tmp_path, ["3.4.0"]))
    for again, kept in zip(found.partitions, broker_evidence().partitions, strict=True):
        assert (again.log, again.number, again.added) == (kept.log, kept.number, kept.added)
        assert again.readers["3.4.0"] == kept.readers["3.4.0"]
        assert len(again.records) == len(kept.records)
        assert [key for key, _ in again.records] == [key for key, _ in kept.records]
