"""The lines of a report about the forks that a run proves."""

from collections.abc import Iterator

from wireproof.base.text.wording import counted
from wireproof.proof.run import ForkHeader

__all__ = ["fork_lines"]

_LISTED = 10


def fork_lines(fork: ForkHeader) -> Iterator[str]:
    """Yield the definitions of a fork, and the oracle that its messages are compared with."""
    held = counted(len(fork.messages), "message")
    changed = f", {len(fork.changed)} in place of Kafka's" if fork.changed else ""
    names = ", ".join(fork.messages[:_LISTED])
    more = f" and {len(fork.messages) - _LISTED} more" if len(fork.messages) > _LISTED else ""
    yield f"{fork.release}: {held} of {fork.folder} ({fork.sha256[:12]}){changed}: {names}{more}"
    if fork.classes:
        yield f"Oracle of these messages: {fork.classes}. Of the others: Kafka's own classes."
