"""``wireproof decode``."""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click

from kafkawire.annotate import annotate, hexdump
from kafkawire.canonical import canonical
from kafkawire.compiler import compile_layout
from kafkawire.errors import CodecError
from kafkawire.headers import FrameCodec
from kafkawire.schema.layout import MessageLayout
from wireproof.assembly.cell_lookup import cell_in
from wireproof.assembly.corpus_in_use import REWRITE_CORPUS
from wireproof.assembly.run_inputs import find_release, snapshots
from wireproof.cli.exit_code_help import DocumentedCommand
from wireproof.cli.options import schemas_option
from wireproof.config import SchemaSource
from wireproof.corpus import CorpusError, GoldenEntry, id_of, open_set
from wireproof.fatal import FatalError
from wireproof.foreign_text import escaped_json
from wireproof.model import CellId, release_in
from wireproof.output import echo
from wireproof.run import ExitCode, Layouts
from wireproof.wire import FrameIdentifier, UnknownFrameType
from wireproof.wording import counted

__all__ = ["command"]

_SIZE_BYTES: Final = 4
_NAME_BYTES: Final = 8
_HEX: Final = re.compile(r"(?:0x)?([0-9a-fA-F\s:]*)")


@dataclass(frozen=True, slots=True)
class _Bytes:
    """Bytes with the layouts to decode them.

    Attributes:
        framed: true if the body follows a size and a header.
    """

    layout: MessageLayout
    header: MessageLayout | None
    data: bytes
    framed: bool


@click.command(
    "decode",
    cls=DocumentedCommand,
    exit_codes={
        ExitCode.PROVEN: "All bytes were decoded.",
        ExitCode.DIVERGENCE: "The bytes cannot be decoded: the dump ends there.",
        ExitCode.BROKEN: "The corpus is damaged, or wireproof itself failed.",
    },
)
@click.argument("words", metavar="HEX", nargs=-1, required=True)
@click.option(
    "--cell",
    metavar="CELL",
    help="Decode this message: MESSAGE/VERSION or RELEASE/MESSAGE/VERSION. Default: a request frame.",
)
@click.option(
    "--release",
    default="newest",
    show_default=True,
    metavar="RELEASE",
    help="Use the schemas of this release.",
)
@schemas_option
@click.option(
    "--corpus",
    type=click.Path(exists=True, path_type=Path),
    metavar="PATH",
    help="Decode an entry of this corpus: HEX is its id, or the first digits of it.",
)
def command(
    words: tuple[str, ...], cell: str | None, release: str, schemas: Path | None, corpus: Path | None
) -> int:
    """Explain every byte of a frame or a message: an annotated hexdump, and the value as JSON.

    HEX may contain white space and colons. If it is -, the command reads hex or binary data from standard
    input. Bytes that begin with their size are a frame with a header. If bytes cannot be decoded, the dump
    ends there.

    \b
    wireproof decode 0000000d 0012 0000 00000001 0003 626164
    wireproof decode --cell ApiVersionsResponse/3 - < frame.bin
    wireproof decode --corpus corpus 9c51acfc
    """
    data = " ".join(words)
    source = SchemaSource.of(schemas)
    if corpus is not None:
        shown = _of_entry(corpus, data, source)
    else:
        shown = _of_bytes(_input(data), cell, release, source)
    for line in _dump(shown):
        echo(line)
    try:
        for text in _values(shown):
            echo(escaped_json(text))
    except CodecError as error:
        echo(f"{shown.layout.name} {shown.layout.version} cannot be read: {error}", err=True)
        return int(ExitCode.DIVERGENCE)
    return int(ExitCode.PROVEN)


def _input(data: str) -> bytes:
    """The bytes of the hex, or those of standard input, in hex or binary."""
    if data == "-":
        raw = sys.stdin.buffer.read()
        try:
            text = raw.decode("ascii")
        except UnicodeError:
            return raw
        if _HEX.fullmatch(text) is None:
            return raw
        data = text
    found = _HEX.fullmatch(data)
    digits = re.sub(r"[\s:]", "", found[1]) if found else ""
    if found is None or len(digits) % 2:
        raise FatalError(
            f"{data[:40]!r} is not hexadecimal", "Write two digits for each byte.", ExitCode.USAGE
        )
    return bytes.fromhex(digits)


