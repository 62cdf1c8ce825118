"""``wireproof decode``, and the bytes that it decodes: of words, of standard input, of a corpus entry."""

import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import click

from kafkawire.annotate import Annotation, annotate
from kafkawire.canonical import canonical
from kafkawire.compiler import fastest_codec
from kafkawire.errors import CodecError
from kafkawire.headers import FrameCodec
from kafkawire.records import (
    AnnotatedMessage,
    MissingLibraryError,
    annotate_records,
    annotate_with_records,
    decode_records,
    to_value,
)
from wireproof.app.assembly.corpus.corpus_in_use import REWRITE_CORPUS
from wireproof.app.assembly.inputs.bundled_schemas import snapshots
from wireproof.app.assembly.inputs.cell_lookup import cell_in
from wireproof.app.assembly.inputs.run_inputs import find_release
from wireproof.app.cli.cells.show_command import dump_lines
from wireproof.app.cli.options import documented_command, run_option
from wireproof.base.exit_codes import ExitCode, FatalError, as_fatal
from wireproof.base.extras import install
from wireproof.base.text.wording import counted, echo, echo_lines, escaped_json
from wireproof.model.cell import RECORDS_MODULE, CellId, release_in
from wireproof.proof.config.selection import SchemaSource
from wireproof.proof.run.core.environment import Layouts
from wireproof.traffic.corpus.corpus_entry import CorpusError, GoldenEntry, id_of
from wireproof.traffic.corpus.corpus_folder import open_set
from wireproof.traffic.wire.frame_identifier import FrameIdentifier, UnknownFrameType
from wireproof.verdict.report.decoder.decoder_page import DecodedMessage, decoder_page

SIZE_BYTES: Final = 4
_NAME_BYTES: Final = 8
_HEX: Final = re.compile(r"(?:0x)?([0-9a-fA-F\s:]*)")


def input_bytes(data: str) -> bytes:
    """Return the bytes of a text in hex; for ``-``, the bytes of standard input, in hex or binary."""
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
        raise FatalError(f"{data[:40]!r} is not hexadecimal", "Write two digits for each byte.")
    return bytes.fromhex(digits)


def bytes_of_cell(data: bytes, cell: str | None, release: str, source: SchemaSource | None) -> DecodedMessage:
    """Return the bytes with the layouts of a cell; without a cell, of the request that the bytes name.

    Args:
        cell: ``MESSAGE/VERSION`` or ``RELEASE/MESSAGE/VERSION``.
    """
    try:
        wanted = None if cell is None else CellId.parse_short(cell)
    except ValueError as error:
        raise FatalError(f"--cell: {cell!r} is not a cell", "Write MESSAGE/VERSION.") from error
    schemas = snapshots([find_release(wanted.release or release if wanted else release, source)])
    layouts = Layouts(schemas)
    (known,) = schemas.values()
    if wanted is not None:
        found = cell_in(known, wanted.message, wanted.version)
        layout = layouts.of(found)
        header = layouts.header(found)
        framed = header is not None and _is_framed(data)
        return DecodedMessage(found.release, found.module, layout, header, data, framed)
    naming = FrameIdentifier(known)
    if not _is_framed(data):
        if (whole := naming.of_wrong_size(data)) is not None:
            said, came = int.from_bytes(data[:SIZE_BYTES], "big"), len(data) - SIZE_BYTES
            raise FatalError(
                f"the size says {said:,} bytes, and a whole {whole.message} of {came:,} bytes follows",
                f"Correct the first {SIZE_BYTES} bytes, or leave them out.",
            )
        data = len(data).to_bytes(SIZE_BYTES, "big") + data
    if len(data) < SIZE_BYTES + _NAME_BYTES:
        raise FatalError(
            f"{counted(len(data) - SIZE_BYTES, 'byte')} are too few for a request",
            "Name the message: --cell MESSAGE/VERSION.",
        )
    key, number = int.from_bytes(data[4:6], "big"), int.from_bytes(data[6:8], "big")
    named = naming.request(key, number)
    if isinstance(named, UnknownFrameType):
        what = f"version {number} of {named.message}" if named.message else f"api key {key}"
        raise FatalError(
            f"as a request this would be {what}, which {known.release} does not have",
            "Name the message with --cell MESSAGE/VERSION, or the release with --release.",
        )
    header = layouts.header(cell_in(known, named.message, named.version))
    return DecodedMessage(known.release, named.module, named.layout, header, data, framed=True)


def _is_framed(data: bytes) -> bool:
    return int.from_bytes(data[:SIZE_BYTES], "big") == len(data) - SIZE_BYTES


def bytes_of_entry(corpus: Path, wanted: str, source: SchemaSource | None) -> DecodedMessage:
    """Return the bytes of the corpus entry whose id begins with these digits."""
    with as_fatal(CorpusError, exit_code=ExitCode.BROKEN, advice=REWRITE_CORPUS):
        entries = [entry for _, part in open_set(corpus).parts() for entry in part.entries]
    found = [entry for entry in entries if id_of(entry).startswith(wanted)]
    if len(found) != 1:
        words = (
            f"{counted(len(found), 'entry', 'entries')} of {corpus} have"
            if found
            else f"no entry of {corpus} has"
        )
        raise FatalError(f"{words} an id that begins with {wanted}")
    (entry,) = found
    shown = bytes_of_cell(b"", entry.cell, release_in(entry.cell), source)
    if isinstance(entry, GoldenEntry):
        return replace(shown, data=entry.frame, framed=bool(entry.head))
    return replace(shown, data=entry.data, framed=entry.framed)


