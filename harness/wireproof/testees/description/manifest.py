"""``testee.toml``: what a testee is called, how it is built, how it is started."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from wireproof.parsing import parse_toml
from wireproof.testees.limits.resource_limits import ResourceLimits
from wireproof.testees.testee_errors import TesteeError

__all__ = [
    "FILE",
    "Manifest",
    "TesteeWord",
    "read_manifest",
    "shipped",
    "shipped_clients",
    "shipped_folder",
]

FILE: Final = "testee.toml"
CLIENT_FILE: Final = "client.toml"
"""Of a program that is a client of brokers, and no testee: built and started alike."""

INSTALLED: Final = Path(__file__).parents[1] / "shipped"
"""Where the wheel has them (pyproject: force-include)."""
CHECKOUT: Final = Path(__file__).parents[4] / "codecs" / "testees"
"""Where a checkout has them."""
INSTALLED_CLIENTS: Final = Path(__file__).parents[1] / "clients"
CHECKOUT_CLIENTS: Final = Path(__file__).parents[4] / "codecs" / "clients"

_WORD: Final = re.compile(r"(?P<name>[^:@]+)(?::(?P<variant>[\w.-]+))?(?:@(?P<version>\w[\w.+-]*))?")
_PART: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
"""Name and version are in the name of a build's folder, and in its commands."""
_MOST: Final = 1 << 32
KEYS: Final = frozenset(
    {
        "name",
        "language",
        "kit",
        "version",
        "variants",
        "build",
        "run",
        "container",
        "limits",
        "slow",
        "reads",
        "sources",
        "kafka",
    }
)
READS: Final = {"releases": "table.toml"}
"""What of wireproof's own a build may read: packages of it, and the file there."""
LIMITS: Final = frozenset({"memory_mib", "processes", "descriptors", "cpu_s", "silent_s"})


@dataclass(frozen=True, slots=True)
class TesteeWord:
    """What a user types for a testee: ``NAME[:VARIANT][@VERSION]``; the name may be a folder."""

    name: str
    variant: str = ""
    version: str = ""

    @classmethod
    def parse(cls, text: str) -> "TesteeWord":
        """The word in its parts; whatever cannot be taken apart is a name."""
        match = _WORD.fullmatch(text)
        if match is None:
            return cls(text)
        return cls(match["name"], match["variant"] or "", match["version"] or "")


@dataclass(frozen=True, slots=True)
class Manifest:
    """A testee's description.

    Attributes:
        folder: where its files are.
        kit: the kit whose files are copied beside them; empty for none.
        version: of the codec under test, unless the user asks for another.
        variants: ways to run it; the first is the default.
        build: commands, each a list of words.
        run: the command that starts it; in a container, where it is empty, the image's own.
        container: the image to run it in; empty for none.
        reads: what of wireproof's own its build reads, of `READS`: when that changes, it is built anew.
        sources: folders and files of the codec's own Python source, as paths from where its packages lie.
        file: what its description is called: whether it is a testee or a client.
        kafka: whether the codec is Kafka's own classes, of the release that `version` names.
        slow: whether its build takes so long that only those who name it should wait for it.
    """

    folder: Path
    name: str
    language: str
    version: str
    run: tuple[str, ...]
    build: tuple[tuple[str, ...], ...] = ()
    kit: str = ""
    variants: tuple[str, ...] = ()
    container: str = ""
    limits: ResourceLimits = field(default_factory=ResourceLimits)
    slow: bool = False
    reads: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    file: str = FILE
    kafka: bool = False

    @property
    def kind(self) -> str:
        """What of somebody else's is in it, in a word."""
        return "codec" if self.file == FILE else "client"


def shipped_folder() -> Path:
    """The folder of the testees and kits that come with wireproof."""
    return INSTALLED if INSTALLED.is_dir() else CHECKOUT


def shipped() -> list[str]:
    """The names of the testees that come with wireproof."""
    return sorted(path.parent.name for path in shipped_folder().glob(f"*/{FILE}"))


