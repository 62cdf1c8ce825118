"""The values of one message in captured traffic: entries of a corpus, and segment files of captures."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final

from kafkawire.canonical import canonical
from kafkawire.errors import CodecError
from kafkawire.schema import SchemaSet, resolve
from kafkawire.values import StructValue
from wireproof.definitions.sizes.size_table import SizeRequestError
from wireproof.model.cell import CellId
from wireproof.traffic.corpus.corpus_entry import GoldenEntry
from wireproof.traffic.corpus.corpus_file import CorpusKind
from wireproof.traffic.corpus.corpus_folder import CorpusSet, open_set
from wireproof.traffic.wire.connection_decoder import DecodedPart, IdentifiedFrame, decoded_segment
from wireproof.traffic.wire.frame_identifier import FrameIdentifier
from wireproof.traffic.wire.segment_format import SEGMENT_SUFFIX, SEGMENTS, SegmentDamage
from wireproof.traffic.wire.segment_reader import segment_facts

_GOLDEN: Final = str(CorpusKind.GOLDEN)
_MALFORMED: Final = str(CorpusKind.MALFORMED)


@dataclass(slots=True)
class TrafficValues:
    """The values of one message.

    Attributes:
        by_version: complete decoded values.
        undecoded: frames of the message that its release's schema does not decode.
        damaged: damaged parts of segment files, which may have held frames.
    """

    by_version: dict[int, list[StructValue]] = field(default_factory=dict)
    undecoded: int = 0
    damaged: int = 0

    def add(self, version: int, value: StructValue) -> None:
        self.by_version.setdefault(version, []).append(value)


def read_traffic(path: Path, message: str, schemas_of: Callable[[str], SchemaSet]) -> TrafficValues:
    """Read the values of a message.

    Args:
        path: a corpus (a folder or file), a capture's folder, a folder of captures, or one segment file.
        schemas_of: the schemas of a release; it raises LookupError where it knows none.

    Raises:
        SizeRequestError: the path holds no traffic, or that of an unknown release.
        CorpusError: the corpus is damaged.
        SegmentFormatError: a segment file is damaged.
        OSError: a file cannot be read.
    """
    found = TrafficValues()
    segments, known = _segments(path), cache(schemas_of)
    try:
        for segment in segments:
            _read_segment(segment, message, known, found)
        if not segments:
            _read_corpus(open_set(path), message, known, found)
    except LookupError as error:
        advice = "`wireproof releases` lists the releases that it knows."
        raise SizeRequestError(f"{path}: {error.args[0]}", advice) from error
    return found


def _segments(path: Path) -> list[Path]:
    """The segment files of a capture or a folder of captures; empty for a corpus with captures beside it."""
    if path.suffix == SEGMENT_SUFFIX:
        return [path]
    return [] if (path / _GOLDEN).is_dir() else sorted(path.glob(f"**/{SEGMENTS}/*{SEGMENT_SUFFIX}"))


def _read_corpus(
    corpus: CorpusSet, message: str, schemas_of: Callable[[str], SchemaSet], found: TrafficValues
) -> None:
    for place in corpus.places:
        path = Path(place)
        if corpus.in_folder and not (path.name.startswith(f"{message}.") and _MALFORMED not in path.parts):
            continue
        for entry in corpus.part_at(place).entries:
            cell = CellId.parse(entry.cell)
            if isinstance(entry, GoldenEntry) and cell.message == message:
                _, spec = schemas_of(cell.release).find(message)
                layout = resolve(spec, cell.version)
                found.add(cell.version, canonical(layout).from_tree(entry.value))


def _read_segment(
    path: Path, message: str, schemas_of: Callable[[str], SchemaSet], found: TrafficValues
) -> None:
    with path.open("rb") as file:
        naming = FrameIdentifier(schemas_of(str(segment_facts(file).get("release") or "")))
        for part in decoded_segment(file, naming):
            if isinstance(part, SegmentDamage):
                found.damaged += 1
            else:
                _take(naming, part[1], message, found)


def _take(naming: FrameIdentifier, part: DecodedPart, message: str, found: TrafficValues) -> None:
    if isinstance(part, IdentifiedFrame) and part.named.message == message:
        try:
            _, value = naming.codec(part.named).decode(part.frame.data)
        except CodecError:
            found.undecoded += 1
        else:
            found.add(part.named.version, value)
