"""Ctrl-C while a worker, or the command itself, is starting: no traceback."""

import multiprocessing
import os
import signal
import sys
import types

import pytest

from wireproof.app.cli import main
from wireproof.proof.run.engine.worker_pool import ignore_interrupts, start_ignoring_interrupts


def test_a_worker_ignores_ctrl_c_while_it_is_imported() -> None:
    """The worker runs its body to the end. The parent still receives the interrupt."""
    for _ in range(3):
        process = multiprocessing.get_context("spawn").Process(target=ignore_interrupts)
        start_ignoring_interrupts(process)
        assert process.pid is not None
        os.kill(process.pid, signal.SIGINT)
        process.join()
        assert process.exitcode == 0
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_the_command_ends_in_order_while_it_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    """The exit code is that of any other interruption."""

    def interrupted(name: str) -> object:
        raise KeyboardInterrupt

    module = types.ModuleType("wireproof.app.cli.app")
    module.__getattr__ = interrupted  # type: ignore[method-assign]
    monkeypatch.setitem(sys.modules, "wireproof.app.cli.app", module)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130