def shipped_clients() -> list[Manifest]:
    """The clients of other languages that come with wireproof, by name."""
    folder = INSTALLED_CLIENTS if INSTALLED_CLIENTS.is_dir() else CHECKOUT_CLIENTS
    return [read_manifest(path.parent, CLIENT_FILE) for path in sorted(folder.glob(f"*/{CLIENT_FILE}"))]


def read_manifest(folder: Path, file: str = FILE) -> Manifest:
    """The description in a folder.

    Args:
        file: what it is called there.

    Raises:
        TesteeError: there is none, or it says something wrong.
    """
    path = folder / file
    try:
        told = parse_toml(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise TesteeError(f"there is no {path}", "A testee is a folder with a testee.toml.") from error
    except (OSError, ValueError) as error:
        raise TesteeError(f"cannot read {path}: {error}") from error
    problems = [*_problems(told)]
    if problems:
        raise TesteeError(f"{path}: {'; '.join(problems)}", "See docs/reference/testee-protocol.md.")
    return Manifest(
        folder.resolve(),
        told["name"],
        told["language"],
        told["version"],
        tuple(told.get("run", [])),
        tuple(tuple(words) for words in told.get("build", [])),
        told.get("kit", ""),
        tuple(told.get("variants", [])),
        told.get("container", ""),
        _limits(told.get("limits", {})),
        told.get("slow", False),
        tuple(told.get("reads", [])),
        tuple(told.get("sources", [])),
        file,
        told.get("kafka", False),
    )


def _problems(told: Mapping[str, Any]) -> list[str]:
    """What is wrong, all of it."""
    found = [f"{key} is no key of it" for key in told if key not in KEYS]
    found += [
        f"{key} has to be a text" for key in ("name", "language", "version") if not _text(told.get(key))
    ]
    found += [
        f"{key} has to be one part of a path: letters, digits and ._+-, a letter or digit first"
        for key in ("name", "version")
        if _text(told.get(key)) and not _PART.fullmatch(told[key])
    ]
    for key in ("slow", "kafka"):
        found += [f"{key} has to be true or false"] if not isinstance(told.get(key, False), bool) else []
    found += ["kit has to be a text"] if not isinstance(told.get("kit", ""), str) else []
    if "container" in told and not _text(told["container"]):
        found.append("container has to be a text")
    if not _texts(told.get("run", [])) or not ("container" in told or told.get("run")):
        found.append("run has to be a list of texts")
    if not _texts(told.get("variants", [])):
        found.append("variants has to be a list of texts")
    if not _texts(told.get("sources", [])):
        found.append("sources has to be a list of texts")
    reads = told.get("reads", [])
    if not _texts(reads) or not set(reads) <= READS.keys():
        found.append(f"reads has to be a list of {', '.join(READS)}")
    build = told.get("build", [])
    if not isinstance(build, list) or not all(_texts(words) and words for words in build):
        found.append("build has to be a list of lists of texts")
    limits = told.get("limits", {})
    if not isinstance(limits, dict):
        return [*found, "limits has to be a table"]
    found += [f"limits.{key} is no key of it" for key in limits if key not in LIMITS]
    found += [
        f"limits.{key} has to be a number above 0 and below 2^32"
        for key, value in limits.items()
        if type(value) not in (int, float) or not 0 < value < _MOST
    ]
    return found


def _text(value: object) -> bool:
    return isinstance(value, str) and value != ""


def _texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _limits(told: Mapping[str, float]) -> ResourceLimits:
    usual = ResourceLimits()
    return ResourceLimits(
        memory_bytes=int(told["memory_mib"]) << 20 if "memory_mib" in told else usual.memory_bytes,
        processes=int(told.get("processes", usual.processes)),
        descriptors=int(told.get("descriptors", usual.descriptors)),
        cpu_s=told.get("cpu_s", usual.cpu_s),
        silent_s=told.get("silent_s", usual.silent_s),
    )


def filled(words: Sequence[str], values: Mapping[str, str]) -> list[str]:
    """A command with its ``{placeholders}`` filled in; other braces stay."""
    return [re.sub(r"\{(\w+)\}", lambda match: values.get(match[1], match[0]), word) for word in words]
