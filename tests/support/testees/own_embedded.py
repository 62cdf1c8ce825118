"""Our own codecs of embedded data for the testee protocol; a part of `own_testee`.

The environment of a worker is imported where a framing is asked for: others start in two thirds of the time.
"""

import functools
import json
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any

from kafkawire.canonical import canonical
from kafkawire.compiler import compile_layout
from kafkawire.embedded.label import Label
from kafkawire.errors import CodecError
from kafkawire.schema import resolve, with_absent_fields
from kafkawire.schema.model import SchemaSet
from wireproof.model.adapter import Refused, Sized
from wireproof.model.cell import Cell
from wireproof.model.embedding import (
    BlobReply,
    DecodedBlob,
    EmbeddedBlob,
    EncodedBlob,
    Framing,
    LabelFamily,
    framing_of,
)
from wireproof.proof.adapters.own.blob_adapter import EmbeddedAdapter

if TYPE_CHECKING:
    from wireproof.proof.run.core.environment import Layouts

TOPICS = {"core": "group", "group-coordinator": "group", "share-coordinator": "share"}


class OwnEmbedded:
    """Answers questions about messages in their framing.

    Args:
        schemas: of one release.
        messages: those that will be asked for.
    """

    def __init__(self, schemas: SchemaSet, messages: Collection[str]) -> None:
        self._schemas = schemas
        self._adapter = EmbeddedAdapter("own", compile_layout)
        self.cells: dict[tuple[str, int], tuple[Cell, Framing]] = {}
        self._readers: dict[tuple[str, str], Cell] = {}
        self._families: dict[str, tuple[LabelFamily, Label]] = {}
        for module, spec in schemas:
            for version in spec.valid_versions if spec.name in messages else ():
                cell = Cell(schemas.release, module, spec.name, version)
                framing = framing_of(cell, resolve(spec, version))
                if framing is not None:
                    self.cells[spec.name, version] = cell, framing
                    self._readers[framing, self._named(cell, framing)] = cell

    @functools.cached_property
    def _layouts(self) -> "Layouts":
        from wireproof.proof.run.core.environment import Layouts

        return Layouts({self._schemas.release: self._schemas})

    @staticmethod
    def _named(cell: Cell, framing: Framing) -> str:
        """Return the label of a question beside its framing; empty if the bytes have it."""
        if framing is Framing.COORDINATOR_KEY:
            transaction = cell.message.startswith("Transaction")
            return "transaction" if transaction else TOPICS[cell.module]
        shared = Framing.METADATA_RECORD, Framing.REMOTE_LOG_METADATA, Framing.CONTROL_RECORD
        return "" if framing in shared else cell.message

    def versions(self, message: str) -> Iterator[int]:
        """The versions of a message that have a framing."""
        return (version for name, version in self.cells if name == message)

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """Return the members of an answer except its id."""
        if question["op"] in ("encode", "size"):
            reply, family = self._of_value(question)
        else:
            reply, family = self._of_blob(question)
        match reply:
            case EncodedBlob(blob):
                return {"ok": _members_of(blob)}
            case Sized(size):
                return {"ok": {"size": size}}
            case DecodedBlob(label, value):
                layout = family.layouts[label]
                members = {
                    "message": layout.name,
                    "version": layout.version,
                    "consumed": len(question["data"]) // 2,
                }
                return {"ok": {**members, "value": json.loads(canonical(layout).to_json(value))}}
            case Refused(error, message):
                kind = "decode_error" if "data" in question else "encode_error"
                return {kind: {"class": error, "message": message}}
            case _:
                return {"internal_error": {"class": type(reply).__name__, "message": str(reply)}}

    def _of_value(self, question: dict[str, Any]) -> tuple[BlobReply, LabelFamily]:
        cell, framing = self.cells[question["message"], question["version"]]
        family, label = self._family(cell, framing)
        form = canonical(with_absent_fields(self._layouts.of(cell)))
        try:
            value = form.from_tree(question["value"])
        except CodecError as error:
            return Refused(str(error.fault), str(error)), family
        ask = self._adapter.encode if question["op"] == "encode" else self._adapter.size
        return ask(family, label, [value])[0], family

    def _of_blob(self, question: dict[str, Any]) -> tuple[BlobReply, LabelFamily]:
        framing = Framing(question["framing"])
        cell = self._readers[framing, question.get("topic", question.get("message", ""))]
        family, label = self._family(cell, framing)
        key = question.get("key")
        blob = EmbeddedBlob(bytes.fromhex(question["data"]), None if key is None else bytes.fromhex(key))
        (reply,) = self._adapter.decode(family, label, [blob])
        if question["op"] == "reencode" and isinstance(reply, DecodedBlob):
            (again,) = self._adapter.encode(family, reply.label, [reply.value])
            return again, family
        return reply, family

    def _family(self, cell: Cell, framing: Framing) -> tuple[LabelFamily, Label]:
        from wireproof.proof.run.core.environment import family_of

        if cell.id not in self._families:
            family = family_of(self._layouts, cell, framing)
            labels = {(layout.name, layout.version): label for label, layout in family.layouts.items()}
            self._families[cell.id] = family, labels[cell.message, cell.version]
        return self._families[cell.id]


def _members_of(blob: EmbeddedBlob) -> dict[str, Any]:
    key = {} if blob.key is None else {"key": blob.key.hex()}
    return {"data": blob.data.hex(), **key}
