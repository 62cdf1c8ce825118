"""Every span of bytes by our Python annotation, as text that the decoder of the browser is compared with."""

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from uuid import UUID

from kafkawire.annotate import Annotation, Span, annotate
from kafkawire.errors import DecodeError, Fault
from kafkawire.records import annotate_records, annotate_with_records
from kafkawire.schema import MessageKind, MessageLayout, SchemaSet, resolve
from wireproof.traffic.corpus.corpus_entry import Entry, GoldenEntry

SIZE_BYTES = 4


@dataclass(frozen=True)
class Question:
    """Bytes with the cell to read them as.

    Attributes:
        begins: ``size``, ``header`` or ``body``: what the bytes begin with.
    """

    release: str
    message: str
    version: int
    begins: str
    data: bytes

    @classmethod
    def of(cls, entry: Entry) -> "Question":
        """The bytes of a corpus entry."""
        release, message, version = entry.cell.split("/")
        if isinstance(entry, GoldenEntry):
            return cls(release, message, int(version), "size" if entry.head else "body", entry.frame)
        return cls(release, message, int(version), "size" if entry.framed else "body", entry.data)

    def plain(self) -> list[str | int]:
        """The question as JSON data."""
        return [self.release, self.message, self.version, self.begins, self.data.hex()]


class PythonReader:
    """The Python side of the comparison, over the schemas of releases."""

    def __init__(self, schemas: Mapping[str, SchemaSet]) -> None:
        self._schemas = schemas
        self._layouts = cache(self._resolve)

    def _resolve(
        self, release: str, message: str, version: int
    ) -> tuple[MessageLayout, MessageLayout | None]:
        schemas = self._schemas[release]
        layout = resolve(schemas.find(message)[1], version)
        if layout.header_version is None:
            return layout, None
        name = "RequestHeader" if layout.kind is MessageKind.REQUEST else "ResponseHeader"
        return layout, resolve(schemas.find(name)[1], layout.header_version)

    def text(self, question: Question) -> str:
        """A line for each span, in order; then the place where reading stops, and those of record sets."""
        layout, header = self._layouts(question.release, question.message, question.version)
        return "\n".join(_lines(question, layout, header))


def _lines(question: Question, layout: MessageLayout, header: MessageLayout | None) -> Iterator[str]:
    data, pos = question.data, 0
    if question.message == "RecordBatch":
        yield from _annotated(annotate_records(data))
        return
    if question.begins == "size":
        if len(data) < SIZE_BYTES:
            yield f"end 0 stop truncated 0 needs {SIZE_BYTES} bytes, {len(data)} left"
            return
        yield f"0 {SIZE_BYTES} size value {int.from_bytes(data[:SIZE_BYTES], 'big', signed=True)}"
        pos = SIZE_BYTES
    if question.begins != "body" and header is not None:
        head = annotate(header, data, pos)
        yield from (_span_text(span, "header.") for span in head.spans)
        pos = head.end
        if head.stopped is not None:
            yield _end_text(head)
            return
    body = annotate_with_records(layout, data, pos)
    yield from _annotated(body.message)
    yield from (f"records {_stop_text(fault)}" for fault in body.record_faults)


def _annotated(found: Annotation) -> Iterator[str]:
    yield from (_span_text(span, "") for span in found.spans)
    yield _end_text(found)


def _end_text(found: Annotation) -> str:
    return f"end {found.end} {'whole' if found.stopped is None else _stop_text(found.stopped)}"


def _stop_text(fault: DecodeError) -> str:
    """The fault and its place; the words about invalid UTF-8 are Python's own."""
    detail = "" if fault.fault is Fault.UTF8 else fault.detail
    return f"stop {fault.fault} {fault.offset} {detail}"


def _span_text(span: Span, prefix: str) -> str:
    return f"{span.start} {span.end} {prefix}{span.path} {span.role} {_value_text(span.value)}"


def _value_text(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case int():
            return str(value)
        case float():
            return f"float {struct.pack('>d', value).hex()}"
        case bytes():
            return f"bytes {value.hex()}"
        case UUID():
            return f"text {value}"
        case str():
            return f"text {value}"
    raise AssertionError(f"{value!r} is not a value of a span")
