"""The resources that a testee may use."""

from dataclasses import dataclass

__all__ = ["ResourceLimits"]


@dataclass(frozen=True, slots=True)
class ResourceLimits:
    """The limits of a testee.

    Attributes:
        memory_bytes: address space of each of its processes; for a container its whole memory.
        processes: their number; not enforced for root.
        descriptors: open files.
        answer_bytes: the length of a line.
        temporary_bytes: the temporary files of a process; not enforced for a container.
        cpu_s: processor time between two answers, with its descendants; a testee that exceeds it hangs.
        silent_s: wall-clock time between two answers in which no thread of it wants a processor.
    """

    memory_bytes: int = 4 << 30
    processes: int = 64
    descriptors: int = 1024
    answer_bytes: int = 64 << 20
    temporary_bytes: int = 256 << 20
    cpu_s: float = 10.0
    silent_s: float = 60.0