def _of_bytes(data: bytes, cell: str | None, release: str, source: SchemaSource | None) -> _Bytes:
    try:
        wanted = None if cell is None else CellId.parse_short(cell)
    except ValueError as error:
        raise FatalError(
            f"--cell: {cell!r} is not a cell", "Write MESSAGE/VERSION.", ExitCode.USAGE
        ) from error
    schemas = snapshots([find_release(wanted.release or release if wanted else release, source)])
    layouts = Layouts(schemas)
    (known,) = schemas.values()
    if wanted is not None:
        found = cell_in(known, wanted.message, wanted.version)
        layout = layouts.of(found)
        header = layouts.header(found)
        return _Bytes(layout, header, data, header is not None and _is_framed(data))
    data = data if _is_framed(data) else len(data).to_bytes(_SIZE_BYTES, "big") + data
    if len(data) < _SIZE_BYTES + _NAME_BYTES:
        raise FatalError(
            f"{counted(len(data) - _SIZE_BYTES, 'byte')} are too few for a request",
            "Name the message: --cell MESSAGE/VERSION.",
            ExitCode.USAGE,
        )
    key, number = int.from_bytes(data[4:6], "big"), int.from_bytes(data[6:8], "big")
    named = FrameIdentifier(known).request(key, number)
    if isinstance(named, UnknownFrameType):
        what = f"version {number} of {named.message}" if named.message else f"api key {key}"
        raise FatalError(
            f"as a request this would be {what}, which {known.release} does not have",
            "Name the message with --cell MESSAGE/VERSION, or the release with --release.",
            ExitCode.USAGE,
        )
    header = layouts.header(cell_in(known, named.message, named.version))
    return _Bytes(named.layout, header, data, framed=True)


def _is_framed(data: bytes) -> bool:
    return int.from_bytes(data[:_SIZE_BYTES], "big") == len(data) - _SIZE_BYTES


def _of_entry(corpus: Path, wanted: str, source: SchemaSource | None) -> _Bytes:
    """The bytes of the corpus entry whose id begins with these digits."""
    try:
        entries = [entry for _, part in open_set(corpus).parts() for entry in part.entries]
    except CorpusError as error:
        raise FatalError(str(error), REWRITE_CORPUS, ExitCode.BROKEN) from error
    found = [entry for entry in entries if id_of(entry).startswith(wanted)]
    if len(found) != 1:
        words = (
            f"{counted(len(found), 'entry', 'entries')} of {corpus} have"
            if found
            else f"no entry of {corpus} has"
        )
        raise FatalError(f"{words} an id that begins with {wanted}", "", ExitCode.USAGE)
    (entry,) = found
    shown = _of_bytes(b"", entry.cell, release_in(entry.cell), source)
    if isinstance(entry, GoldenEntry):
        return _Bytes(shown.layout, shown.header, entry.frame, framed=bool(entry.head))
    return _Bytes(shown.layout, shown.header, entry.data, entry.framed)


def _dump(shown: _Bytes) -> Iterator[str]:
    """The name of the message, and a row for each run of bytes with one meaning."""
    layout = shown.layout
    yield f"{layout.name} {layout.version}, {counted(len(shown.data), 'byte')}"
    if not shown.framed:
        yield from _rows(layout, shown.data, 0, "")
        return
    assert shown.header is not None
    yield _row("0000", shown.data[:_SIZE_BYTES].hex(" "), f"size = {len(shown.data) - _SIZE_BYTES}")
    head = annotate(shown.header, shown.data, _SIZE_BYTES)
    if head.stopped is not None:
        yield from _rows(shown.header, shown.data, _SIZE_BYTES, "header.")
        return
    yield from _rows(shown.header, shown.data[: head.end], _SIZE_BYTES, "header.")
    yield from _rows(layout, shown.data, head.end, "")


def _rows(layout: MessageLayout, data: bytes, start: int, prefix: str) -> Iterator[str]:
    for offset, text, meaning in hexdump(annotate(layout, data, start), data):
        yield _row(offset, text, prefix + meaning)


def _row(offset: str, text: str, meaning: str) -> str:
    return f"  {offset}  {text:38}  {meaning}"


def _values(shown: _Bytes) -> Iterator[str]:
    """Header and body as canonical JSON.

    Raises:
        DecodeError: the bytes are not valid.
    """
    body = compile_layout(shown.layout)
    if not shown.framed:
        yield canonical(shown.layout).to_json(body.decode(shown.data))
        return
    assert shown.header is not None
    header, value = FrameCodec(compile_layout(shown.header), body).decode(shown.data)
    yield canonical(shown.header).to_json(header)
    yield canonical(shown.layout).to_json(value)