@documented_command(
    "decode",
    {
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
@run_option("schemas")
@click.option(
    "--corpus",
    type=click.Path(exists=True, path_type=Path),
    metavar="PATH",
    help="Decode an entry of this corpus: HEX is its id, or the first digits of it.",
)
@click.option(
    "--html",
    "page",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write a page with the fields and the bytes, linked to each other.",
)
def command(
    words: tuple[str, ...],
    cell: str | None,
    release: str,
    schemas: Path | None,
    corpus: Path | None,
    page: Path | None,
) -> int:
    """Explain every byte of a frame or a message: an annotated hexdump, and the value as JSON.

    HEX may contain white space and colons. If it is -, the command reads hex or binary data from standard
    input. Bytes that begin with their size are a frame with a header. If bytes cannot be decoded, the dump
    ends there.

    \b
    wireproof decode 0000000d 0012 0000 00000001 0003 626164
    wireproof decode --cell ApiVersionsResponse/3 - < frame.bin
    wireproof decode --corpus corpus 9c51acfc
    wireproof decode --html frame.html - < frame.bin
    """
    data = " ".join(words)
    source = SchemaSource.of(schemas)
    if corpus is not None:
        shown = bytes_of_entry(corpus, data, source)
    else:
        shown = bytes_of_cell(input_bytes(data), cell, release, source)
    head, body = _annotations(shown)
    dump = list(_dump(shown, head, body))
    echo_lines(dump)
    values: list[tuple[str, str]] = []
    code = _echo_values(shown, body, values)
    if page is not None:
        _write_page(page, shown, dump, values)
    return int(code)


def _echo_values(shown: DecodedMessage, body: AnnotatedMessage, values: list[tuple[str, str]]) -> ExitCode:
    """Print header and body as JSON, and add them to `values` with their names; return the exit code."""
    try:
        for name, text in _values(shown):
            echo(escaped_json(text))
            values.append((name, escaped_json(text)))
    except CodecError as error:
        echo(f"{shown.layout.name} {shown.layout.version} cannot be read: {error}", err=True)
        return ExitCode.DIVERGENCE
    except MissingLibraryError as error:
        raise FatalError(str(error), f"Type: {install('records')}") from error
    for fault in body.record_faults:
        echo(f"a record set cannot be read: {fault}", err=True)
    return ExitCode.DIVERGENCE if body.record_faults else ExitCode.PROVEN


def _write_page(path: Path, shown: DecodedMessage, dump: list[str], values: list[tuple[str, str]]) -> None:
    text = decoder_page(replace(shown, dump=dump, values=values))
    with as_fatal(
        OSError, what=f"--html: {path} cannot be written: ", advice="Name a file in a folder that exists."
    ):
        path.write_text(text, encoding="utf-8")
    echo(f"page: {path}", err=True)


def _annotations(shown: DecodedMessage) -> tuple[Annotation | None, AnnotatedMessage]:
    """Return the spans of the header (None without a header) and of the body (none after a faulty header)."""
    if shown.module == RECORDS_MODULE:
        return None, AnnotatedMessage(annotate_records(shown.data), ())
    if not shown.framed:
        return None, annotate_with_records(shown.layout, shown.data)
    assert shown.header is not None
    head = annotate(shown.header, shown.data, SIZE_BYTES)
    if head.stopped is not None:
        return head, AnnotatedMessage(Annotation((), head.end, head.stopped), ())
    return head, annotate_with_records(shown.layout, shown.data, head.end)


def _dump(shown: DecodedMessage, head: Annotation | None, body: AnnotatedMessage) -> Iterator[str]:
    """The name of the message, and a row for each run of bytes with one meaning."""
    layout = shown.layout
    yield f"{layout.name} {layout.version}, {counted(len(shown.data), 'byte')}"
    if head is not None:
        yield f"  0000  {shown.data[:SIZE_BYTES].hex(' '):38}  size = {len(shown.data) - SIZE_BYTES}"
        if head.stopped is not None:
            yield from dump_lines(head, shown.data, "header.")
            return
        yield from dump_lines(head, shown.data[: head.end], "header.")
    yield from dump_lines(body.message, shown.data)


def _values(shown: DecodedMessage) -> Iterator[tuple[str, str]]:
    """The name and the canonical JSON of header and body."""
    if shown.module == RECORDS_MODULE:
        records = to_value(decode_records(shown.data))
        yield shown.layout.name, canonical(shown.layout).to_json(records)
        return
    body = fastest_codec(shown.layout)
    if not shown.framed:
        yield shown.layout.name, canonical(shown.layout).to_json(body.decode(shown.data))
        return
    assert shown.header is not None
    header, value = FrameCodec(fastest_codec(shown.header), body).decode(shown.data)
    yield shown.header.name, canonical(shown.header).to_json(header)
    yield shown.layout.name, canonical(shown.layout).to_json(value)
