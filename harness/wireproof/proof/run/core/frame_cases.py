"""Cases of whole frames: boundary cases of the header, and one with the fullest body."""

from collections.abc import Iterator
from typing import Any, Final

from kafkawire.schema.layout import MessageLayout
from wireproof.model.case_source import CaseSource
from wireproof.model.cell import Case, Cell, Phase
from wireproof.proof.run.core.prepared_cases import prepare

FULLEST = "message/fullest"
"""The enumerated case that has every field off its default."""

SMALL_BYTES = 512
"""Boundary cases of the header up to this size are tried before every cell; the header is a cell itself."""

HEADER_CASES: Final = "header-"
"""The prefix of the names of frames that differ only in their headers."""


def header_cases(
    source: CaseSource, cell: Cell, layout: MessageLayout, header_layout: MessageLayout
) -> Iterator[Case]:
    """Frames that differ in their headers, and one with the fullest body."""
    fixed = header_identity(cell, layout, header_layout)
    for case in source.enumerated(header_cell(cell, header_layout), header_layout):
        item = prepare(header_layout, case)
        if item.problem is None and len(item.expected) <= SMALL_BYTES:
            yield Case(cell, Phase.FRAME, f"{HEADER_CASES}{case.name}", {}, {**case.value, **fixed})
    fullest = next((case for case in source.enumerated(cell, layout) if case.name == FULLEST), None)
    if fullest is not None:
        yield Case(cell, Phase.FRAME, f"body-{FULLEST}", fullest.value, fixed)


def header_identity(cell: Cell, layout: MessageLayout, header_layout: MessageLayout) -> dict[str, Any]:
    """The header fields that identify the message after it."""
    identity = {"requestApiKey": layout.api_key, "requestApiVersion": cell.version}
    known = {field.name for field in header_layout.root.fields}
    return {name: value for name, value in identity.items() if name in known}


def header_cell(cell: Cell, header_layout: MessageLayout) -> Cell:
    """The cell of a header's layout."""
    return Cell(cell.release, cell.module, header_layout.name, header_layout.version)
