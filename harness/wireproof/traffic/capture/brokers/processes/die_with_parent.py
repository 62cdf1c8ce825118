"""Start a program that ends when wireproof does: ``python -I die_with_parent.py PID COMMAND...``.

PID is wireproof's process id. When that process ends, even by kill -9, the system kills this one (prctl(2),
PR_SET_PDEATHSIG; Linux only). The script uses only the standard library.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main(parent: int, command: "list[str]") -> None:
    """Ask the system for the signal, then execute the program."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # wireproof ended before the call above
        os._exit(1)
    try:
        os.execv(command[0], command)
    except OSError as error:
        sys.stderr.write(f"cannot start {command[0]}: {error.strerror}\n")
        sys.stderr.flush()
        os._exit(127)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
