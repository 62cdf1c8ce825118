"""Weighs what a testee's memory grows by while it reads wrong bytes, and finds the input that makes it grow.

Inputs are weighed in groups, which costs next to nothing. Where a group makes the testee grow out of
proportion, its inputs are weighed one by one, in a fresh process. A testee with a garbage collector grows for
other reasons, too. So an input is guilty only if it makes the testee grow twice, the second time in a process
that has read nothing but valid bytes before, and by more than these make it grow.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

from wireproof.model import Crashed, Reply
from wireproof.testees.process.peak_memory import PeakMemory

__all__ = ["BLEW_UP", "SET_SLACK_BYTES", "SLACK_BYTES", "PeakMeter", "MemoryGrowthMeter"]

BLEW_UP: Final = "memory"
"""The error of the reply where the memory grew out of proportion."""
FACTOR: Final = 128
"""Bytes of memory that a byte of input may take."""
SLACK_BYTES: Final = 64 << 20
"""Memory that comes and goes with a runtime and its garbage collector, whatever it reads."""
SET_SLACK_BYTES: Final = 144 << 20
"""The same for a record set: compressed data hold any multiple of their length; a codec has to stop."""
_GROUP: Final = 64
_WARM_UP: Final = 3
"""Times that a fresh process reads valid bytes before it is weighed."""
_MOST_GUILTY: Final = 8
"""Inputs of one call that are found guilty; each costs three starts of the testee."""

AskInputs: TypeAlias = Callable[[Sequence[bytes]], list[Reply]]


class PeakMeter(Protocol):
    """Weighs a testee."""

    def weigh(self, *, begin: bool = False) -> PeakMemory | None:
        """The peak since it last began; None where nobody can tell.

        Args:
            begin: a new peak begins.
        """
        ...

    def end(self) -> object:
        """End the process: the next question is the first of a new one."""
        ...


@dataclass(slots=True)
class MemoryGrowthMeter:
    """Asks, and weighs meanwhile.

    Args:
        usual_bytes: by how much groups made the testee grow in which no input was guilty.
    """

    scale: PeakMeter
    usual_bytes: int = 0

    def ask(
        self, ask: AskInputs, inputs: Sequence[bytes], calm: Sequence[bytes], slack_bytes: int
    ) -> list[Reply]:
        """The replies; a crash with the error `BLEW_UP` in place of those of guilty inputs.

        Args:
            calm: valid bytes of the same kind.
            slack_bytes: what the memory may grow by, whatever the length of the input.
        """
        replies: list[Reply] = []
        for start in range(0, len(inputs), _GROUP):
            group = inputs[start : start + _GROUP]
            answers, grown = self._weighed(ask, group)
            if grown > slack_bytes + self.usual_bytes + FACTOR * max(map(len, group)):
                guilty = self._guilty(ask, group, calm, slack_bytes)
                if not guilty:
                    self.usual_bytes = max(self.usual_bytes, grown)
                for index, bytes_grown in guilty.items():
                    words = f"{bytes_grown} bytes of memory for {len(group[index])} bytes of input"
                    answers[index] = Crashed(BLEW_UP, words)
            replies += answers
        return replies

    def _weighed(self, ask: AskInputs, inputs: Sequence[bytes]) -> tuple[list[Reply], int]:
        """The replies, and the bytes that memory grew by; 0 where another process took over meanwhile."""
        before = self.scale.weigh(begin=True)
        replies = ask(inputs)
        after = self.scale.weigh()
        if before is None or after is None or before.process != after.process:
            return replies, 0
        return replies, max(0, after.peak_bytes - before.peak_bytes)

    def _guilty(
        self, ask: AskInputs, inputs: Sequence[bytes], calm: Sequence[bytes], slack_bytes: int
    ) -> dict[int, int]:
        """By index, the inputs that make the testee grow out of proportion, and by how many bytes."""
        guilty: dict[int, int] = {}
        usual = self._afresh(ask, calm)
        for index, data in enumerate(inputs):
            most = slack_bytes + 2 * usual + FACTOR * len(data)
            if self._weighed(ask, [data])[1] <= most:
                continue
            usual = self._afresh(ask, calm)
            grown = self._weighed(ask, [data])[1]
            if grown > slack_bytes + 2 * usual + FACTOR * len(data):
                guilty[index] = grown
            usual = self._afresh(ask, calm)
            if len(guilty) >= _MOST_GUILTY:
                break
        return guilty

    def _afresh(self, ask: AskInputs, calm: Sequence[bytes]) -> int:
        """Begin a process, let it read valid bytes; what the last of them still make it grow by."""
        self.scale.end()
        grown = 0
        for _ in range(_WARM_UP if calm else 0):
            grown = self._weighed(ask, calm)[1]
        return grown
