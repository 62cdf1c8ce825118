"""Small git repositories with message definitions, made by git itself."""

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

MESSAGES: Final = "clients/src/main/resources/common/message"
_ALONE: Final = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{role}_{word}": "x" for role in ("AUTHOR", "COMMITTER") for word in ("NAME", "EMAIL")},
}


def definition(kind: str = "string", *, name: str = "HeartbeatRequest", **changes: Any) -> str:
    """Return the text of a message with one field, GroupId, in line 8."""
    field = {"name": "GroupId", "type": kind, "versions": "0+"}
    head = {"apiKey": 12, "type": "request", "name": name, "validVersions": "0", "flexibleVersions": "none"}
    return json.dumps({**head, "fields": [field], **changes}, indent=1)


class GitCheckout:
    """A repository with a work tree, in a folder that may not exist yet."""

    def __init__(self, top: Path, *arguments: str) -> None:
        self.top = top
        top.mkdir(parents=True, exist_ok=True)
        self.git("init", "--quiet", "--initial-branch", "trunk", *arguments)

    def git(self, *arguments: str) -> str:
        """Run git in the work tree, without the configuration of the machine; its output."""
        done = subprocess.run(
            ["git", "-C", str(self.top), *arguments],
            env={**os.environ, **_ALONE},
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout.strip()

    def write(self, path: str, text: str) -> Path:
        """Write a file of the work tree."""
        file = self.top / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def commit(self, *more: str) -> str:
        """Commit all files; the id of the commit."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "Change", *more)
        return self.git("rev-parse", "HEAD")

    def configure(self, values: Sequence[tuple[str, str]]) -> None:
        """Write values into the repository's own configuration."""
        for name, value in values:
            self.git("config", "--add", name, value)
