"""Work that may end its process, in one beside the worker's own: only the input that ends it goes under."""

import os
import pickle
from collections.abc import Callable, Sequence
from typing import Final, Generic, TypeVar

MOST_DEATHS: Final = 100
"""Inputs of one partition that may end a process: where there are more, it is not they who do it."""

In = TypeVar("In")
Out = TypeVar("Out")


class CrashIsolation(Generic[In, Out]):
    """Does work in a child of this process. Where that dies, another does each half again, down to the one
    input that it died of.

    A plain fork, and no pool: a pool keeps threads in this process, and one that broke could wait for ever.

    Args:
        work: an output for each input; outputs are pickled.
        instead: the output for an input that ends the process.
    """

    def __init__(self, work: Callable[[Sequence[In]], Sequence[Out]], instead: Callable[[In], Out]) -> None:
        self._work = work
        self._instead = instead
        self._deaths = 0

    def __call__(self, inputs: Sequence[In]) -> Sequence[Out]:
        """The output for each input, in their order.

        Raises:
            ChildProcessError: more than `MOST_DEATHS` inputs ended it.
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
        """The outputs of a child process; None where it died."""
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
