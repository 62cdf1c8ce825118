"""What ``--testee`` means: which codec a run is about, what of it can be asked, what is told of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from wireproof.cli.output import echo
from wireproof.cli.wiring import open_testee
from wireproof.ledger import Asked
from wireproof.model import Cell
from wireproof.run import RunStarted
from wireproof.testees import Hello, Launch, prepare_testee

__all__ = ["Subject", "subject_of", "under_test"]

LEDGER: Final = "ledger.toml"
"""A testee's known deviations, in its folder."""


@dataclass(frozen=True, slots=True)
class Subject:
    """The codec that a run is about.

    Attributes:
        word: what the user named it by.
        launch: how it is started; None for our own codec, which is not.
        hello: what it said when it was greeted.
        where: where it runs, in words.
        enforced: what it is held to there.
    """

    word: str = ""
    launch: Launch | None = None
    hello: Hello | None = None
    where: str = ""
    enforced: Mapping[str, str] = field(default_factory=dict)

    @property
    def ledger(self) -> str | None:
        """The file of its known deviations, if there is one in its folder."""
        home = None if self.launch is None else self.launch.home
        return str(home / LEDGER) if home is not None and (home / LEDGER).is_file() else None

    @property
    def ledger_of(self) -> str:
        """The version that this file is about, where another one is under test; else empty."""
        return "" if self.launch is None or self.ledger is None else self.launch.instead_of

    @property
    def asked(self) -> Asked | None:
        """What a ledger is held against."""
        if self.hello is None:
            return None
        return Asked((self.hello.identity.subject,))

    def claimed(self, cells: Sequence[Cell]) -> list[Cell]:
        """Those of the cells that it claims."""
        if self.hello is None:
            return list(cells)
        return [cell for cell in cells if self.hello.concerns(cell.message, cell.version)]

    def told(self, started: RunStarted) -> RunStarted:
        """The header of the run, with what it said of itself."""
        if self.hello is None:
            return started
        return replace(
            started,
            testee=self.word,
            limits=self.hello.limits,
            where=self.where,
            enforced=self.enforced,
        )


def under_test(word: str | None, cache_dir: Path, *, offline: bool) -> Subject:
    """The codec that the option names, greeted once; our own where there is no option.

    Args:
        offline: whether nothing may be built.

    Raises:
        TesteeError: it does not build, start or greet.
    """
    if word is None:
        return Subject()
    launch = prepare_testee(word, cache_dir, lambda words: echo(words, err=True), offline=offline)
    return subject_of(word, launch)


def subject_of(word: str, launch: Launch) -> Subject:
    """A testee that is ready to be started, greeted once.

    Raises:
        TesteeError: it does not start or greet.
    """
    testee = open_testee(launch)
    try:
        return Subject(word, launch, testee.hello(), testee.words, testee.enforced)
    finally:
        testee.close()
