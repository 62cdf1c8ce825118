"""Hypothesis strategies for the tests of a Kafka codec or client. They need no Java and no running Kafka.

Every example is valid by construction (or malformed on purpose), and shrinks to the fields that matter: all
others stay at their defaults. Values are plain dictionaries with Kafka's JSON names, as in `kafkawire`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache, partial
from typing import Final

from hypothesis import strategies as st

from kafkawire.bundled import NEWEST, layout, versions
from kafkawire.compiler import fastest_codec
from kafkawire.headers import FrameCodec
from kafkawire.records import Compression, RecordSet
from kafkawire.schema import MessageKind, MessageLayout, VersionRange
from kafkawire.values import StructValue
from kafkawire.wire import PREFIX_BYTES, write_frame
from wireproof.base.text.wording import ranges_text
from wireproof.model.layout_parts import HEADERS
from wireproof.model.malformed_input import Mutation
from wireproof.proof.strategies.drawing.hypothesis_instances import from_layout
from wireproof.proof.strategies.malformed.frame_mutations import frame_mutations
from wireproof.proof.strategies.malformed.message_mutations import mutations
from wireproof.proof.strategies.records.hypothesis_records import drawn_record_sets

ALL_VERSIONS: Final = "0+"
"""The text that selects every version of a message."""


def layouts_of(message: str, selected: int | str, release: str = NEWEST) -> tuple[MessageLayout, ...]:
    """The layouts of a message at the selected versions, lowest version first.

    Args:
        message: Kafka's name of it, such as ``FetchRequest``.
        selected: a version, or a text such as ``4+``, ``3-7`` or ``0,4-6``.
        release: ``4.4.0``, ``4.4`` (the bundled patch of that line) or ``newest``.

    Raises:
        UnknownReleaseError: the release is not bundled.
        UnknownMessageError: the release has no such message; the error suggests similar names.
        ValueError: the text cannot be read, or selects no version that the message has.
    """
    known = versions(message, release)
    ranges = _ranges(selected)
    found = [version for version in known if any(version in each for each in ranges)]
    if not found:
        has = ranges_text(list(known)) if known else "none"
        raise ValueError(f"versions={selected!r} selects no version of {message}: Kafka {release} has {has}")
    return tuple(layout(message, version, release=release) for version in found)


def header_layouts(of: MessageLayout, release: str = NEWEST) -> dict[int, MessageLayout]:
    """The layouts of all versions of the header that precedes a request or a response.

    Raises:
        ValueError: the message is inside others, and is not sent in a frame of its own.
    """
    name = HEADERS.get(of.kind)
    if name is None or of.header_version is None:
        raise ValueError(
            f"{of.name} has no frame: expected a request or a response; messages({of.name!r}) has its values"
        )
    return {version: layout(name, version, release=release) for version in versions(name, release)}


@cache
def frame_codec(header: MessageLayout, body: MessageLayout) -> FrameCodec:
    """The codec of frames that consist of this header and body."""
    return FrameCodec(fastest_codec(header), fastest_codec(body))


def _ranges(selected: int | str) -> list[VersionRange]:
    try:
        return [VersionRange.parse(each) for each in str(selected).split(",")]
    except ValueError as error:
        raise ValueError(
            f"versions={selected!r} cannot be read: expected a version, or a text such as '4+' or '0,4-6'"
        ) from error


_MOST_MUTATED_BYTES: Final = 256
"""Of a frame whose changes are enumerated; a larger one is replaced by the message at its defaults."""
_MAGICS: Final = (2, 1, 0)
_CODECS: Final = {each.name.lower(): each for each in Compression}


@dataclass(frozen=True, slots=True)
class MessageExample:
    """One value of a message.

    Attributes:
        message, version: name and version, such as ``FetchRequest`` and 12.
        value: fields by Kafka's JSON names; a field at its default may be absent. Treat it as read-only.
        layout: the resolved layout of the message at its version.
    """

    message: str
    version: int
    value: StructValue
    layout: MessageLayout = field(repr=False)

    @property
    def data(self) -> bytes:
        """The encoded body, without size and header."""
        return fastest_codec(self.layout).encode(self.value)


@dataclass(frozen=True, slots=True)
class FrameExample:
    """One request or response as it is sent: size, header, body.

    Attributes:
        message, version: name and version of the body.
        header, value: header and body, as in `MessageExample`.
        data: the frame, its size included.
    """

    message: str
    version: int
    header: StructValue
    value: StructValue
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class MalformedFrame:
    """A valid frame with one change that a codec has to cope with.

    Attributes:
        operator: what was changed, such as ``truncate``, ``length=-2`` or ``frame-size=negative``.
        path: the field that was changed; ``""`` is the whole message.
        offset: of the change, in bytes from the start of the frame.
        data: the malformed frame.
        valid: the frame before the change.
    """

    message: str
    version: int
    operator: str
    path: str
    offset: int
    data: bytes
    valid: bytes = field(repr=False)


def messages(
    message: str,
    *,
    versions: int | str = ALL_VERSIONS,
    release: str = NEWEST,
    unknown_tags: bool = True,
    max_elements: int = 3,
    large: bool = False,
) -> st.SearchStrategy[MessageExample]:
    """Valid values of a message.

    Args:
        message: Kafka's name of it, such as ``FetchRequest``.
        versions: a version, or a text such as ``4+``, ``3-7`` or ``0,4-6``.
        release: whose schemas: ``4.4.0``, ``4.4`` or ``newest``. All releases that wireproof knows are
            bundled.
        unknown_tags: also draw tagged fields that no schema defines (KIP-482).
        max_elements: the most elements of an array of structs, at least 1; a few arrays have 126 to 128.
        large: bring one value in a hundred to 64 KiB or 1 MiB.

    Raises:
        UnknownReleaseError, UnknownMessageError: no such name; the error suggests the nearest one.
        ValueError: `versions` selects none of the message's versions, or `max_elements` is below 1.
    """
    if max_elements < 1:
        raise ValueError(f"max_elements must be at least 1, not {max_elements}")

    @cache
    def instances(layout: MessageLayout) -> st.SearchStrategy[MessageExample]:
        values = from_layout(layout, unknown_tags=unknown_tags, max_elements=max_elements, large=large)
        return values.map(lambda value: MessageExample(layout.name, layout.version, value, layout))

    return st.sampled_from(layouts_of(message, versions, release)).flatmap(instances)


def frames(
    message: str,
    *,
    versions: int | str = ALL_VERSIONS,
    release: str = NEWEST,
    unknown_tags: bool = True,
    max_elements: int = 3,
    large: bool = False,
) -> st.SearchStrategy[FrameExample]:
    """Valid frames of a request or a response, with a header of the version that Kafka expects before it.

    Args and errors are those of `messages`.

    Raises:
        ValueError: also where the message is not a request or a response.
    """
    layouts = layouts_of(message, versions, release)
    headers = {layout.version: header_layouts(layout, release) for layout in layouts}
    bodies = messages(
        message,
        versions=versions,
        release=release,
        unknown_tags=unknown_tags,
        max_elements=max_elements,
        large=large,
    )

    @cache
    def heads(layout: MessageLayout) -> st.SearchStrategy[StructValue]:
        own = headers[layout.version][_header_version(layout)]
        drawn = from_layout(own, unknown_tags=unknown_tags, large=False)
        return drawn.map(lambda header: {**header, **_identity(layout)})

    def framed(body: MessageExample) -> st.SearchStrategy[FrameExample]:
        layout = body.layout
        codec = frame_codec(headers[layout.version][_header_version(layout)], layout)

        def build(header: StructValue) -> FrameExample:
            data = codec.encode(header, body.value)
            return FrameExample(body.message, body.version, header, body.value, data)

        return heads(layout).map(build)

    return bodies.flatmap(framed)


def malformed_frames(
    message: str, *, versions: int | str = ALL_VERSIONS, release: str = NEWEST, unknown_tags: bool = True
) -> st.SearchStrategy[MalformedFrame]:
    """Frames with one change each: cut, extended, or with a hostile size, count, length, marker or tag.

    A few changes lead to another valid frame. A codec must read a malformed frame as a value, or refuse it
    with its own error; it must not crash, hang or allocate memory out of proportion to the bytes.

    Args and errors are those of `frames`.
    """
    known = {each.version: each for each in layouts_of(message, versions, release)}
    headers = {version: header_layouts(each, release) for version, each in known.items()}

    def broken(frame: FrameExample) -> st.SearchStrategy[MalformedFrame]:
        layout = known[frame.version]
        small = _small(frame, layout, headers[frame.version])
        operators = _changes(small, layout, headers[frame.version])
        return st.sampled_from(operators).flatmap(st.sampled_from).map(lambda make: make())

    drawn = frames(
        message, versions=versions, release=release, unknown_tags=unknown_tags, max_elements=1, large=False
    )
    return drawn.flatmap(broken)


def record_sets(
    *,
    magics: Sequence[int] = _MAGICS,
    codecs: Sequence[Compression | str] = tuple(Compression),
    unused_bits: bool = False,
    max_batches: int = 3,
) -> st.SearchStrategy[RecordSet]:
    """Record sets, the content of a `records` field; `kafkawire.records.encode_records` makes their bytes.

    Args:
        magics: the record formats to draw from: 2 (batches), 1 and 0 (message sets).
        codecs: compressions or their names, or one name: ``none``, ``gzip``, ``snappy``, ``lz4``, ``zstd``.
            Message sets are never compressed with zstd.
        unused_bits: also set attribute bits that Kafka ignores and never writes.
        max_batches: the most batches of a set, at least 0.

    Raises:
        ValueError: an unknown magic or compression (the error suggests the nearest name), or no batch
            has both.
    """
    if isinstance(codecs, str):
        codecs = [codecs]
    for magic in magics:
        if magic not in _MAGICS:
            raise ValueError(f"there is no magic {magic!r}: expected 2, 1 or 0")
    chosen = [each if isinstance(each, Compression) else _compression(each) for each in codecs]
    if not any(magic == 2 or each is not Compression.ZSTD for magic in magics for each in chosen):
        raise ValueError(
            f"no batch has magics={magics!r} and codecs={codecs!r}: expected one of each; zstd needs magic 2"
        )
    return drawn_record_sets(magics=magics, codecs=chosen, unused_bits=unused_bits, max_batches=max_batches)


def _compression(name: object) -> Compression:
    name = str(name)
    found = _CODECS.get(name.lower())
    if found is None:
        near = get_close_matches(name.lower(), _CODECS, 1)
        advice = f"did you mean {near[0]!r}?" if near else f"expected one of {', '.join(_CODECS)}"
        raise ValueError(f"there is no compression {name!r}: {advice}")
    return found


def _header_version(layout: MessageLayout) -> int:
    assert layout.header_version is not None  # `header_layouts` has refused all others
    return layout.header_version


def _identity(layout: MessageLayout) -> StructValue:
    """The fields of a request header that name the body."""
    if layout.kind is not MessageKind.REQUEST:
        return {}
    return {"requestApiKey": layout.api_key, "requestApiVersion": layout.version}


def _small(frame: FrameExample, layout: MessageLayout, headers: dict[int, MessageLayout]) -> FrameExample:
    """The frame, or one at its defaults where the changes of this one would be too many to enumerate."""
    if len(frame.data) <= _MOST_MUTATED_BYTES:
        return frame
    header = _identity(layout)
    data = frame_codec(headers[_header_version(layout)], layout).encode(header, {})
    return FrameExample(frame.message, frame.version, header, {}, data)


def _changes(
    frame: FrameExample, layout: MessageLayout, headers: dict[int, MessageLayout]
) -> list[list[Callable[[], MalformedFrame]]]:
    """Every change of the frame's size, header and body, by operator; the size fits changes of the body."""
    codec = frame_codec(headers[_header_version(layout)], layout)
    header = codec.header.encode(frame.header)
    start = PREFIX_BYTES + len(header)
    body = frame.data[start:]

    def of_body(each: Mutation) -> MalformedFrame:
        return made(each, start, write_frame(header + each.apply(body)))

    def of_frame(each: Mutation) -> MalformedFrame:
        return made(each, 0, each.apply(frame.data))

    def made(each: Mutation, origin: int, data: bytes) -> MalformedFrame:
        about = frame.message, frame.version, each.operator, each.path, origin + each.offset
        return MalformedFrame(*about, data, frame.data)

    operators: dict[str, list[Callable[[], MalformedFrame]]] = {}
    for each in mutations(layout, body):
        operators.setdefault(each.operator, []).append(partial(of_body, each))
    for each in frame_mutations(headers, layout, header, body):
        if each.before != each.after:
            operators.setdefault(each.operator, []).append(partial(of_frame, each))
    return list(operators.values())
