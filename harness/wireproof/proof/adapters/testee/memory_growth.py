"""The growth of a testee's memory while it reads malformed bytes, and the input that causes it.

Inputs are measured in groups, which costs almost nothing. If a group makes the memory grow out of proportion,
its inputs are measured one by one, in a fresh process. A testee with a garbage collector grows for other
reasons, too. So an input is reported only if the memory grows twice, in its group and alone: then in a
process that has read only valid bytes before, and by more than these make it grow. The longest inputs come
first. They are the most likely ones, and a measurement takes as long as the testee needs for the memory.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

from wireproof.model import Crashed, Reply
from wireproof.proof.testees.process.peak_memory import PeakMemory

__all__ = ["BLEW_UP", "SET_SLACK_BYTES", "SLACK_BYTES", "PeakMeter", "MemoryGrowthMeter"]

BLEW_UP: Final = "memory"
"""The error of the reply if the memory grew out of proportion."""
FACTOR: Final = 128
"""Bytes of memory that a byte of input may take."""
SLACK_BYTES: Final = 64 << 20
"""Memory that a runtime and its garbage collector take for any input."""
SET_SLACK_BYTES: Final = 144 << 20
"""The same for a record set: compressed data can expand to any length, so a codec needs a limit."""
_GROUP: Final = 64
_WARM_UP: Final = 3
"""Times that a fresh process reads valid bytes before it is measured."""
_MAX_OFFENDING: Final = 8
"""The inputs that one call reports; each costs up to two starts of the testee."""

AskInputs: TypeAlias = Callable[[Sequence[bytes]], list[Reply]]


class PeakMeter(Protocol):
    """Measures the memory of a testee."""

    def measure_peak(self, *, begin: bool = False) -> PeakMemory | None:
        """Return the peak since the last call with `begin`; None if it cannot be measured.

        Args:
            begin: begin a new peak.
        """
        ...

    def end(self) -> object:
        """End the process, so that the next request is the first of a new one."""
        ...


@dataclass(slots=True)
class MemoryGrowthMeter:
    """Sends inputs to a testee and measures its memory.

    Args:
        normal_bytes: the growth by groups without an offending input.
    """

    meter: PeakMeter
    normal_bytes: int = 0

    def ask(
        self, ask: AskInputs, inputs: Sequence[bytes], valid: Sequence[bytes], slack_bytes: int
    ) -> list[Reply]:
        """Return the replies; those of offending inputs are crashes with the error `BLEW_UP`.

        Args:
            valid: valid bytes of the same kind.
            slack_bytes: the growth that is allowed for an input of any length.
        """
        replies: list[Reply] = []
        for start in range(0, len(inputs), _GROUP):
            group = inputs[start : start + _GROUP]
            answers, growth = self._measure(ask, group)
            if growth > slack_bytes + self.normal_bytes + FACTOR * max(map(len, group)):
                offending = self._find_offending(ask, group, valid, slack_bytes)
                if not offending:
                    self.normal_bytes = max(self.normal_bytes, growth)
                for index, bytes_grown in offending.items():
                    message = f"{bytes_grown} bytes of memory for {len(group[index])} bytes of input"
                    answers[index] = Crashed(BLEW_UP, message)
            replies += answers
        return replies

    def _measure(self, ask: AskInputs, inputs: Sequence[bytes]) -> tuple[list[Reply], int]:
        """Return the replies and the growth in bytes; 0 if the process was replaced meanwhile."""
        before = self.meter.measure_peak(begin=True)
        replies = ask(inputs)
        after = self.meter.measure_peak()
        if before is None or after is None or before.process != after.process:
            return replies, 0
        return replies, max(0, after.peak_bytes - before.peak_bytes)

    def _find_offending(
        self, ask: AskInputs, inputs: Sequence[bytes], valid: Sequence[bytes], slack_bytes: int
    ) -> dict[int, int]:
        """Return the growth in bytes by the index of each offending input."""
        offending: dict[int, int] = {}
        normal, untouched = self._restart(ask, valid), True
        for index in sorted(range(len(inputs)), key=lambda each: -len(inputs[each])):
            data = inputs[index]
            growth = self._measure(ask, [data])[1]
            if growth <= slack_bytes + 2 * normal + FACTOR * len(data):
                untouched = False
                continue
            if not untouched:
                normal = self._restart(ask, valid)
                growth = self._measure(ask, [data])[1]
            if growth > slack_bytes + 2 * normal + FACTOR * len(data):
                offending[index] = growth
            if len(offending) >= _MAX_OFFENDING:
                break
            normal, untouched = self._restart(ask, valid), True
        return dict(sorted(offending.items()))

    def _restart(self, ask: AskInputs, valid: Sequence[bytes]) -> int:
        """Start a fresh process, let it read valid bytes, and return the growth by the last of them."""
        self.meter.end()
        growth = 0
        for _ in range(_WARM_UP if valid else 0):
            growth = self._measure(ask, valid)[1]
        return growth
