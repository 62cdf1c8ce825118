"""Work that may end its process, in one beside the worker's own: only the input that ends it goes under."""

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from types import TracebackType
from typing import Final, Generic, Self, TypeVar

__all__ = ["MOST_DEATHS", "Apart"]

MOST_DEATHS: Final = 100
"""Inputs of one partition that may end a process: where there are more, it is not they who do it."""

In = TypeVar("In")
Out = TypeVar("Out")


class Apart(Generic[In, Out]):
    """Does work in a child of this process. Where that dies, a new one does each half again, down to the one
    input that it died of.

    Args:
        work: an output for each input; pickled, as inputs and outputs are.
        instead: the output for an input that ends the process.
    """

    def __init__(self, work: Callable[[Sequence[In]], Sequence[Out]], instead: Callable[[In], Out]) -> None:
        self._work = work
        self._instead = instead
        self._deaths = 0
        self._pool = _child()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown(cancel_futures=True)

    def __call__(self, inputs: Sequence[In]) -> Sequence[Out]:
        """The output for each input, in their order.

        Raises:
            BrokenProcessPool: more than `MOST_DEATHS` inputs ended it.
        """
        try:
            return self._pool.submit(self._work, inputs).result()
        except BrokenProcessPool:
            self._pool.shutdown()
            if self._deaths == MOST_DEATHS:
                raise
            self._pool = _child()
        if len(inputs) == 1:
            self._deaths += 1
            return [self._instead(inputs[0])]
        half = len(inputs) // 2
        return [*self(inputs[:half]), *self(inputs[half:])]


def _child() -> ProcessPoolExecutor:
    """Forked: it has at once what this process has compiled."""
    return ProcessPoolExecutor(1, get_context("fork"))
