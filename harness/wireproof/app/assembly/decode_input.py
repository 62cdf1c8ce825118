"""The bytes that ``wireproof decode`` decodes: of words, of standard input, of a corpus entry."""

import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from kafkawire.schema.layout import MessageLayout
from wireproof.app.assembly.corpus.corpus_in_use import REWRITE_CORPUS
from wireproof.app.assembly.inputs.cell_lookup import cell_in
from wireproof.app.assembly.inputs.run_inputs import find_release
from wireproof.app.assembly.inputs.schema_snapshots import snapshots
from wireproof.base.fatal import FatalError
from wireproof.base.text.wording import counted
from wireproof.model import RECORDS_MODULE, CellId, release_in
from wireproof.proof.config import SchemaSource
from wireproof.proof.run import ExitCode, Layouts
from wireproof.traffic.corpus import CorpusError, GoldenEntry, id_of, open_set
from wireproof.traffic.wire import FrameIdentifier, UnknownFrameType

SIZE_BYTES: Final = 4
_NAME_BYTES: Final = 8
_HEX: Final = re.compile(r"(?:0x)?([0-9a-fA-F\s:]*)")


@dataclass(frozen=True, slots=True)
class BytesToDecode:
    """Bytes with the layouts to decode them.

    Attributes:
        release, module: where the message is from.
        header: the layout of the header; None if the message is sent without one.
        framed: true if the body follows a size and a header.
    """

    release: str
    module: str
    layout: MessageLayout
    header: MessageLayout | None
    data: bytes
    framed: bool

    @property
    def is_record_set(self) -> bool:
        """True for record batches, which have no schema."""
        return self.module == RECORDS_MODULE


def input_bytes(data: str) -> bytes:
    """Return the bytes of the hex; those of standard input, in hex or binary, if it is ``-``.

    Raises:
        FatalError: the text is not hexadecimal.
    """
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


def bytes_of_cell(data: bytes, cell: str | None, release: str, source: SchemaSource | None) -> BytesToDecode:
    """Return the bytes with the layouts of this cell; of the request that they name if the cell is None.

    Args:
        cell: ``MESSAGE/VERSION`` or ``RELEASE/MESSAGE/VERSION``.

    Raises:
        FatalError: the release lacks the cell, or the bytes are not a request that the release has.
    """
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
        framed = header is not None and _is_framed(data)
        return BytesToDecode(found.release, found.module, layout, header, data, framed)
    data = data if _is_framed(data) else len(data).to_bytes(SIZE_BYTES, "big") + data
    if len(data) < SIZE_BYTES + _NAME_BYTES:
        raise FatalError(
            f"{counted(len(data) - SIZE_BYTES, 'byte')} are too few for a request",
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
    return BytesToDecode(known.release, named.module, named.layout, header, data, framed=True)


def _is_framed(data: bytes) -> bool:
    return int.from_bytes(data[:SIZE_BYTES], "big") == len(data) - SIZE_BYTES


def bytes_of_entry(corpus: Path, wanted: str, source: SchemaSource | None) -> BytesToDecode:
    """Return the bytes of the corpus entry whose id begins with these digits.

    Raises:
        FatalError: the corpus is damaged, or not exactly one entry has such an id.
    """
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
    shown = bytes_of_cell(b"", entry.cell, release_in(entry.cell), source)
    if isinstance(entry, GoldenEntry):
        return replace(shown, data=entry.frame, framed=bool(entry.head))
    return replace(shown, data=entry.data, framed=entry.framed)
