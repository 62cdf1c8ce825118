"""Actions of others are pinned by the hash of a commit, with the version beside it: a tag can be moved."""

import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
PLACES: Final = (".github", "integrations", "docs", "README.md", "CONTRIBUTING.md")
USES: Final = re.compile(r"^[ -]*uses: *(?P<action>[^@\s]+)(?P<rest>.*)$", re.MULTILINE)
PINNED: Final = re.compile(r"@(?P<hash>[0-9a-f]{40}) # (?P<version>v\d+\.\d+\.\d+)(?:, .+)?")
OURS: Final = ("OWNER/wireproof/", "./")


def uses(text: str) -> Iterator[tuple[str, str]]:
    """Yield the foreign actions that a text uses, each with what follows its name."""
    for match in USES.finditer(text):
        if not match["action"].startswith(OURS):
            yield match["action"], match["rest"]


def test_each_action_of_others_has_a_hash_and_a_version() -> None:
    """One version has one hash, and one action one version."""
    listed = subprocess.run(
        ["git", "ls-files", *PLACES], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    pins: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for name in listed:
        if Path(name).suffix in {".yml", ".yaml", ".md"}:
            for action, rest in uses((ROOT / name).read_text(encoding="utf-8")):
                pin = PINNED.fullmatch(rest)
                assert pin, f"{name}: {action}{rest}"
                pins["/".join(action.split("/")[:2])].add((pin["hash"], pin["version"]))

    assert pins.keys() >= {"actions/checkout", "actions/cache", "github/codeql-action"}
    assert not {action: found for action, found in pins.items() if len(found) > 1}


def test_a_tag_is_found() -> None:
    """In a list of steps or alone; our own action is left out."""
    text = (
        "  - uses: a/b@v4\n    uses: c/d/e@main # v1.0.0\n  - uses: OWNER/wireproof/x@v0.1.0\n  - uses: ./x\n"
    )
    found = list(uses(text))
    assert [action for action, _ in found] == ["a/b", "c/d/e"]
    assert not any(PINNED.fullmatch(rest) for _, rest in found)
