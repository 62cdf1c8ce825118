"""A testee as a codec of embedded data: messages in the framing of the data that carries them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from kafkawire.embedded.label import Label
from kafkawire.schema.layout import MessageLayout
from wireproof.model.adapter import NO_VALUE, READ_PAST_END, Crashed, Sized, Unsupported
from wireproof.model.cell import Cell
from wireproof.model.embedding import (
    BlobReply,
    DecodedBlob,
    EmbeddedBlob,
    EncodedBlob,
    Framing,
    LabelFamily,
    ReencodedBlob,
)
from wireproof.proof.adapters.testee.protocol_requests import failure_of, no_answer, value_of
from wireproof.proof.adapters.testee.protocol_values import NoJsonError, sparse_json
from wireproof.proof.adapters.testee.testee_adapter import EMBEDDED, UNCLAIMED, UNSENDABLE, TesteeAdapter
from wireproof.proof.testees.description.claimed_operations import Operation
from wireproof.proof.testees.session.testee_session import OkAnswer, ProtocolAnswer

_SHARED: Final = frozenset({Framing.METADATA_RECORD, Framing.REMOTE_LOG_METADATA, Framing.CONTROL_RECORD})
"""Framings whose bytes name the message that they hold."""

_TOPICS: Final = {"group-coordinator": "group", "share-coordinator": "share", "core": "group"}
"""The topics of coordinators' keys by the module of their messages; other modules have transactions."""


class TesteeBlobs:
    """A codec of messages in their framing, over the adapter of a testee."""

    def __init__(self, adapter: TesteeAdapter) -> None:
        self._adapter = adapter

    @property
    def name(self) -> str:
        return self._adapter.name

    def encode(self, family: LabelFamily, label: Label, values: Sequence[dict[str, Any]]) -> list[BlobReply]:
        """Encode each value to a blob."""
        return self._ask_values(family, label, Operation.ENCODE, values, _encoded)

    def size(self, family: LabelFamily, label: Label, values: Sequence[dict[str, Any]]) -> list[BlobReply]:
        """Return the length of each value's data."""
        return self._ask_values(
            family, label, Operation.SIZE, values, lambda content: Sized(int(content["size"]))
        )

    def decode(self, family: LabelFamily, label: Label, blobs: Sequence[EmbeddedBlob]) -> list[BlobReply]:
        """Decode each blob to its label and value, or to the blob that the testee encodes again."""
        cell = _cell(family, label)
        for operation in (Operation.DECODE, Operation.REENCODE):
            if f"{EMBEDDED}{operation}" in self._adapter.claimed(cell):
                break
        else:
            return [UNCLAIMED] * len(blobs)
        members = _label_members(family, label)
        read = self._decoded if operation is Operation.DECODE else _reencoded
        answers = self._exchange(cell, operation, [f"{members}{_blob_members(blob)}" for blob in blobs])
        return [
            self._reply(cell, operation, answer, lambda content, blob=blob: read(family, blob, content))  # type: ignore[misc]
            for blob, answer in zip(blobs, answers, strict=True)
        ]

    def labels(self, family: LabelFamily) -> list[Label]:
        """Return the labels of the family's messages at all versions that the testee claims."""
        found = []
        for label, layout in family.layouts.items():
            embedded = self._adapter.hello.embedded
            for versions in embedded.versions.get(layout.name, {}).values():
                found += [label._replace(version=version) for version in versions]
        return list(dict.fromkeys(found))

    def _ask_values(
        self,
        family: LabelFamily,
        label: Label,
        operation: Operation,
        values: Sequence[dict[str, Any]],
        read: Callable[[Mapping[str, Any]], BlobReply],
    ) -> list[BlobReply]:
        cell, layout = _cell(family, label), family.layouts[label]
        replies: list[BlobReply] = [UNCLAIMED] * len(values)
        if f"{EMBEDDED}{operation}" not in self._adapter.claimed(cell):
            return replies
        to_testee, _ = self._adapter.renaming_of(layout)
        members = f'"framing":"{family.framing}","message":"{layout.name}","version":{layout.version}'
        indices, requests = [], []
        for index, value in enumerate(values):
            try:
                text = sparse_json(layout, value, to_testee, whole=self._adapter.hello.whole)
            except NoJsonError as error:
                replies[index] = Unsupported(UNSENDABLE, str(error))
                continue
            indices.append(index)
            requests.append(f'{members},"value":{text}')
        for index, answer in zip(indices, self._exchange(cell, operation, requests), strict=True):
            replies[index] = self._reply(cell, operation, answer, read)
        return replies

    def _exchange(self, cell: Cell, operation: Operation, members: Sequence[str]) -> list[ProtocolAnswer]:
        return self._adapter.exchange(cell, [f'"op":"{operation}",{each}' for each in members])

    def _reply(
        self,
        cell: Cell,
        operation: Operation,
        answer: ProtocolAnswer,
        read: Callable[[Mapping[str, Any]], BlobReply],
    ) -> BlobReply:
        if not isinstance(answer, OkAnswer):
            failure = failure_of(answer)
            self._adapter.count_skipped([failure])
            return failure
        try:
            reply = read(answer.content)
        except (KeyError, TypeError, ValueError) as error:
            return no_answer(operation, error)
        if not isinstance(reply, Crashed):
            self._adapter.count(cell, [f"{EMBEDDED}{operation}"])
        return reply

    def _decoded(self, family: LabelFamily, blob: EmbeddedBlob, content: Mapping[str, Any]) -> BlobReply:
        name, version = str(content["message"]), int(content["version"])
        found = [
            label
            for label, layout in family.layouts.items()
            if (layout.name, layout.version) == (name, version)
        ]
        unread = _count_left_bytes(blob, content)
        if isinstance(unread, Crashed):
            return unread
        if not found:
            named = [label for label, layout in family.layouts.items() if layout.name == name]
            if not named:
                return Crashed(NO_VALUE, f"it reads {name}, which the framing cannot hold")
            return DecodedBlob(named[0]._replace(version=version), {}, unread)
        layout = family.layouts[found[0]]
        value = value_of(layout, content["value"], self._adapter.renaming_of(layout)[1])
        if isinstance(value, Crashed):
            return value
        return DecodedBlob(found[0], value, unread)


