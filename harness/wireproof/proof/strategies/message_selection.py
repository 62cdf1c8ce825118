"""A message of a bundled release and some of its versions, selected by texts; their layouts and headers."""

from difflib import get_close_matches
from functools import cache
from typing import Final

from kafkawire.bundled import NEWEST, layout, versions
from kafkawire.compiler import compile_layout
from kafkawire.headers import FrameCodec
from kafkawire.schema import MessageKind, MessageLayout, VersionRange
from wireproof.base.text.wording import ranges_text

__all__ = ["ALL_VERSIONS", "frame_codec", "header_layouts", "layouts_of", "nearest_name"]

ALL_VERSIONS: Final = "0+"
"""The text that selects every version of a message."""

_HEADERS: Final = {MessageKind.REQUEST: "RequestHeader", MessageKind.RESPONSE: "ResponseHeader"}


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
    name = _HEADERS.get(of.kind)
    if name is None or of.header_version is None:
        raise ValueError(
            f"{of.name} has no frame: expected a request or a response; messages({of.name!r}) has its values"
        )
    return {version: layout(name, version, release=release) for version in versions(name, release)}


@cache
def frame_codec(header: MessageLayout, body: MessageLayout) -> FrameCodec:
    """The codec of frames that consist of this header and body."""
    return FrameCodec(compile_layout(header), compile_layout(body))


def nearest_name(kind: str, given: str, known: dict[str, object]) -> str:
    """A sentence that rejects an unknown name and suggests the nearest one."""
    near = get_close_matches(given.lower(), known, 1)
    advice = f"did you mean {near[0]!r}?" if near else f"expected one of {', '.join(known)}"
    return f"there is no {kind} {given!r}: {advice}"


def _ranges(selected: int | str) -> list[VersionRange]:
    try:
        return [VersionRange.parse(each) for each in str(selected).split(",")]
    except ValueError as error:
        raise ValueError(
            f"versions={selected!r} cannot be read: expected a version, or a text such as '4+' or '0,4-6'"
        ) from error
