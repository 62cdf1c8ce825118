"""The summary of a judged program, for the reports at its end."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from wireproof.base.text.wording import counted
from wireproof.proof.client_judge import RequestStatistics
from wireproof.proof.run import ExitCode

__all__ = ["ClientSummary"]


_RIGHT: Final = "Kafka's own classes read each request, and write it again as it was."


@dataclass(slots=True)
class ClientSummary:
    """The summary of a judged program. Its fields are set as they become known.

    Attributes:
        version: of wireproof.
        command: the command line.
        program: the program's own command line.
        broker: as the user named it.
        jars: of the judging classes: file name to SHA-256.
        statistics: of the requests so far.
        ended: how the program ended, such as ``was ended by --budget 60``; empty for exit code 0.
        exit_code: None until it is known.
        stopped: the reason for a premature stop; empty without one.
    """

    version: str
    command: tuple[str, ...]
    program: tuple[str, ...]
    broker: str
    release: str = ""
    jars: Mapping[str, str] = field(default_factory=dict)
    statistics: RequestStatistics = field(default_factory=RequestStatistics)
    connections: int = 0
    duration_s: float = 0.0
    ended: str = ""
    exit_code: ExitCode | None = None
    stopped: str = ""

    @property
    def verdict(self) -> str:
        """One or two sentences."""
        if self.statistics.causes:
            return "Not proven. What the client sent is not what Kafka would send."
        if not self.statistics.requests:
            return "Nothing was sent."
        if self.ended:
            return f"Incomplete: the program {self.ended}. Until then {_RIGHT}"
        return f"Right. {_RIGHT}"

    @property
    def summary(self) -> str:
        """The last line."""
        requests, rows, causes = (
            self.statistics.requests,
            len(self.statistics.rows),
            len(self.statistics.causes),
        )
        return (
            f"{counted(requests, 'request')} of {counted(rows, 'message version')}, "
            f"{counted(self.connections, 'connection')}, "
            f"{causes:,} finding{'' if causes == 1 else 's'}, {self.duration_s:.1f} s"
        )
