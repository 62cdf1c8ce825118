"""The adapter of our codecs of embedded data."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeAlias, TypeVar, assert_never

from kafkawire.compiler import MessageCodec
from kafkawire.embedded.control_record import ControlRecordCodec
from kafkawire.embedded.label import BlobCodec, Codecs, Label
from kafkawire.embedded.prefixes import TypePrefixed, Unlabelled, VersionPrefixed
from kafkawire.embedded.record_frame import PREVIEW_FRAME, RECORD_FRAME, RecordFramed
from kafkawire.records import ControlType, control_key
from kafkawire.schema.layout import MessageLayout
from wireproof.model.adapter import Sized
from wireproof.model.embedding import BlobReply, DecodedBlob, EmbeddedBlob, EncodedBlob, Framing, LabelFamily
from wireproof.model.kafka.releases import ReleaseFeature
from wireproof.proof.adapters.own.kafkawire_adapter import reply_of

BlobCodecFactory: TypeAlias = Callable[[LabelFamily, Codecs], BlobCodec]
"""Makes the codec of a family's framing from the codecs of its messages."""

_MAX_FAMILIES = 32

_Argument = TypeVar("_Argument")


def blob_codec(family: LabelFamily, codecs: Codecs) -> BlobCodec:
    """Return our codec of a framing; control records have a codec of another type."""
    match family.framing:
        case Framing.SUBSCRIPTION | Framing.ASSIGNMENT | Framing.TRANSACTION_MARKER | Framing.CONTROL_TYPE:
            return VersionPrefixed(codecs, tolerant=True)
        case Framing.CONNECT_METADATA | Framing.CONNECT_ASSIGNMENT:
            return VersionPrefixed(codecs, tolerant=True)
        case Framing.STICKY:
            return Unlabelled(codecs)
        case Framing.PRINCIPAL | Framing.COORDINATOR_VALUE:
            return VersionPrefixed(codecs)
        case Framing.COORDINATOR_KEY:
            typed = any(label.type is not None for label in family.layouts)
            return TypePrefixed(codecs) if typed else VersionPrefixed(codecs)
        case Framing.METADATA_RECORD | Framing.REMOTE_LOG_METADATA:
            preview = not ReleaseFeature.METADATA_RECORD_FRAME_1.is_in(family.release)
            return RecordFramed(codecs, frame_version=PREVIEW_FRAME if preview else RECORD_FRAME)
        case Framing.CONTROL_RECORD:
            raise LookupError("control records have a codec of key and value")
        case _:
            assert_never(family.framing)


class EmbeddedAdapter:
    """The adapter of our codecs of blobs, over the compiled or the interpreted codec of messages.

    Args:
        make: a function of `kafkawire.compiler`: `fastest_codec`, `compile_layout` or `interpret_layout`.
        framed: makes the codecs of blobs; tests replace it with a wrong one.
    """

    def __init__(
        self, name: str, make: Callable[[MessageLayout], MessageCodec], framed: BlobCodecFactory = blob_codec
    ) -> None:
        self.name = name
        self._make = make
        self._framed = framed
        self._codecs: dict[tuple[str, str], _Framed] = {}

    def encode(self, family: LabelFamily, label: Label, values: Sequence[dict[str, Any]]) -> list[BlobReply]:
        """Encode each value to a blob; a refusal or a crash is a reply like any other."""
        codec = self._codec(family)
        return [_answer(lambda value: EncodedBlob(codec.encode(label, value)), value) for value in values]

    def size(self, family: LabelFamily, label: Label, values: Sequence[dict[str, Any]]) -> list[BlobReply]:
        """Return the length of each value's data."""
        codec = self._codec(family)
        return [_answer(lambda value: Sized(codec.size(label, value)), value) for value in values]

    def decode(self, family: LabelFamily, label: Label, blobs: Sequence[EmbeddedBlob]) -> list[BlobReply]:
        """Decode each blob to its label and value."""
        codec = self._codec(family)
        return [_answer(lambda blob: DecodedBlob(*codec.decode(blob)), blob) for blob in blobs]

    def labels(self, family: LabelFamily) -> list[Label]:
        """Return no labels: our codec has only the labels of the release."""
        return []

    def _codec(self, family: LabelFamily) -> "_Framed":
        key = family.release, family.name
        if key not in self._codecs:
            if len(self._codecs) >= _MAX_FAMILIES:
                self._codecs.clear()
            codecs = _Lazy(family.layouts, self._make)
            control = family.framing is Framing.CONTROL_RECORD
            self._codecs[key] = (
                _Control(codecs) if control else _Prefixed(family, self._framed(family, codecs))
            )
        return self._codecs[key]


def _answer(ask: Callable[[_Argument], BlobReply], argument: _Argument) -> BlobReply:
    try:
        return ask(argument)
    except Exception as error:  # noqa: BLE001 - an error of a codec is the finding itself
        return reply_of(error)


class _Framed(Protocol):
    """A codec of blobs with keys."""

    def encode(self, label: Label, value: dict[str, Any]) -> EmbeddedBlob: ...

    def size(self, label: Label, value: dict[str, Any]) -> int: ...

    def decode(self, blob: EmbeddedBlob) -> tuple[Label, dict[str, Any]]: ...


class _Prefixed:
    """A codec whose label precedes the body."""

    def __init__(self, family: LabelFamily, codec: BlobCodec) -> None:
        self._codec = codec
        marker = family.framing is Framing.TRANSACTION_MARKER
        self._key = control_key(ControlType.COMMIT) if marker else None

    def encode(self, label: Label, value: dict[str, Any]) -> EmbeddedBlob:
        return EmbeddedBlob(self._codec.encode(label, value), self._key)

    def size(self, label: Label, value: dict[str, Any]) -> int:
        return self._codec.size(label, value)

    def decode(self, blob: EmbeddedBlob) -> tuple[Label, dict[str, Any]]:
        return self._codec.decode(blob.data)


class _Control:
    """A codec whose label is in the record's key."""

    def __init__(self, codecs: Codecs) -> None:
        self._codecs = codecs
        self._versions = {label.type or 0: label for label in codecs}
        self._codec = ControlRecordCodec({kind: codecs[label] for kind, label in self._versions.items()})

    def encode(self, label: Label, value: dict[str, Any]) -> EmbeddedBlob:
        key, data = self._codec.encode(label.type or 0, value)
        return EmbeddedBlob(data, key)

    def size(self, label: Label, value: dict[str, Any]) -> int:
        return self._codecs[label].size(value)

    def decode(self, blob: EmbeddedBlob) -> tuple[Label, dict[str, Any]]:
        kind, value = self._codec.decode(blob.key, blob.data)
        return self._versions[kind], value


class _Lazy(Mapping[Label, MessageCodec]):
    """The codecs of a family, each made on its first use."""

    def __init__(
        self, layouts: Mapping[Label, MessageLayout], make: Callable[[MessageLayout], MessageCodec]
    ) -> None:
        self._layouts = layouts
        self._make = make
        self._made: dict[Label, MessageCodec] = {}

    def __getitem__(self, label: Label) -> MessageCodec:
        if label not in self._made:
            self._made[label] = self._make(self._layouts[label])
        return self._made[label]

    def __iter__(self) -> Iterator[Label]:
        return iter(self._layouts)

    def __len__(self) -> int:
        return len(self._layouts)
