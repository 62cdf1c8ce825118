"""The pytest plugin: one test over every cell of a codec.

    @pytest.mark.wireproof(testee="my-codec", message="Fetch*")
    def test_codec(wireproof_cell):
        wireproof_cell.prove()

The arguments of the marker are the options of ``wireproof run``. Each cell is a test of its own, called by
its name: ``test_codec[4.4.0/FetchRequest/12]``. Cells are proven one at a time in a worker process, which
lives as long as the pytest process; ``-n`` of pytest-xdist makes it several.

Where no test asks for it, nothing of wireproof is imported but this file.
"""

import pickle
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from wireproof.model import Cell
    from wireproof.run import CellDone

__all__ = ["WireproofCell"]

_MARKER: Final = "wireproof"
_FIXTURE: Final = "wireproof_cell"
_OUTPUT: Final = "wireproof"
"""What an xdist worker hands to the controller at its end."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options that go before all that markers say."""
    group = parser.getgroup("wireproof", "codecs of Kafka's protocol, proven cell by cell")
    group.addoption(
        "--wireproof-profile", metavar="NAME", help="pr, nightly or release, as in `wireproof run`."
    )
    group.addoption("--wireproof-testee", metavar="NAME", help="In place of the testee of every marker.")
    group.addoption(
        "--wireproof-options",
        metavar="OPTIONS",
        default="",
        help="More options of `wireproof run`, in one word: '--release all --seed 7'. They win.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line(
        "markers",
        "wireproof(testee=..., **options): the cells of a codec, one test each, by the fixture "
        "wireproof_cell; options are those of `wireproof run`.",
    )
    config.pluginmanager.register(_Proving(config), "wireproof-proving")


@dataclass(frozen=True, slots=True)
class WireproofCell:
    """A cell of the codec under test.

    Attributes:
        id: ``4.4.0/FetchRequest/12``.
    """

    id: str
    release: str
    message: str
    version: int
    _cell: "Cell" = field(repr=False)
    _codec: "_Codec" = field(repr=False)

    def prove(self) -> None:
        """Prove it; where the codec and Kafka differ the test fails, and the finding is its report."""
        __tracebackhide__ = True
        text = self._codec.prove(self._cell)
        if text:
            pytest.fail(text, pytrace=False)


class _Codec:
    """What the tests of one set of options share."""

    def __init__(self, arguments: tuple[str, ...]) -> None:
        from wireproof.proving import Session

        self.arguments = arguments
        self.session: Session = Session(arguments)
        self.done: list[CellDone] = []

    def prove(self, cell: "Cell") -> str:
        """Why the cell is not proven; empty where it is."""
        verdict = self.session.prove([cell])
        self.done.extend(verdict.done)
        return "" if verdict.proven else verdict.text


class _Proving:
    """The state of one pytest process."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._codecs: dict[tuple[str, ...], _Codec] = {}
        self._done: list[tuple[tuple[str, ...], list[CellDone]]] = []
        self._problems: list[str] = []

    # What there is to prove.

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """A test for each cell."""
        marker = metafunc.definition.get_closest_marker(_MARKER)
        if _FIXTURE not in metafunc.fixturenames:
            if metafunc.definition.own_markers and marker in metafunc.definition.own_markers:
                raise pytest.Collector.CollectError(
                    f"{metafunc.definition.nodeid} is marked with @pytest.mark.{_MARKER} and does not take "
                    f"{_FIXTURE}: it would prove nothing. Add the argument {_FIXTURE}, and call "
                    f"{_FIXTURE}.prove()"
                )
            return
        if marker is None or marker.args:
            raise pytest.Collector.CollectError(
                f"{metafunc.definition.nodeid} takes {_FIXTURE}: mark it with "
                '@pytest.mark.wireproof(testee="..."), with options by name'
            )
        codec = self._codec(_arguments(self._config, marker.kwargs))
        metafunc.parametrize(
            _FIXTURE, [_as_argument(cell, codec) for cell in codec.session.cells], ids=lambda cell: cell.id
        )

    def _codec(self, arguments: tuple[str, ...]) -> _Codec:
        from wireproof.proving import ProvingError

        if arguments not in self._codecs:
            try:
                self._codecs[arguments] = _Codec(arguments)
            except ProvingError as error:
                raise pytest.Collector.CollectError(
                    f"wireproof run {shlex.join(arguments)}: {error}"
                ) from error
        return self._codecs[arguments]

    # What is said at the end, of all processes together.

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Of xdist: a worker has ended."""
        packed = getattr(node, "workeroutput", {}).get(_OUTPUT)
        if packed is not None:
            self._done.extend(pickle.loads(packed))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Hold the ledgers against all that was proven."""
        mine = [(codec.arguments, codec.done) for codec in self._codecs.values()]
        for codec in self._codecs.values():
            codec.session.close()
        output = getattr(self._config, "workeroutput", None)
        if output is not None:
            output[_OUTPUT] = pickle.dumps(mine)
            return
        self._problems = list(self._judged([*self._done, *mine]))
        if self._problems and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _judged(self, done: Sequence[tuple[tuple[str, ...], list["CellDone"]]]) -> Iterator[str]:
        """What is wrong with the ledgers."""
        together: dict[tuple[str, ...], list[CellDone]] = {}
        for arguments, cells in done:
            together.setdefault(arguments, []).extend(cells)
        for arguments, cells in together.items():
            from wireproof.proving import ledger_lines

            problems = self._codec(arguments).session.audit(cells)
            yield from ledger_lines([problem for problem in problems if problem.fails])

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Tell what is wrong with the ledgers."""
        if self._problems:
            terminalreporter.section("wireproof", red=True, bold=True)
            for line in self._problems:
                terminalreporter.write_line(line)


def _as_argument(cell: "Cell", codec: _Codec) -> WireproofCell:
    return WireproofCell(cell.id, cell.release, cell.message, cell.version, cell, codec)


def _arguments(config: pytest.Config, marked: Mapping[str, Any]) -> tuple[str, ...]:
    """The command line of `wireproof run` that the marker and pytest's own options make."""
    given = dict(marked)
    for name in ("profile", "testee"):
        asked = config.getoption(f"wireproof_{name}")
        if asked is not None:
            given[name] = asked
    words = ["--jobs", "1"]
    for name, value in given.items():
        option = f"--{_SINGULAR.get(name, name).replace('_', '-')}"
        for each in value if isinstance(value, (list, tuple)) else [value]:
            words += [option] if each is True else [option, str(each)]
    return (*words, *shlex.split(config.getoption("wireproof_options")))


_SINGULAR: Final = {"phases": "phase", "releases": "release", "messages": "message", "cells": "cell"}
"""Options of which several may be given, as one would call a list of them."""
