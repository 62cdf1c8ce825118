"""Handlers of testees in this process that hang at one request, each in its own way."""

import re
import time
from collections.abc import Callable

from wireproof.proof.testees.limits.time_limits import ResourceLimits
from wireproof.proof.testees.session.local_session import LocalSession

LIMITS = ResourceLimits(cpu_s=0.25, silent_s=1.0)
HELLO = (
    '{"id":0,"ok":{"protocol":1,"codec":{"name":"hangs","version":"1","language":"python"},'
    '"messages":{"Echo":{"decode":"0"}}}}'
)
RIGHT = '"op":"decode","message":"Echo","version":0,"data":"00"'
OFFENDING = '"op":"decode","message":"Echo","version":0,"data":"ff"'


def spin() -> None:
    """Compute without end."""
    while True:
        pass


def sleep() -> None:
    """Wait for an event that never comes."""
    time.sleep(10**6)


def swallow() -> None:
    """Compute, and ignore every exception."""
    swallowed: list[BaseException] = []
    while True:
        try:
            spin()
        except BaseException as error:  # noqa: BLE001 - that is what it is about
            swallowed.append(error)


def match() -> None:
    """Keep the interpreter inside a library, where no other Python thread can run."""
    re.fullmatch("(a+)+", "a" * 64 + "b")


class RequestHandler:
    """A handler that answers all requests but one."""

    def __init__(self, hang: Callable[[], None], *, at: str = "decode") -> None:
        self._hang = hang
        self._at = at

    def answer(self, request: dict[str, object]) -> str:
        if self._at == request["op"] and request.get("data", "ff") == "ff":
            self._hang()
        return HELLO if request["op"] == "hello" else '{"id":0,"ok":{"value":{},"consumed":1}}'


class LateHandler(RequestHandler):
    """A handler that hangs at its third request after the hello."""

    def __init__(self) -> None:
        super().__init__(spin, at="")
        self._decoded = 0

    def answer(self, request: dict[str, object]) -> str:
        self._decoded += request["op"] == "decode"
        if self._decoded >= 3:
            spin()
        return super().answer(request)


def local(hang: Callable[[], None], **parts: str) -> LocalSession:
    """Return a testee with such a handler."""
    return LocalSession("hangs", lambda: RequestHandler(hang, **parts), limits=LIMITS)


def ask_of(hang: Callable[[], None]) -> None:
    """Ask a testee in the worker process that runs this."""
    local(hang).ask([RIGHT, OFFENDING, RIGHT])
