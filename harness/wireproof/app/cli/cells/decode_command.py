"""``wireproof decode``."""

from collections.abc import Iterator
from pathlib import Path

import click

from kafkawire.annotate import Annotation, annotate, hexdump
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
from wireproof.app.assembly.decode_input import (
    SIZE_BYTES,
    BytesToDecode,
    bytes_of_cell,
    bytes_of_entry,
    input_bytes,
)
from wireproof.app.cli.exit_code_help import DocumentedCommand
from wireproof.app.cli.options import run_option
from wireproof.base.extras import install
from wireproof.base.fatal import FatalError
from wireproof.base.text.foreign_text import escaped_json
from wireproof.base.text.output import echo
from wireproof.base.text.wording import counted
from wireproof.proof.config import SchemaSource
from wireproof.proof.run import ExitCode
from wireproof.verdict.report.decoder import DecodedMessage, decoder_page


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
    for line in dump:
        echo(line)
    values: list[tuple[str, str]] = []
    code = _echo_values(shown, body, values)
    if page is not None:
        _write_page(page, shown, dump, values)
    return int(code)


def _echo_values(shown: BytesToDecode, body: AnnotatedMessage, values: list[tuple[str, str]]) -> ExitCode:
    """Print header and body as JSON, and put them into `values` with their names; the exit code.

    Raises:
        FatalError: a package is not installed.
    """
    try:
        for name, text in _values(shown):
            echo(escaped_json(text))
            values.append((name, escaped_json(text)))
    except CodecError as error:
        echo(f"{shown.layout.name} {shown.layout.version} cannot be read: {error}", err=True)
        return ExitCode.DIVERGENCE
    except MissingLibraryError as error:
        raise FatalError(str(error), f"Type: {install('records')}", ExitCode.USAGE) from error
    for fault in body.record_faults:
        echo(f"a record set cannot be read: {fault}", err=True)
    return ExitCode.DIVERGENCE if body.record_faults else ExitCode.PROVEN


def _write_page(path: Path, shown: BytesToDecode, dump: list[str], values: list[tuple[str, str]]) -> None:
    """Write the page.

    Raises:
        FatalError: the file cannot be written.
    """
    text = decoder_page(
        DecodedMessage(
            shown.release,
            shown.module,
            shown.layout,
            shown.header,
            shown.data,
            shown.framed,
            dump,
            values,
        )
    )
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise FatalError(
            f"--html: {path} cannot be written: {error.strerror}",
            "Name a file in a folder that exists.",
            ExitCode.USAGE,
        ) from error
    echo(f"page: {path}", err=True)


def _annotations(shown: BytesToDecode) -> tuple[Annotation | None, AnnotatedMessage]:
    """The spans of the header, None if there is none, and those of the body: none after a faulty header."""
    if shown.is_record_set:
        return None, AnnotatedMessage(annotate_records(shown.data), ())
    if not shown.framed:
        return None, annotate_with_records(shown.layout, shown.data)
    assert shown.header is not None
    head = annotate(shown.header, shown.data, SIZE_BYTES)
    if head.stopped is not None:
        return head, AnnotatedMessage(Annotation((), head.end, head.stopped), ())
    return head, annotate_with_records(shown.layout, shown.data, head.end)


def _dump(shown: BytesToDecode, head: Annotation | None, body: AnnotatedMessage) -> Iterator[str]:
    """The name of the message, and a row for each run of bytes with one meaning."""
    layout = shown.layout
    yield f"{layout.name} {layout.version}, {counted(len(shown.data), 'byte')}"
    if head is not None:
        yield _row("0000", shown.data[:SIZE_BYTES].hex(" "), f"size = {len(shown.data) - SIZE_BYTES}")
        if head.stopped is not None:
            yield from _rows(head, shown.data, "header.")
            return
        yield from _rows(head, shown.data[: head.end], "header.")
    yield from _rows(body.message, shown.data, "")


def _rows(annotation: Annotation, data: bytes, prefix: str) -> Iterator[str]:
    for offset, text, meaning in hexdump(annotation, data):
        yield _row(offset, text, prefix + meaning)


def _row(offset: str, text: str, meaning: str) -> str:
    return f"  {offset}  {text:38}  {meaning}"


def _values(shown: BytesToDecode) -> Iterator[tuple[str, str]]:
    """The name and the canonical JSON of header and body.

    Raises:
        DecodeError: the bytes are not valid.
        MissingLibraryError: a record set needs a package that is not installed.
    """
    if shown.is_record_set:
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
