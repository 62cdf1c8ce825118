"""The layouts of the releases of a run, resolved when they are first needed."""

from collections.abc import Iterator, Mapping

from kafkawire.primitives import primitive_layout
from kafkawire.schema import resolve
from kafkawire.schema.layout import MessageLayout
from kafkawire.schema.model import MessageKind, MessageSpec, SchemaSet
from wireproof.model.cell import PRIMITIVES_MODULE, Cell
from wireproof.model.kafka.releases import release_number

_MOST_LAYOUTS = 256
"""Layouts held at a time: a cell needs its own and its neighbours', a run over all releases has 10,000."""


class Layouts:
    """The layouts of some releases, resolved when first asked for; the latest are held."""

    def __init__(self, schemas: Mapping[str, SchemaSet]) -> None:
        self._schemas = schemas
        self._resolved: dict[Cell, MessageLayout] = {}
        self._headers: dict[tuple[str, MessageKind], dict[int, MessageLayout]] = {}

    def of(self, cell: Cell) -> MessageLayout:
        """The layout of a cell.

        Raises:
            KeyError: the release has no such message.
            UnsupportedVersionError: the message has no such version.
        """
        known = self._resolved.get(cell)
        if known is None:
            if len(self._resolved) >= _MOST_LAYOUTS:
                self._resolved.clear()
            spec = self._schemas[cell.release].modules[cell.module][cell.message]
            primitive = cell.module == PRIMITIVES_MODULE
            known = primitive_layout(spec.name) if primitive else resolve(spec, cell.version)
            self._resolved[cell] = known
        return known

    def neighbour(self, cell: Cell) -> Cell | None:
        """Another version of the same message, the one below rather than above; None if there is none."""
        versions = self.of(cell).versions
        other = cell.version - 1 if cell.version - 1 in versions else cell.version + 1
        return Cell(cell.release, cell.module, cell.message, other) if other in versions else None

    def elsewhere(self, cell: Cell) -> Iterator[Cell]:
        """The same message at the same version in the other releases, whatever module they have it in."""
        for release, schemas in self._schemas.items():
            if release == cell.release:
                continue
            try:
                module, spec = schemas.find(cell.message)
            except KeyError:
                continue
            if cell.version in spec.valid_versions:
                yield Cell(release, module, cell.message, cell.version)

    def newer(self, cell: Cell) -> list[Cell]:
        """Return the layouts of `elsewhere` in newer releases, the oldest first."""
        own = release_number(cell.release)
        found = [other for other in self.elsewhere(cell) if release_number(other.release) > own]
        return sorted(found, key=lambda other: release_number(other.release))

    def module(self, cell: Cell) -> Mapping[str, MessageSpec]:
        """The messages of the cell's module by name."""
        return self._schemas[cell.release].modules[cell.module]

    def headers(self, cell: Cell) -> Mapping[int, MessageLayout]:
        """The layouts of all versions of the header that goes before the cell; empty where none does."""
        key = cell.release, self.of(cell).kind
        if key not in self._headers:
            self._headers[key] = _headers(self._schemas[cell.release], key[1])
        return self._headers[key]

    def header(self, cell: Cell) -> MessageLayout | None:
        """The layout of the header that goes before the cell in frames; None where none does."""
        version = self.of(cell).header_version
        return None if version is None else self.headers(cell).get(version)


def header_layouts(schemas: SchemaSet) -> dict[tuple[str, MessageKind, int], MessageLayout]:
    """The header layouts of a release, as the adapter of our codec wants them."""
    return {
        (schemas.release, kind, version): layout
        for kind in (MessageKind.REQUEST, MessageKind.RESPONSE)
        for version, layout in _headers(schemas, kind).items()
    }


def _headers(schemas: SchemaSet, kind: MessageKind) -> dict[int, MessageLayout]:
    name = {MessageKind.REQUEST: "RequestHeader", MessageKind.RESPONSE: "ResponseHeader"}.get(kind)
    if name is None:
        return {}
    _, spec = schemas.find(name)
    return {version: resolve(spec, version) for version in spec.valid_versions}


def all_cells(schemas: SchemaSet) -> Iterator[Cell]:
    """Every cell of a release: module by module, message by message, ascending versions."""
    for module, message in schemas:
        for version in message.valid_versions:
            yield Cell(schemas.release, module, message.name, version)
