"""Kept disagreements: a schema file for each cause, whose comments say what disagreed, to be tried again."""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from wireproof.base.files import replace_file
from wireproof.definitions.fuzz.comparison import SchemaComparison

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
    """Write a disagreement to the file of its cause, in place of an earlier one."""
    digest = hashlib.sha256("/".join(found.cause).encode()).hexdigest()[:8]
    slug = re.sub(r"[^a-z0-9]+", "-", found.key.lower()).strip("-")[:60] or "unknown"
    path = folder / f"{found.kind}-{slug}-{digest}.json"
    facts = {
        "release": release,
        "kind": found.kind,
        "cause": found.key or "unknown",
        "field": found.field,
        "case": found.case,
        "ours": found.ours or "accepted",
        "kafka": found.kafka or "accepted",
    }
    lines = (f"// {name}: {' '.join(str(text).split())}" for name, text in facts.items() if text)
    folder.mkdir(parents=True, exist_ok=True)
    replace_file(path, "\n".join([_TITLE, *lines]) + f"\n{found.text}")
    return path


def read_kept(text: str) -> KeptSchema:
    """Read a kept schema, or any other schema file."""
    matches = map(_LINE.fullmatch, text.splitlines()[:8])
    facts: dict[str, str] = {match[1]: match[2] for match in matches if match}
    return KeptSchema(text, facts.get("release", ""), facts.get("kind", ""))