def _reencoded(family: LabelFamily, blob: EmbeddedBlob, content: Mapping[str, Any]) -> BlobReply:
    unread = _count_left_bytes(blob, content)
    return unread if isinstance(unread, Crashed) else ReencodedBlob(_blob(content), unread)


def _count_left_bytes(blob: EmbeddedBlob, content: Mapping[str, Any]) -> int | Crashed:
    """Return the number of unread bytes; a crash if the reader reports more bytes than there are."""
    consumed = int(content["consumed"])
    if not 0 <= consumed <= len(blob.data):
        return Crashed(READ_PAST_END, f"it reads {consumed} of {len(blob.data)} bytes")
    return len(blob.data) - consumed


def _encoded(content: Mapping[str, Any]) -> BlobReply:
    return EncodedBlob(_blob(content))


def _blob(content: Mapping[str, Any]) -> EmbeddedBlob:
    key = content.get("key")
    return EmbeddedBlob(bytes.fromhex(content["data"]), None if key is None else bytes.fromhex(key))


def _blob_members(blob: EmbeddedBlob) -> str:
    """Return the members of a request that hold a blob."""
    key = "" if blob.key is None else f',"key":"{blob.key.hex()}"'
    return f',"data":"{blob.data.hex()}"{key}'


def _label_members(family: LabelFamily, label: Label) -> str:
    """Return the members that name a blob's message, without those that its bytes contain."""
    layout, framing = family.layouts[label], family.framing
    if framing is Framing.COORDINATOR_KEY:
        module = family.name.rpartition("/")[2]
        return f'"framing":"{framing}","topic":"{_TOPICS.get(module, "transaction")}"'
    if framing in _SHARED:
        return f'"framing":"{framing}"'
    return f'"framing":"{framing}","message":"{layout.name}"'


def _cell(family: LabelFamily, label: Label) -> Cell:
    """Return the cell of a label, without a module: names of messages are unique over modules."""
    layout: MessageLayout = family.layouts[label]
    return Cell(family.release, "", layout.name, layout.version)
