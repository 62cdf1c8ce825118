"""The data of the comparison with Kafka: real messages, real fields, a reason each."""

from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.proof.broker_judge.beside_phase import ignored_paths

SCHEMAS = load_snapshot(table().find("4.3.1"))


def test_each_ignored_path_has_a_message_and_a_reason() -> None:
    """A path of a message that no release has would hide nothing, and look as if it did."""
    names = {spec.name for _, spec in SCHEMAS}
    for ignored in ignored_paths():
        assert ignored.message in names | {"*"}
        assert ignored.path
        assert ignored.reason
