"""Mutants of a Python codec's own source: their places, and the cells that execute them."""

import json
import marshal
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from wireproof.base.files.own_folders import temporary_folder
from wireproof.model.cell import Cell
from wireproof.power.testees import source_mutation
from wireproof.power.testees.source_mutation import SourceSite, mutated, sites
from wireproof.power.testees.watching import Probe
from wireproof.proof.adapters.testee.testee_adapter import TesteeAdapter
from wireproof.proof.testees.build.launch import Launch
from wireproof.proof.testees.process.child_process import ChildProcess
from wireproof.proof.testees.testee_errors import TesteeError

SOURCE_CLASS: Final = "source"
"""The class of mutants of a library's source, as ``wireproof power --class`` takes it."""


_SCRIPT: Final = str(Path(source_mutation.__file__).resolve())


@dataclass(frozen=True, slots=True)
class SourceMutant:
    """A Python codec with one place of its source changed; plain data.

    Attributes:
        file: the full path of the module.
        index: the index of the place, in the order of the source.
        text: the text of the line.
        cells: the cells that execute the line; may be empty.
        executed: whether the line is executed at all.
    """

    file: str
    index: int
    operator: str
    line: int
    function: bool
    text: str
    cells: tuple[Cell, ...] = ()
    executed: bool = True

    @property
    def name(self) -> str:
        return self.operator

    @property
    def description(self) -> str:
        return f"the codec's own source is changed: {self.operator}"

    @property
    def place(self) -> str:
        """The module and the line, as a path relative to the folder of packages."""
        return f"{self.file.rpartition('/site-packages/')[2]}:{self.line}: {self.text}"


@dataclass(frozen=True, slots=True)
class Sources:
    """The lines of the codec's source that a testee executes.

    Attributes:
        lines: by file and line, the cells that execute the line, as ``MESSAGE/VERSION``.
        imported: the files that were imported, each with the cell whose question imported it; another word
            if no question did.
        questions: the number of questions that were asked to find out.
    """

    lines: Mapping[tuple[str, int], frozenset[str]]
    imported: Mapping[str, str]
    questions: int


def mutated_launch(launch: Launch, spec: Mapping[str, Any], writable: Path | None = None) -> Launch:
    """Return the launch of the testee through the script that changes its source.

    Args:
        writable: the folder that the script writes into.

    Raises:
        TesteeError: it is not a Python program with an interpreter of its own.
    """
    target = launch.target
    if not isinstance(target, ChildProcess) or len(target.command) < 2 or "python" not in target.command[0]:
        raise TesteeError(
            f"{launch.name} is not a Python program",
            "Mutants of source are for `run = [PYTHON, ADAPTER, ...]`.",
        )
    interpreter, *program = target.command
    command = (interpreter, "-I", _SCRIPT, json.dumps(dict(spec)), *program)
    return replace(launch, target=replace(target, command=command, writable=writable))


def trace(
    launch: Launch,
    folders: Sequence[str],
    cells: Sequence[Cell],
    probe: Probe,
    adapt: Callable[[Launch], TesteeAdapter],
) -> Sources:
    """Ask about each cell, and find which lines of functions the testee executes for it.

    Raises:
        TesteeError: it does not start.
    """
    with temporary_folder("trace") as folder:
        log = folder / "lines.json"
        adapter = adapt(mutated_launch(launch, {"folders": list(folders), "log": str(log)}, folder))
        for cell in cells:
            probe.ask(adapter, cell)
        adapter.end()
        if not log.is_file():
            raise TesteeError(f"{launch.name} did not end in order while its lines were written down")
        traced = json.loads(log.read_text())
    lines = {(path, line): frozenset(names) for path, line, names in traced["lines"]}
    return Sources(lines, dict(traced["imported"]), probe.asked)


def choose_source_mutants(
    sources: Sources, cells: Sequence[Cell], seed: int, most: int
) -> list[SourceMutant]:
    """Choose `most` mutants on executed lines, and the mutants on other lines that the seed draws before.

    Sites are drawn from the files in turn, so that a large file of tables does not hide a small file of code.
    """
    by_name = {f"{cell.message}/{cell.version}": cell for cell in cells}
    draw = random.Random(f"{seed}/source")
    queues = [queue for path in sorted(sources.imported) if (queue := _queue(path, draw))]
    draw.shuffle(queues)
    found: list[SourceMutant] = []
    executed = 0
    while queues and executed < most:
        queue = queues.pop(0)
        mutant = _mutant(queue, sources, by_name, draw)
        executed += mutant.executed
        found.append(mutant)
        if queue[2]:
            queues.append(queue)
    return found


def _queue(path: str, draw: random.Random) -> tuple[str, list[str], list[SourceSite]] | None:
    source = Path(path).read_text(encoding="utf-8")
    every = sites(source)
    draw.shuffle(every)
    return (path, source.splitlines(), every) if every else None


def _mutant(
    queue: tuple[str, list[str], list[SourceSite]],
    sources: Sources,
    by_name: Mapping[str, Cell],
    draw: random.Random,
) -> SourceMutant:
    path, lines, every = queue
    site = every.pop()
    names = _cells_of(sources, path, site.line) if site.function else frozenset({sources.imported[path]})
    cells = [by_name[name] for name in sorted(names) if name in by_name]
    draw.shuffle(cells)
    executed = not site.function or bool(names)
    text = lines[site.line - 1].strip() if 0 < site.line <= len(lines) else ""
    return SourceMutant(
        path, site.number, site.operator, site.line, site.function, text, tuple(cells), executed
    )


def _cells_of(sources: Sources, path: str, line: int) -> frozenset[str]:
    """Return the cells that execute the statement of a line; the statement may begin some lines above."""
    for above in range(line, max(0, line - 12), -1):
        if (path, above) in sources.lines:
            return sources.lines[path, above]
    return frozenset()


def same_code(mutant: SourceMutant) -> bool:
    """True if Python compiles the mutant to the very same code."""
    source = Path(mutant.file).read_text(encoding="utf-8")
    one = compile(source, mutant.file, "exec", dont_inherit=True)
    other = compile(mutated(source, mutant.index), mutant.file, "exec", dont_inherit=True)
    return marshal.dumps(one) == marshal.dumps(other)


def spec_of(mutant: SourceMutant) -> dict[str, Any]:
    """Return the arguments of the script in the testee's process."""
    return {"file": mutant.file, "index": mutant.index}
