"""The first case of each deviation of the compared codecs, as events."""

from collections.abc import Callable
from typing import Any

from kafkawire.canonical import canonical
from kafkawire.errors import CodecError
from kafkawire.schema.layout import MessageLayout
from wireproof.model.cell import Cell, Phase
from wireproof.model.divergence import Divergence
from wireproof.proof.checks.check_table import leading
from wireproof.proof.run.core.cell_events import DeviantCase


class DeviantCases:
    """Emits a `DeviantCase` for each deviation that no earlier case of the cell shows."""

    def __init__(self, cell: Cell, layout: MessageLayout, emit: Callable[[DeviantCase], None]) -> None:
        self._cell = cell
        self._form = canonical(layout)
        self._emit = emit
        self._seen: set[tuple[str, ...]] = set()

    def __call__(
        self, phase: Phase, name: str, explained: tuple[Divergence, ...], value: Any, data: bytes | None
    ) -> None:
        """Report a case; limits of a codec's types and known bugs of Kafka are not deviations."""
        known = [each for each in explained if each.entry]
        new = [each for each in explained if not (each.excused or each.unsupported)]
        for each in (*leading(known), *leading(new)):
            key = each.entry, *each.cause
            if key not in self._seen:
                self._seen.add(key)
                given = None if data is None else data.hex()
                case_id = self._cell.case_id(phase, name)
                self._emit(DeviantCase(self._cell, phase, case_id, (each,), self._json(value), None, given))

    def _json(self, value: Any) -> str | None:
        if value is None:
            return None
        try:
            return self._form.to_json(value)
        except CodecError:
            return None
