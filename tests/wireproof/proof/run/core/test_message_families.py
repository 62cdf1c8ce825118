"""Framings of messages, and the families of messages that share one, in every release."""

import pytest

from kafkawire.embedded.control_record import CONTROL_MESSAGES
from kafkawire.embedded.label import Label
from kafkawire.schema.model import MessageKind
from wireproof.app.assembly.inputs.bundled_schemas import snapshots
from wireproof.kafka.releases.release_table import table
from wireproof.model.cell import Cell
from wireproof.model.embedding import UNLABELLED, Framing, framing_of, kafka_forms
from wireproof.proof.run.core.environment import Layouts, all_cells, family_of, key_of, label_of

BARE = {"AbortedTxn", "ProducerSnapshot", "QuorumStateData", "SubscriptionInfoData"}
"""Messages in files, or with a version of their own at the start."""

FRAMES = (MessageKind.REQUEST, MessageKind.RESPONSE, MessageKind.HEADER)


def layouts_of(version: str) -> Layouts:
    return Layouts(snapshots([table().find(version)]))


@pytest.mark.parametrize("release", table().releases, ids=str)
def test_every_message_has_a_framing_or_is_known_to_have_none(release: object) -> None:
    """Outside of frames, all but four messages and newer leader changes have a label."""
    schemas = snapshots([table().find(str(release))])
    layouts = Layouts(schemas)
    bare = set()
    for cell in all_cells(schemas[str(release)]):
        layout = layouts.of(cell)
        framing = framing_of(cell, layout)
        if layout.kind in FRAMES or cell.module == "records":
            assert framing is None
        elif framing is None:
            bare.add(cell.message)
            assert cell.message in BARE or (cell.message in CONTROL_MESSAGES and cell.version > 0)
        else:
            label = label_of(cell.release, framing, layout)
            assert family_of(layouts, cell, framing).layouts[label] == layout
    assert "QuorumStateData" in bare


@pytest.mark.parametrize(
    ("version", "message", "at", "label", "known"),
    [
        ("4.4.0", "OffsetCommitKey", 0, None, 22),
        ("4.4.0", "TopicRecord", 0, Label(0, 2), 38),
        ("4.4.0", "LeaderChangeMessage", 0, Label(0, 2), 5),
        ("2.8.2", "LeaderChangeMessage", 0, Label(0, 3), 1),
        ("2.8.2", "GroupMetadataKey", 2, Label(2), 3),
        ("2.8.2", "TransactionLogKey", 0, Label(0), 1),
        ("3.9.2", "ConsumerGroupMetadataKey", 3, Label(3), 12),
        ("4.3.1", "ConnectAssignment", 2, Label(2), 3),
    ],
)
def test_a_message_has_one_label_in_its_family(
    version: str, message: str, at: int, label: Label | None, known: int
) -> None:
    """The case gives the label of a message and the number of layouts in its family."""
    layouts = layouts_of(version)
    schemas = snapshots([table().find(version)])[version]
    module, _ = schemas.find(message)
    cell = Cell(version, module, message, at)
    framing = framing_of(cell, layouts.of(cell))
    assert framing is not None
    family = family_of(layouts, cell, framing)
    found = label_of(version, framing, layouts.of(cell))
    assert found in family.layouts
    assert label is None or found == label
    assert len(family.layouts) == known


def test_a_coordinator_value_has_a_key() -> None:
    """The key of a coordinator's value is used at its newest version."""
    layouts = layouts_of("3.9.2")
    value = Cell("3.9.2", "group-coordinator", "OffsetCommitValue", 3)
    assert key_of(layouts, value) == Cell("3.9.2", "group-coordinator", "OffsetCommitKey", 1)


@pytest.mark.parametrize(
    ("release", "module", "message", "form"),
    [
        ("4.0.2", "transaction-coordinator", "TransactionLogKey", "version-prefix"),
        ("4.1.2", "transaction-coordinator", "TransactionLogKey", "coordinator-key"),
        ("3.9.2", "group-coordinator", "ShareGroupMetadataKey", "version-prefix"),
        ("3.9.2", "group-coordinator", "OffsetCommitKey", "coordinator-key"),
        ("3.5.2", "group-coordinator", "OffsetCommitKey", "version-prefix"),
        ("2.8.2", "core", "OffsetCommitKey", "version-prefix"),
    ],
)
def test_a_coordinator_message_has_one_reader(release: str, module: str, message: str, form: str) -> None:
    """Kafka's own serde is used in releases where it knows the message, else its generated class."""
    (found,) = kafka_forms(Framing.COORDINATOR_KEY, Cell(release, module, message, 0))
    assert found == form
    assert (found in UNLABELLED) == (form == "version-prefix")
