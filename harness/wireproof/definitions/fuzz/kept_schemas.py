"""Kept disagreements: a schema file each, with comments that say what disagreed, to be tried again."""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from wireproof.definitions.fuzz.comparison import SchemaComparison

__all__ = ["KeptSchema", "keep_schema", "read_kept"]

_TITLE: Final = "// A schema on which wireproof and Kafka's generator disagree."
_LINE: Final = re.compile(r"// (\w+): (.*)")


@dataclass(frozen=True, slots=True)
class KeptSchema:
    """A kept schema.

    Attributes:
        release: of the generator; ``""`` where the file does not say.
        kind: of the disagreement, when it was kept.
    """

    text: str
    release: str = ""
    kind: str = ""


def keep_schema(folder: Path, release: str, found: SchemaComparison) -> Path:
    """Write a disagreement to a file of the folder; the same one always has the same name."""
    digest = hashlib.sha256(f"{found.kind}/{found.key}/{found.text}".encode()).hexdigest()[:8]
    slug = re.sub(r"[^a-z0-9]+", "-", found.key.lower()).strip("-")[:60] or "unknown"
    path = folder / f"{found.kind}-{slug}-{digest}.json"
    facts = {
        "release": release,
        "kind": found.kind,
        "ours": found.ours or "accepted",
        "kafka": found.kafka or "accepted",
    }
    head = [_TITLE, *(f"// {name}: {' '.join(str(text).split())}" for name, text in facts.items())]
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(head) + f"\n{found.text}", encoding="utf-8")
    return path


def read_kept(text: str) -> KeptSchema:
    """Read a kept schema, or any other schema file."""
    matches = map(_LINE.fullmatch, text.splitlines()[:8])
    facts: dict[str, str] = {match[1]: match[2] for match in matches if match}
    return KeptSchema(text, facts.get("release", ""), facts.get("kind", ""))
