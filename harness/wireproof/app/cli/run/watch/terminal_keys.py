"""The keyboard of a terminal: one key at a time, without the Enter key."""

import contextlib
import os
import select
import termios
import threading
import tty
from collections.abc import Iterator, Mapping
from typing import Final

from wireproof.app.assembly.watch.watch_requests import KeyPress, RequestInbox

_KEYS: Final[Mapping[bytes, KeyPress]] = {
    b"\n": KeyPress.AGAIN,
    b"\r": KeyPress.AGAIN,
    b"a": KeyPress.ALL,
    b"f": KeyPress.FAILED,
    b"q": KeyPress.QUIT,
}

KEYS_LINE: Final = "Enter: run again, a: all, f: only failed, q: quit"
"""The keys in words."""


@contextlib.contextmanager
def keys_of_terminal(descriptor: int, inbox: RequestInbox) -> Iterator[bool]:
    """Put the keys of a terminal into the inbox while the block runs. The terminal's mode is restored then.

    Args:
        descriptor: of standard input.

    Yields:
        whether there are keys: the descriptor is a terminal, and this process is in its foreground.
    """
    if not _is_foreground_terminal(descriptor):
        yield False
        return
    before = termios.tcgetattr(descriptor)
    ending, end = os.pipe()
    reader = threading.Thread(target=_read, args=(descriptor, ending, inbox), name="keys", daemon=True)
    tty.setcbreak(descriptor, termios.TCSANOW)
    try:
        reader.start()
        yield True
    finally:
        os.close(end)
        reader.join()
        os.close(ending)
        termios.tcsetattr(descriptor, termios.TCSANOW, before)


def _is_foreground_terminal(descriptor: int) -> bool:
    try:
        return os.isatty(descriptor) and os.tcgetpgrp(descriptor) == os.getpgrp()
    except OSError:
        return False


def _read(descriptor: int, ending: int, inbox: RequestInbox) -> None:
    """Read keys until the pipe is closed or the terminal is gone."""
    while True:
        ready, _, _ = select.select([descriptor, ending], [], [])
        if ending in ready:
            return
        try:
            typed = os.read(descriptor, 64)
        except OSError:
            return
        if not typed:
            return
        for byte in typed:
            key = _KEYS.get(bytes([byte]).lower())
            if key is not None:
                inbox.put(key)
