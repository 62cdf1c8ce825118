"""The cells that failed last, by codec: a file that the next run can begin with."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from wireproof.base.files import ignore_folder, replace_file
from wireproof.base.text.parsing import MISSHAPEN, parse_json, read_text
from wireproof.model import Cell
from wireproof.proof.run import CellResult, FailedCase, LostCase, LostCell, RunEvent, RunFooter

__all__ = ["LAST_FAILED", "FailedCells", "read_failed_cells"]

LAST_FAILED: Final = Path(".wireproof/last-failed.json")

_FORMAT: Final = 1


class FailedCells:
    """Records the cells that fail or lose their verdict; a cell that agrees leaves the record.

    The file is written at the end of the run. Cells that the run did not judge stay as they were.

    Args:
        path: of the file; its folder is made when there is something to write.
        testee: the word that names the codec under test; empty for our own.
    """

    def __init__(self, path: Path, testee: str) -> None:
        self._path = path
        self._testee = testee
        self._judged: dict[Cell, bool] = {}

    def __call__(self, event: RunEvent) -> None:
        match event:
            case FailedCase() | LostCase() | LostCell():
                self._judged[event.cell] = False
            case CellResult():
                agrees = not event.failed_cases and self._judged.get(event.cell, True)
                self._judged[event.cell] = agrees
            case RunFooter():
                self._write()
            case _:
                pass

    def _write(self) -> None:
        record = _record(self._path)
        failed = set(record.get(self._testee, ()))
        failed -= {cell.id for cell, agrees in self._judged.items() if agrees}
        failed |= {cell.id for cell, agrees in self._judged.items() if not agrees}
        if not failed and self._testee not in record:
            return
        record[self._testee] = sorted(failed)
        _replace(
            self._path, {"format": _FORMAT, "failed": {name: ids for name, ids in record.items() if ids}}
        )


def read_failed_cells(path: Path, testee: str) -> frozenset[str]:
    """Return the ids of the cells that failed last; none if the file is missing or damaged."""
    return frozenset(_record(path).get(testee, ()))


def _record(path: Path) -> dict[str, list[str]]:
    try:
        parsed = parse_json(read_text(path))
        if parsed["format"] != _FORMAT:
            return {}
        return {str(name): _texts(ids) for name, ids in parsed["failed"].items()}
    except (OSError, *MISSHAPEN):
        return {}


def _texts(ids: Iterable[Any]) -> list[str]:
    return [each for each in ids if isinstance(each, str)]


def _replace(path: Path, content: dict[str, Any]) -> None:
    ignore_folder(path.parent)
    replace_file(path, json.dumps(content, indent=1) + "\n")
