"""The clock of codecs, and what they were asked with it."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias, runtime_checkable

from wireproof.model import Adapter, CpuTime, ElementCollection

CodecClock: TypeAlias = Callable[[Adapter], CpuTime | None]
"""The processor time of a codec so far; None if it cannot be measured."""


@runtime_checkable
class _Clocked(Protocol):
    """A codec in processes of its own."""

    def spent(self) -> CpuTime | None: ...


def codec_time(adapter: Adapter) -> CpuTime | None:
    """The processor time of a codec: of its own processes, or of this thread where it runs in it."""
    return adapter.spent() if isinstance(adapter, _Clocked) else CpuTime(0, time.thread_time())


@dataclass(slots=True)
class GrowthScreen:
    """The collections that a worker process has asked its codecs about.

    Args:
        clock: the processor time of a codec.
    """

    clock: CodecClock = codec_time
    _asked: set[tuple[str, bool, str, str]] = field(default_factory=set)

    def is_new(self, adapter: Adapter, collection: ElementCollection, *, flexible: bool) -> bool:
        """True if the codec was not asked for elements of this kind and type before; it is noted now."""
        key = adapter.name, flexible, str(collection.kind), collection.element
        new = key not in self._asked
        self._asked.add(key)
        return new
