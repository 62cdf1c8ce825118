"""The watch loop with rounds that are scripted: which request starts which round, and how the loop ends."""

import signal
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest

from wireproof.app.assembly.file_watcher import ChangedFiles, KeyPress, RequestInbox, WatchFailure
from wireproof.app.cli.event_loop import StopSignals
from wireproof.app.cli.run.watch_session import WatchLoop
from wireproof.base.exit_codes import ExitCode, FatalError
from wireproof.proof.testees.testee_errors import TesteeError

FOLDER: Final = Path("/codec")


def changed(*names: str) -> ChangedFiles:
    return ChangedFiles(frozenset(FOLDER / name for name in names))


def unbuilt() -> TesteeError:
    """The error of a testee that does not build."""
    return TesteeError("my-codec does not build: expected `;`")


@dataclass
class Script:
    """Rounds with these outcomes, each followed by its requests; keeps the rounds and the lines."""

    outcomes: list[ExitCode | FatalError | None]
    requests: list[list[object]]
    rounds: list[bool] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    inbox: RequestInbox = field(default_factory=RequestInbox)

    def __call__(self, only_failed: bool) -> ExitCode | None:
        number = len(self.rounds)
        self.rounds.append(only_failed)
        for request in self.requests[number]:
            self.inbox.put(request)  # type: ignore[arg-type]
        outcome = self.outcomes[number]
        if isinstance(outcome, FatalError):
            raise outcome
        return outcome

    def clear(self) -> None:
        self.lines.append("CLEAR")

    def run(self, stopped: Callable[[], bool] = lambda: False, **options: bool) -> ExitCode:
        loop = WatchLoop(FOLDER, self.inbox, self, say=self.lines.append, clear=self.clear, **options)
        return loop.run(stopped)


def test_each_change_is_a_round():
    """The screen is cleared before it, and the line after that names the files."""
    many = changed("a.py", "b.py", "c.py", "d.py")
    script = Script(
        [ExitCode.DIVERGENCE, ExitCode.PROVEN, ExitCode.DIVERGENCE],
        [[changed("codec.py")], [many], [KeyPress.QUIT]],
    )

    assert script.run() is ExitCode.DIVERGENCE
    assert script.rounds == [False, False, False]
    assert script.lines == [
        "CLEAR",
        "changed: codec.py",
        "CLEAR",
        "changed: a.py, b.py, c.py and 1 more file",
    ]


def test_keys_choose_the_cells():
    """The choice stays until the other key; Enter keeps it."""
    keys = [KeyPress.FAILED, KeyPress.AGAIN, changed("codec.py"), KeyPress.ALL, KeyPress.AGAIN, KeyPress.QUIT]
    script = Script([ExitCode.PROVEN] * 6, [[key] for key in keys])

    assert script.run() is ExitCode.PROVEN
    assert script.rounds == [False, True, True, True, False, False]


def test_requests_that_come_together_are_one_round():
    """The newest key of several wins."""
    together = [changed("a.py"), KeyPress.FAILED, changed("b.py"), KeyPress.ALL]
    script = Script([ExitCode.PROVEN] * 2, [together, [KeyPress.QUIT]])
    script.run(only_failed=True)

    assert script.rounds == [True, False]
    assert "changed: a.py, b.py" in script.lines


def test_a_build_that_fails_is_shown_and_the_watch_goes_on():
    """In the first round and in later ones; the exit code is that of the newest round."""
    script = Script(
        [unbuilt(), ExitCode.PROVEN, unbuilt()], [[changed("a.py")], [changed("a.py")], [KeyPress.QUIT]]
    )

    assert script.run() is ExitCode.MISSING
    assert script.lines.count("Error: my-codec does not build: expected `;`") == 2
    assert len(script.rounds) == 3


def test_another_error_ends_the_first_round_alone():
    """Without Java no change of a file helps; a file that breaks later is shown."""
    missing = FatalError("no Java runtime", "Type: apt-get install default-jdk", ExitCode.MISSING)
    with pytest.raises(FatalError, match="no Java runtime"):
        Script([missing], [[]]).run()
    later = Script(
        [ExitCode.PROVEN, FatalError("ledger.toml: line 3", "", ExitCode.USAGE)],
        [[changed("ledger.toml")], [KeyPress.QUIT]],
    )
    assert later.run() is ExitCode.USAGE
    assert "Error: ledger.toml: line 3" in later.lines


def test_a_round_that_a_change_ended_has_no_exit_code():
    """The code of the round before stays; without one the command was interrupted."""
    cut = Script([ExitCode.DIVERGENCE, None], [[changed("a.py")], [KeyPress.QUIT]])
    assert cut.run() is ExitCode.DIVERGENCE
    assert Script([None], [[KeyPress.QUIT]]).run() is ExitCode.INTERRUPTED


def test_a_signal_ends_the_loop():
    """After the round that it came in, even where a change waits."""
    script = Script([ExitCode.PROVEN], [[changed("a.py")]])
    assert script.run(lambda: len(script.rounds) == 1) is ExitCode.INTERRUPTED
    assert script.lines == []


def test_files_that_cannot_be_watched_any_more_end_the_loop():
    """The error has the words of the operating system."""
    with pytest.raises(FatalError, match="cannot watch /codec: too many open files"):
        Script([ExitCode.PROVEN], [[WatchFailure("too many open files")]]).run()


@pytest.mark.parametrize(
    ("has_keys", "only_failed", "words"),
    [
        (True, False, ["what failed last first, then the rest", "Enter: run again", "q: quit"]),
        (False, True, ["only what failed last", "Ctrl-C ends it"]),
    ],
)
def test_the_line_while_it_waits(has_keys: bool, only_failed: bool, words: list[str]):
    """It has the folder, the cells of the next round, and the keys where there is a keyboard."""
    script = Script([ExitCode.PROVEN], [[]])

    def say(line: str) -> None:
        script.lines.append(line)
        script.inbox.put(KeyPress.QUIT)

    loop = WatchLoop(
        FOLDER, script.inbox, script, say=say, clear=script.clear, only_failed=only_failed, has_keys=has_keys
    )
    loop.run(lambda: False)
    (line,) = script.lines
    assert all(each in line for each in ("watching /codec", *words))


def test_a_request_interrupts_the_round_under_way():
    """One that waits already does, too; after the round none does."""
    inbox, called = RequestInbox(), []
    with inbox.notifying(lambda: called.append("first")):
        inbox.put(KeyPress.AGAIN)
    inbox.put(changed("a.py"))
    with inbox.notifying(lambda: called.append("second")):
        pass
    assert called == ["first", "second"]
    assert inbox.take() == [KeyPress.AGAIN, changed("a.py")]
    assert inbox.is_empty


def test_the_first_signal_ends_a_run_and_the_second_the_command():
    """Outside of a run the first one does that; the handlers of before return at the end."""
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    called = []
    with StopSignals() as signals:
        with signals.interrupting(lambda: called.append("interrupt")):
            signal.raise_signal(signal.SIGTERM)
            assert called == ["interrupt"]
            assert signals.stopped
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before
