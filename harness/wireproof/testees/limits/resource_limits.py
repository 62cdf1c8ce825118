"""The resources that a testee may use."""

from dataclasses import dataclass

__all__ = ["ResourceLimits"]


@dataclass(frozen=True, slots=True)
class ResourceLimits:
    """What a testee may use.

    Attributes:
        memory_bytes: address space of each of its processes; of a container all its memory.
        processes: how many; root cannot be held to it.
        descriptors: open files.
        answer_bytes: the length of a line.
        cpu_s: processor time between two answers, its own and its children's; beyond it, it hangs.
        silent_s: wall-clock time between two answers in which it does not even want to work.
    """

    memory_bytes: int = 4 << 30
    processes: int = 64
    descriptors: int = 1024
    answer_bytes: int = 64 << 20
    cpu_s: float = 10.0
    silent_s: float = 60.0
