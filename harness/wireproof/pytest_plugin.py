"""The pytest plugin: one test over every cell of a codec.

    @pytest.mark.wireproof(testee="my-codec", message="Fetch*")
    def test_codec(wireproof_cell):
        wireproof_cell.prove()

The arguments of the marker are the options of ``wireproof run``. Each cell is a test of its own, named
after the cell: ``test_codec[4.4.0/FetchRequest/12]``. A worker process proves one cell at a time and lives
as long as the pytest process; ``-n`` of pytest-xdist starts several.

A session without such a test imports nothing of wireproof but this file. The cells of a testee are kept in
the cache: a session that collects them again and runs none does not start it.
"""

import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from wireproof.api import Session
    from wireproof.model.cell import Cell
    from wireproof.proof.config.run_config import RunConfig
    from wireproof.proof.run.core.cell_events import CellResult

__all__ = ["WireproofCell"]

_MARKER: Final = "wireproof"
_FIXTURE: Final = "wireproof_cell"
_OUTPUT: Final = "wireproof"
"""The results that an xdist worker hands to the controller at its end."""


_SETTINGS: Final = {
    "profile": "pr, nightly or release, as in `wireproof run`.",
    "testee": "The codec under test, in place of the testee of every marker.",
    "options": "Options of `wireproof run` in one text: '--release all --seed 7'.",
}
"""The plugin's own settings, by the end of their names: options of pytest, and ini options."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options that win over markers, and the ini options that markers win over."""
    group = parser.getgroup("wireproof", "codecs of Kafka's protocol, proven cell by cell")
    for name, words in _SETTINGS.items():
        metavar = "OPTIONS" if name == "options" else "NAME"
        group.addoption(f"--wireproof-{name}", metavar=metavar, help=f"{words} It wins over markers.")
        parser.addini(f"wireproof_{name}", f"{words} Markers win over it.", default="")


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
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
        from wireproof.base.exit_codes import FatalError

        try:
            text = self._codec.prove(self._cell)
        except FatalError as error:
            text = str(error)
        if text:
            pytest.fail(text, pytrace=False)


class _Codec:
    """The session that all tests of one configuration share."""

    def __init__(self, options: "RunConfig") -> None:
        from wireproof.app.assembly.inputs.cell_lookup import cell_file, kept_cells

        self.options = options
        self.done: list[CellResult] = []
        self._file = cell_file(options)
        self._session: Session | None = None
        self.cells: Sequence[Cell] = () if self._file is None else kept_cells(self._file)
        if not self.cells:
            self.cells = self.session.cells

    @property
    def session(self) -> "Session":
        """The session; opened when it is first needed.

        Raises:
            FatalError: it cannot be opened, or its cells are others than those that were collected.
        """
        if self._session is None:
            from wireproof.api import Session
            from wireproof.app.assembly.inputs.cell_lookup import keep_cells

            self._session = Session(config=self.options, failures=Path(".wireproof/failures"))
            if self._file is not None and list(self.cells) != list(self._session.cells):
                keep_cells(self._file, self._session.cells)
        if self.cells and list(self.cells) != list(self._session.cells):
            from wireproof.base.exit_codes import ExitCode, FatalError

            words = "the codec claims other cells than those that were collected from the cache"
            raise FatalError(words, "The cache has them now: run pytest again.", ExitCode.BROKEN)
        return self._session

    def close(self) -> None:
        """End the session if it is open."""
        if self._session is not None:
            self._session.close()

    def prove(self, cell: "Cell") -> str:
        """Return the report of a cell that is not proven; empty for a proven one."""
        verdict = self.session.prove([cell])
        self.done.extend(verdict.done)
        return "" if verdict.proven else verdict.text


class _Proving:
    """The state of one pytest process."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._codecs: dict[RunConfig, _Codec] = {}
        self._done: list[tuple[RunConfig, list[CellResult]]] = []
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
        codec = self._codec_of(marker.kwargs)
        metafunc.parametrize(
            _FIXTURE, [_as_argument(cell, codec) for cell in codec.cells], ids=lambda cell: cell.id
        )

    def _codec_of(self, marked: Mapping[str, Any]) -> _Codec:
        from wireproof.base.exit_codes import FatalError

        try:
            return self._codec(_run_config(self._config, marked))
        except FatalError as error:
            words = ", ".join(f"{name}={value!r}" for name, value in marked.items())
            raise pytest.Collector.CollectError(f"@pytest.mark.{_MARKER}({words}): {error}") from error

    def _codec(self, options: "RunConfig") -> _Codec:
        if options not in self._codecs:
            self._codecs[options] = _Codec(options)
        return self._codecs[options]

    # What is said at the end, of all processes together.

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Collect the results of a worker of xdist that has ended."""
        packed = getattr(node, "workeroutput", {}).get(_OUTPUT)
        if packed is not None:
            self._done.extend(pickle.loads(packed))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Hold the ledgers against all that was proven."""
        mine = [(codec.options, codec.done) for codec in self._codecs.values()]
        for codec in self._codecs.values():
            codec.close()
        output = getattr(self._config, "workeroutput", None)
        if output is not None:
            output[_OUTPUT] = pickle.dumps(mine)
            return
        self._problems = list(self._judged([*self._done, *mine]))
        if self._problems and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _judged(self, done: Sequence[tuple["RunConfig", list["CellResult"]]]) -> Iterator[str]:
        """Yield the problems of the ledgers."""
        together: dict[RunConfig, list[CellResult]] = {}
        for options, cells in done:
            together.setdefault(options, []).extend(cells)
        for options, cells in together.items():
            if not cells:
                continue  # nothing was tried: the session need not be opened
            from wireproof.api import ledger_lines

            problems = self._codec(options).session.audit(cells)
            yield from ledger_lines([problem for problem in problems if problem.fails])

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Report the problems of the ledgers."""
        if self._problems:
            terminalreporter.section("wireproof", red=True, bold=True)
            for line in self._problems:
                terminalreporter.write_line(line)


def _as_argument(cell: "Cell", codec: _Codec) -> WireproofCell:
    return WireproofCell(cell.id, cell.release, cell.message, cell.version, cell, codec)


def _run_config(config: pytest.Config, marked: Mapping[str, Any]) -> "RunConfig":
    """The configuration: pytest's command line, then the marker, ini options, the configuration file.

    The reports that the file names are those of the command.
    """
    from wireproof.proof.config.report_paths import REPORT_NAMES
    from wireproof.proof.config.run_config import OptionLayer, RunConfig, file_layer

    file = file_layer(config.rootpath)
    kept = {name: value for name, value in file.values.items() if name not in REPORT_NAMES}
    layers = [
        OptionLayer({"jobs": 1}),
        OptionLayer(kept, file.origin),
        OptionLayer(_settings(config.getini), "pytest's ini options:"),
        OptionLayer(marked),
        OptionLayer(_settings(config.getoption), "pytest's options:"),
    ]
    return RunConfig.merged(layers)


def _settings(value_of: Callable[[str], Any]) -> dict[str, Any]:
    """The plugin's own settings, as options of a run."""
    from wireproof.proof.config.option_words import option_values

    values = {name: value_of(f"wireproof_{name}") for name in ("profile", "testee")}
    return {name: value for name, value in values.items() if value} | option_values(
        value_of("wireproof_options") or ""
    )
