"""Merging event files: the shards of a run, read as the events of one run."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, TypeVar

from wireproof.base.exit_codes import ExitCode, worst
from wireproof.model.cell import Cell, Phase
from wireproof.proof.run.core.cell_events import CellResult, ComparedCell
from wireproof.proof.run.core.run_events import (
    ClaimFinding,
    LedgerFinding,
    ReportedEvent,
    RunFooter,
    RunHeader,
)
from wireproof.proof.run.engine.run_account import RunAccount
from wireproof.verdict.report.events.event_reader import EventFileError, read_event_file


class MergeError(ValueError):
    """Files that cannot be read as one run; `advice` says what to do next, or is empty."""

    def __init__(self, reason: str, advice: str = "") -> None:
        super().__init__(reason)
        self.advice = advice


@dataclass(slots=True)
class RunFiles:
    """The event files of one run, or of its shards; `unfinished` lack a footer, once `events` has ended."""

    paths: Sequence[Path]
    unfinished: list[Path] = field(default_factory=list)

    def events(self) -> Iterator[ReportedEvent]:
        """Yield the events as those of one run: a header, the events of all files, a footer.

        The footer of one whole file is its own. Of several files the totals are added up; the duration is the
        longest, since shards run side by side. A run with an unfinished file is never proven.

        Raises:
            MergeError: the files are not of one run, or two have the same cell.
            EventFileError: a file is not an event file of this wireproof.
            OSError: a file cannot be read.
        """
        self.unfinished.clear()
        header = _merged_header([(path, _header(path)) for path in self.paths])
        yield header
        account = RunAccount()
        account.totals.cells_selected = header.cells
        footers: list[RunFooter] = []
        judged: dict[Cell, Path] = {}
        findings: set[LedgerFinding | ClaimFinding] = set()
        compares = False
        for path in self.paths:
            whole = len(footers)
            for event in _located(path):
                match event:
                    case RunHeader():
                        continue
                    case RunFooter():
                        footers.append(event)
                        continue
                    case CellResult():
                        _note_judged(event.cell, path, judged)
                    case ComparedCell():
                        compares = True
                    case LedgerFinding() | ClaimFinding():
                        if event in findings:
                            continue
                        findings.add(event)
                    case _:
                        pass
                account.take(event)
                yield event
            if len(footers) == whole:
                self.unfinished.append(path)
        if len(self.paths) == len(footers) == 1:
            yield footers[0]
            return
        account.close(claims_required=Phase.ENUMERATED in header.phases and not compares)
        codes = [account.exit_code(compares=compares), *(each.exit_code for each in footers)]
        if self.unfinished:
            codes.append(ExitCode.BELOW_FLOOR)
        duration_s = max((each.duration_s for each in footers), default=0.0)
        yield RunFooter(account.totals, duration_s, ExitCode(worst(codes)))


def _located(path: Path) -> Iterator[ReportedEvent]:
    """Yield the events of a file; an error names the file."""
    try:
        yield from read_event_file(path)
    except EventFileError as error:
        raise MergeError(f"{path}: {error}", error.advice) from error


def _note_judged(cell: Cell, path: Path, judged: dict[Cell, Path]) -> None:
    other = judged.setdefault(cell, path)
    if other != path:
        raise MergeError(
            f"{other} and {path} both have {cell.id}: the shards of a run have no cell in common"
        )


def _header(path: Path) -> RunHeader:
    for event in _located(path):
        assert isinstance(event, RunHeader)
        return event
    raise MergeError(f"{path}: there is no event")


def _merged_header(found: Sequence[tuple[Path, RunHeader]]) -> RunHeader:
    """Return the header of the whole run.

    Raises MergeError if two headers differ in what the shards of a run have in common.
    """
    (first_path, first), *rest = found
    if not rest:
        return first
    for path, header in rest:
        for name in _COMMON:
            one, other = getattr(first, name), getattr(header, name)
            if one != other:
                texts = f"{_text(one)} in {first_path}, {_text(other)} in {path}"
                raise MergeError(f"these are not shards of one run: {name.replace('_', ' ')} is {texts}")
    headers = [header for _, header in found]
    return replace(
        first,
        command=("wireproof", "merge", *(str(path) for path, _ in found)),
        releases=tuple(dict.fromkeys(release for each in headers for release in each.releases)),
        jars=_union([each.jars for each in headers]),
        ledger=_union([each.ledger for each in headers]),
        terms=_union([each.terms for each in headers]),
        unclaimed=_unclaimed(headers),
        locations=_union([each.locations for each in headers]),
        retired=_union([each.retired for each in headers]),
        corpus=_union([each.corpus for each in headers]),
        unsaid=tuple(dict.fromkeys(words for each in headers for words in each.unsaid)),
        cells=sum(each.cells for each in headers),
        cells_offered=max(each.cells_offered for each in headers),
    )


def _unclaimed(headers: Sequence[RunHeader]) -> dict[str, tuple[int, ...]]:
    """Return the versions that no shard's testee claims: each shard has some of the cells."""
    found: dict[str, set[int]] = {}
    for each in headers:
        for name, versions in each.unclaimed.items():
            found.setdefault(name, set()).update(versions)
    return {name: tuple(sorted(versions)) for name, versions in found.items()}


_COMMON: Final = ("version", "subjects", "testee", "phases", "mutations", "seed", "ledger_of")
"""The properties of a header that all shards of a run share."""


def _text(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    return str(value) or "none"


_Value = TypeVar("_Value")


def _union(tables: Iterable[Mapping[str, _Value]]) -> dict[str, _Value]:
    merged: dict[str, _Value] = {}
    for table in tables:
        merged.update(table)
    return merged
