"""The book of a release: its layouts and the names of its jars, for the Java side (java: PlanBook)."""

import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from kafkawire.schema import MessageKind, MessageSpec, SchemaSet, resolve
from wireproof.kafka.oracle import encode_plan

__all__ = ["encode_book"]

_INT = struct.Struct(">i")
_NO_HEADER: Final = -1
_HEADERS: Final = {MessageKind.REQUEST: "RequestHeader", MessageKind.RESPONSE: "ResponseHeader"}


def encode_book(
    schemas: SchemaSet, packages: Mapping[str, str], jars: Sequence[str], shared: Sequence[str]
) -> bytes:
    """All layouts of a release, as `java/spark` reads them.

    Args:
        schemas: with the header version of each request and response.
        packages: module to the Java package of its generated classes; modules without one are left out.
        jars: the file names of the release's own jars.
        shared: those of jars that all releases use together.
    """
    modules = [
        _text(name) + _text(packages[name]) + _counted(map(_message, specs.values()))
        for name, specs in schemas.modules.items()
        if name in packages
    ]
    texts = _counted(map(_text, jars)), _counted(map(_text, shared))
    return b"".join((_text(schemas.release), *texts, _counted(modules)))


def _message(spec: MessageSpec) -> bytes:
    cells = [_cell(spec, version) for version in spec.valid_versions]
    return _text(spec.name) + _text(_HEADERS.get(spec.kind, "")) + _counted(cells)


def _cell(spec: MessageSpec, version: int) -> bytes:
    layout = resolve(spec, version)
    header = _NO_HEADER if layout.header_version is None else layout.header_version
    return _INT.pack(version) + _INT.pack(header) + _block(encode_plan(layout))


def _counted(parts: Iterable[bytes]) -> bytes:
    each = list(parts)
    return _INT.pack(len(each)) + b"".join(each)


def _text(text: str) -> bytes:
    return _block(text.encode("utf-8"))


def _block(data: bytes) -> bytes:
    return _INT.pack(len(data)) + data
