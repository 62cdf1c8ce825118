"""Becomes a program that ends when wireproof does. Run as: ``python -I die_with_parent.py PID COMMAND...``.

PID is wireproof's own. However it ends, by kill -9 too, the system ends this process with it (prctl(2),
PR_SET_PDEATHSIG; Linux alone has that). The standard library only, and nothing of wireproof.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main(parent: int, command: "list[str]") -> None:
    """Ask for the end, then become the program."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it ended before it could be asked for
        os._exit(1)
    try:
        os.execv(command[0], command)
    except OSError as error:
        sys.stderr.write(f"cannot start {command[0]}: {error.strerror}\n")
        sys.stderr.flush()
        os._exit(127)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
