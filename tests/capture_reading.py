"""What segment files hold, for tests of captures."""

from collections import Counter
from pathlib import Path

from wireproof.frames import Conversation, Entry, EntryKind, Exchange, Named, Naming, read_segment


def exchanges(segment: Path, naming: Naming) -> Counter[tuple[str, int]]:
    """How often each request was answered in a segment file; every response is decoded."""
    talks: dict[int, Conversation] = {}
    found: Counter[tuple[str, int]] = Counter()
    with segment.open("rb") as file:
        for entry in read_segment(file):
            assert isinstance(entry, Entry), "a whole capture has no damage"
            if entry.kind is EntryKind.FACTS:
                continue
            for settled in talks.setdefault(entry.connection, Conversation()).feed(entry):
                if isinstance(settled, Exchange):
                    names = naming.exchange(settled)
                    assert isinstance(names.response, Named)
                    naming.codec(names.response).decode(settled.response.data)
                    if isinstance(names.request, Named):
                        found[names.request.message, names.request.version] += 1
    return found
