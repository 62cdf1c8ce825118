"""The requests of one call to a testee, their answers, and the failure of a testee's process."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from wireproof.model import MutationSite
from wireproof.proof.testees.session.protocol_answers import ProtocolAnswer
from wireproof.proof.testees.session.sent_lines import SentLines

__all__ = ["ProcessFailure", "RequestBatch"]


@dataclass(slots=True)
class ProcessFailure(Exception):  # noqa: N818 - the session handles it; no caller sees it
    """The process ended, hung or violated the protocol. It has been ended.

    Attributes:
        error: ``process``, ``hang`` or ``protocol``.
        offending: the index of the request that certainly caused it; None if it has to be searched for.
        sent: all that the process was sent.
    """

    error: str
    message: str
    offending: int | None = None
    sent: SentLines = field(default_factory=SentLines)


@dataclass(slots=True)
class RequestBatch:
    """The requests of one call, with their answers as these arrive."""

    requests: Sequence[str]
    sites: Sequence[MutationSite | None]
    answers: list[ProtocolAnswer | None]

    def longest_of(self, indices: Iterable[int]) -> int:
        """Return the length of the longest of some requests."""
        return max((len(self.requests[index]) for index in indices), default=0)
