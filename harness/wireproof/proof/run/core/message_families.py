"""Families of messages that share a framing: a codec must know all of them to read a blob of one."""

from collections.abc import Iterable

from kafkawire.embedded.control_record import CONTROL_BODY_VERSION, CONTROL_MESSAGES, PREVIEW_LEADER_CHANGE
from kafkawire.embedded.label import Label
from kafkawire.schema import resolve
from kafkawire.schema.layout import MessageLayout
from kafkawire.schema.model import MessageKind, MessageSpec
from wireproof.model.cell import Cell
from wireproof.model.embedding import Framing, LabelFamily
from wireproof.model.kafka.releases import ReleaseFeature
from wireproof.proof.run.core.layouts import Layouts


def label_of(release: str, framing: Framing, layout: MessageLayout) -> Label:
    """The label that a message has in its framing."""
    match framing:
        case Framing.METADATA_RECORD | Framing.REMOTE_LOG_METADATA:
            return Label(layout.version, layout.api_key)
        case Framing.COORDINATOR_KEY if layout.kind is MessageKind.COORDINATOR_KEY:
            return Label(layout.version, layout.api_key)
        case Framing.CONTROL_RECORD:
            preview = not ReleaseFeature.METADATA_RECORD_FRAME_1.is_in(release)
            kind = PREVIEW_LEADER_CHANGE if preview else CONTROL_MESSAGES[layout.name]
            return Label(layout.version, int(kind))
        case _:
            return Label(layout.version)


def family_of(layouts: Layouts, cell: Cell, framing: Framing) -> LabelFamily:
    """The family of a cell's message."""
    own = layouts.module(cell)[cell.message]
    match framing:
        case Framing.METADATA_RECORD | Framing.REMOTE_LOG_METADATA:
            specs = [spec for spec in layouts.module(cell).values() if spec.kind is MessageKind.METADATA]
            name = framing.value
        case Framing.CONTROL_RECORD:
            specs = [spec for spec in layouts.module(cell).values() if spec.name in CONTROL_MESSAGES]
            name = framing.value
        case Framing.COORDINATOR_KEY:
            topic = _topic(cell, own.name)
            specs = [
                spec
                for spec in layouts.module(cell).values()
                if spec.name.endswith("Key") and _topic(cell, spec.name) == topic
            ]
            name = f"{framing}/{topic}"
        case _:
            specs, name = [own], own.name
    return LabelFamily(cell.release, name, framing, _labelled(cell.release, framing, specs))


def _labelled(release: str, framing: Framing, specs: Iterable[MessageSpec]) -> dict[Label, MessageLayout]:
    only = framing is Framing.CONTROL_RECORD
    layouts = (
        resolve(spec, version)
        for spec in specs
        for version in spec.valid_versions
        if not only or version == CONTROL_BODY_VERSION
    )
    return {label_of(release, framing, layout): layout for layout in layouts}


def _topic(cell: Cell, name: str) -> str:
    """The coordinator whose topic holds the record: core has those of two."""
    return "transaction" if cell.module == "core" and name.startswith("Transaction") else cell.module


def key_of(layouts: Layouts, cell: Cell) -> Cell | None:
    """The cell of the key that goes with a coordinator's value, at its newest version; None for none."""
    name = f"{cell.message.removesuffix('Value')}Key"
    spec = layouts.module(cell).get(name)
    if spec is None or spec.retired:
        return None
    return Cell(cell.release, cell.module, name, spec.valid_versions.highest)
