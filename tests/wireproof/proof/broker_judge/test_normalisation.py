"""The data of the comparison with Kafka: real fields and errors, a reason each."""

from kafkawire.schema import resolve
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.model.kafka.releases import ERROR_NAMES
from wireproof.proof.broker_judge.answer_shape import normalisation

SCHEMAS = {spec.name: spec for _, spec in load_snapshot(table().find("4.3.1"))}


def test_each_row_names_something_real_and_has_a_reason() -> None:
    """A row of a field that no release has would hide nothing, and look as if it did."""
    metadata = SCHEMAS["MetadataResponse"]
    names = {field.name for field in resolve(metadata, metadata.valid_versions.highest).root.all_fields}
    for row in normalisation()["number"]:
        assert row["field"] in names
        assert row["reason"]
    for row in normalisation()["passing"]:
        assert row["message"] in SCHEMAS
        assert row["error"] in ERROR_NAMES.values()
        assert row["reason"]
