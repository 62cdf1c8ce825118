"""Limits of Spark's Python workers: their memory, and child processes for input that crashes them."""

import gc
import os
import pickle
import resource
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, Generic, TypeVar

import pyarrow as pa  # type: ignore[import-untyped]

PYTHON_WORKER_MB: Final = 1024
"""The limit of data (RLIMIT_DATA) beyond a worker's data at the start: modules, and the reserve of pyarrow.
Two batches take 32 MiB; the rest is for the objects of one frame, which take ten times the frame's bytes if
its fields are small. A frame of 100 MiB of records fits."""

_STATUS: Final = Path("/proc/self/status")
_COUNTED: Final = "VmData:"


_COLLECTED_AFTER: Final = 100_000
"""The number of new objects between two collections. A frame's values have no cycles, and a search for cycles
after each 700 objects, Python's default, takes a tenth of a worker's time."""


def begin_partition() -> None:
    """Begin a partition: limit the worker's memory, and freeze cached releases for the garbage collector."""
    bound_memory()
    gc.freeze()
    gc.set_threshold(_COLLECTED_AFTER)


def bound_memory(limit_mb: int = PYTHON_WORKER_MB) -> None:
    """Limit further memory of this process; an allocation above the limit raises `MemoryError`.

    A worker calls it at the beginning of a partition. An existing limit is never raised.
    """
    pa.allocate_buffer(1)  # the first allocation reserves a GiB, which counts although it is unused
    limit = _held_bytes() + (limit_mb << 20)
    now, most = resource.getrlimit(resource.RLIMIT_DATA)
    if now == resource.RLIM_INFINITY or limit < now:
        resource.setrlimit(resource.RLIMIT_DATA, (limit, most))


def _held_bytes() -> int:
    """The bytes that now count toward the limit; 0 if the system does not report them."""
    try:
        lines = _STATUS.read_text("utf-8").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) << 10 for line in lines if line.startswith(_COUNTED)), 0)


MOST_DEATHS: Final = 100
"""The most inputs of one partition that may end a process: if there are more, inputs are not the cause."""

In = TypeVar("In")
Out = TypeVar("Out")


class CrashIsolation(Generic[In, Out]):
    """Does work in a child of this process. If the child dies, the batch is bisected until the input that
    kills it is found.

    It forks without a pool: a pool keeps threads in this process, and a broken pool may wait forever.

    Args:
        work: makes an output for each input; outputs are pickled.
        instead: the output for an input that ends the process.
    """

    def __init__(self, work: Callable[[Sequence[In]], Sequence[Out]], instead: Callable[[In], Out]) -> None:
        self._work = work
        self._instead = instead
        self._deaths = 0

    def __call__(self, inputs: Sequence[In]) -> Sequence[Out]:
        """Return the output for each input, in the same order.

        Raises:
            ChildProcessError: more than `MOST_DEATHS` inputs ended the child process.
        """
        outputs = self._there(inputs)
        if outputs is not None:
            return outputs
        if self._deaths == MOST_DEATHS:
            raise ChildProcessError("a process beside a Python worker ends, whatever it is given")
        if len(inputs) == 1:
            self._deaths += 1
            return [self._instead(inputs[0])]
        half = len(inputs) // 2
        return [*self(inputs[:half]), *self(inputs[half:])]

    def _there(self, inputs: Sequence[In]) -> Sequence[Out] | None:
        """Return the outputs of a child process; None if it died."""
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            try:
                os.close(reader)
                with os.fdopen(writer, "wb") as pipe:
                    pickle.dump(self._work(inputs), pipe)
                os._exit(0)
            finally:
                os._exit(1)
        os.close(writer)
        with os.fdopen(reader, "rb") as pipe:
            said = pipe.read()
        _, status = os.waitpid(child, 0)
        outputs: Sequence[Out] | None = pickle.loads(said) if status == 0 else None
        return outputs
