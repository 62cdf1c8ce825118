"""Failures as files: each failure is written at once, and can be replayed from its file."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from wireproof.base.files.replacement import ignore_folder, replace_file
from wireproof.base.text.parsing import MISSHAPEN, parse_json, read_text
from wireproof.base.text.wording import json_text
from wireproof.model.cell import Cell
from wireproof.proof.run.core.cell_events import CellResult, FailedCase, LostCase, LostCell, ShrunkCase
from wireproof.proof.run.core.run_events import RunEvent, RunFooter
from wireproof.verdict.report.events.event_json import as_json


@dataclass(frozen=True, slots=True)
class FailureFiles:
    """Writes each failure to a file of its own, and later adds its smaller instance, if there is one.

    Args:
        folder: made when there is something to write.
        testee: the name of the codec under test; empty for our own.
        source: the definitions of a fork, which the file keeps for the replay: the folder (``schemas``) and
            the jars (``schemasJar``); empty for Kafka's own releases.
    """

    folder: Path
    testee: str = ""
    source: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, event: RunEvent) -> None:
        if isinstance(event, FailedCase):
            self._write(event.case_id, {**as_json(event), "testee": self.testee, **self.source})
        elif isinstance(event, ShrunkCase):
            content = read_failure(self.place(event.case_id))
            self._write(event.case_id, {**content, "shrunk": as_json(event)})

    def place(self, case_id: str) -> Path:
        """Return the path of the file of a case's failure, whether it exists or not."""
        text = f"{self.testee}\n{case_id}" if self.testee else case_id
        return self.folder / f"{sha256(text.encode()).hexdigest()[:16]}.json"

    def _write(self, case_id: str, content: dict[str, Any]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        if self.folder.parent.name == ".wireproof":
            ignore_folder(self.folder.parent)
        replace_file(self.place(case_id), json_text(content, indent=1) + "\n")


def read_failure(path: Path) -> dict[str, Any]:
    """The failure in a file.

    Raises:
        OSError: there is no such file.
        ValueError: it holds something else.
    """
    content = parse_json(read_text(path))
    if not isinstance(content, dict) or "case" not in content:
        raise ValueError(f"{path} holds no failure of wireproof")
    return content


LAST_FAILED: Final = Path(".wireproof/last-failed.json")

_FORMAT: Final = 1


@dataclass(slots=True)
class FailedCells:
    """Records the cells that fail or lose their verdict; a cell that agrees leaves the record.

    The file is written at the end of the run, and its folder made if need be. Cells that the run did not
    judge stay as they were. `testee` names the codec under test; empty for our own.
    """

    path: Path
    testee: str
    _judged: dict[Cell, bool] = field(default_factory=dict)

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
        record = _record(self.path)
        failed = set(record.get(self.testee, ()))
        failed -= {cell.id for cell, agrees in self._judged.items() if agrees}
        failed |= {cell.id for cell, agrees in self._judged.items() if not agrees}
        if not failed and self.testee not in record:
            return
        record[self.testee] = sorted(failed)
        content = {"format": _FORMAT, "failed": {name: ids for name, ids in record.items() if ids}}
        ignore_folder(self.path.parent)
        replace_file(self.path, json.dumps(content, indent=1) + "\n")


def read_failed_cells(path: Path, testee: str) -> frozenset[str]:
    """Return the ids of the cells that failed last; none if the file is missing or damaged."""
    return frozenset(_record(path).get(testee, ()))


def _record(path: Path) -> dict[str, list[str]]:
    try:
        parsed = parse_json(read_text(path))
        if parsed["format"] != _FORMAT:
            return {}
        failed = parsed["failed"].items()
        return {str(name): [each for each in ids if isinstance(each, str)] for name, ids in failed}
    except (OSError, *MISSHAPEN):
        return {}
