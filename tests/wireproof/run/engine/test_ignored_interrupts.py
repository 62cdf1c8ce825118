"""Ctrl-C before a worker, or the command itself, is there: no traceback."""

import multiprocessing
import os
import signal
import sys
import types

import pytest

from wireproof.cli import main
from wireproof.run.engine.worker_pool import ignore_interrupts, start_ignoring_interrupts


def test_a_worker_that_is_being_imported_hears_no_ctrl_c() -> None:
    """It comes to its body, and ends as that says. The parent hears it as before."""
    for _ in range(3):
        process = multiprocessing.get_context("spawn").Process(target=ignore_interrupts)
        start_ignoring_interrupts(process)
        assert process.pid is not None
        os.kill(process.pid, signal.SIGINT)
        process.join()
        assert process.exitcode == 0
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_the_command_ends_in_order_while_it_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the code of any other interruption."""

    def interrupted(name: str) -> object:
        raise KeyboardInterrupt

    module = types.ModuleType("wireproof.cli.app")
    module.__getattr__ = interrupted  # type: ignore[method-assign]
    monkeypatch.setitem(sys.modules, "wireproof.cli.app", module)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130
