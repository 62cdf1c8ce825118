"""The wireproof command, one file for each subcommand."""

import os
import signal
import sys


def main() -> None:
    """Run the command. Ctrl-C, SIGTERM and SIGHUP end it cleanly from the first import on."""
    try:
        _end_as_ctrl_c_does()
        _open_closed_streams()
        from wireproof.app.cli.app import main as run
        from wireproof.base.own_process import claim_process

        claim_process()
        run()
    except KeyboardInterrupt:
        raise SystemExit(130) from None  # ExitCode.INTERRUPTED, whose module may not be imported yet


def _end_as_ctrl_c_does() -> None:
    """Let SIGTERM and SIGHUP raise `KeyboardInterrupt`. A signal that `nohup` ignores stays ignored."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)


def _open_closed_streams() -> None:
    """Open standard streams that are closed (``>&-``): else the first file that is opened takes the place."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:  # standard error
        os.set_inheritable(descriptor, True)
    os.close(descriptor)
    sys.stdin = sys.stdin or os.fdopen(0)
    sys.stdout = sys.stdout or os.fdopen(1, "w")
    sys.stderr = sys.stderr or os.fdopen(2, "w")
