"""Mutations of a frame: its size, its end, its header, and the message that the header names."""

from collections.abc import Iterator, Mapping

from kafkawire.annotate import annotate
from kafkawire.schema.layout import MessageLayout
from kafkawire.wire import PREFIX_BYTES
from wireproof.model.malformed_input import Mutation, MutationPart
from wireproof.proof.strategies.malformed.hostile_values import hostile_int
from wireproof.proof.strategies.malformed.message_mutations import TAILS, mutations


def frame_mutations(
    headers: Mapping[int, MessageLayout],
    layout: MessageLayout,
    header: bytes,
    body: bytes,
    part: MutationPart | None = None,
) -> Iterator[Mutation]:
    """Every mutation of a frame's size and header; each applies to the whole frame: size, header, body.

    Args:
        headers: the layouts of all versions of the header.
        part: selects mutations; None selects all.
    """
    assert layout.header_version is not None
    own = headers[layout.header_version]
    yield from _wanted(part, _edges(header, body))
    for inner in mutations(own, header, part):
        if not inner.operator.startswith("append"):
            yield _framed(inner, header, body)
    yield from _wanted(part, _identities(own, layout, header))
    yield from _wanted(part, _other_headers(headers, layout.header_version, header, body))


def _wanted(part: MutationPart | None, found: Iterator[Mutation]) -> Iterator[Mutation]:
    return (each for each in found if part is None or part.takes(each.operator, _kind(each), each.path))


def _kind(mutation: Mutation) -> str:
    """The kind of place in a frame: a field that names the message, another field of the header, the size."""
    word = mutation.operator.partition("=")[0]
    if word != "frame-truncate":
        return word
    return "frame size" if mutation.offset < PREFIX_BYTES else "frame header"


def _edges(header: bytes, body: bytes) -> Iterator[Mutation]:
    """Change the frame's size, append bytes, and cut the frame at each byte before its body."""
    size = (len(header) + len(body)).to_bytes(PREFIX_BYTES)
    frame = size + header + body
    for label, after in hostile_int(PREFIX_BYTES, len(frame) - PREFIX_BYTES, len(frame)):
        yield Mutation(f"frame-size={label}", "", 0, size, after)
    for label, tail in TAILS.items():
        yield Mutation(f"frame-append={label}", "", len(frame), b"", tail)
    for end in range(PREFIX_BYTES + len(header)):
        yield Mutation("frame-truncate", "", end, frame[end:], b"")


def _framed(inner: Mutation, header: bytes, body: bytes) -> Mutation:
    """A mutation of the header as one of the frame, with the right size. A cut removes the body, too."""
    after = inner.apply(header) + (b"" if inner.operator == "truncate" else body)
    before = (len(header) + len(body)).to_bytes(PREFIX_BYTES) + header + body
    path = f"header.{inner.path}" if inner.path else "header"
    whole = len(after).to_bytes(PREFIX_BYTES) + after
    if len(whole) == len(before):
        offset = inner.offset + PREFIX_BYTES
        return Mutation(f"header-{inner.operator}", path, offset, inner.before, inner.after)
    return Mutation(f"header-{inner.operator}-at-{inner.offset}", path, 0, before, whole)


def _identities(own: MessageLayout, layout: MessageLayout, header: bytes) -> Iterator[Mutation]:
    """Let the header name another message, or another version of the message."""
    numbers = {"requestApiKey": layout.api_key or 0, "requestApiVersion": layout.version}
    for span in annotate(own, header).spans:
        if span.path in numbers:
            for label, after in hostile_int(span.end - span.start, numbers[span.path], len(header)):
                offset, before = span.start + PREFIX_BYTES, header[span.start : span.end]
                yield Mutation(f"identity={label}", f"header.{span.path}", offset, before, after)


def _other_headers(
    headers: Mapping[int, MessageLayout], own: int, header: bytes, body: bytes
) -> Iterator[Mutation]:
    """Write the header in another version of it: without its tag section, or with one."""
    before = (len(header) + len(body)).to_bytes(PREFIX_BYTES) + header
    for version, layout in headers.items():
        flexible = headers[own].flexible
        if version != own and layout.flexible != flexible:
            other = header[: -len(_tag_section(headers[own], header))] if flexible else header + b"\x00"
            after = (len(other) + len(body)).to_bytes(PREFIX_BYTES) + other
            yield Mutation(f"header-version={version}", "header", 0, before, after)


def _tag_section(layout: MessageLayout, header: bytes) -> bytes:
    start = next(span.start for span in annotate(layout, header).spans if span.role == "tag count")
    return header[start:]
