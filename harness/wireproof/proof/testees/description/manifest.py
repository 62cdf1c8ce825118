"""``testee.toml``: the name of a testee, and the commands that build and start it."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from wireproof.base.text.parsing import parse_toml, read_text
from wireproof.base.version import page_url
from wireproof.proof.testees.description.source_locations import SourceLocation, read_locations
from wireproof.proof.testees.limits.time_limits import ResourceLimits
from wireproof.proof.testees.testee_errors import ManifestError, TesteeError

_FORM: Final = re.compile(r">=(?P<lowest>\d[\w.+-]*)(?:,<(?P<below>\d+(?:\.\d+)*))?")
_NUMBERS: Final = re.compile(r"\d+(?:\.\d+)*")


@dataclass(frozen=True, slots=True)
class CodecVersions:
    """The versions from `lowest` on, and below `below` if that is given.

    A pre-release (2.0.0-rc1) is on neither side of its release: it is lower than `lowest` 2.0.0, but not
    below `below` 2.0.0, because it may already behave like 2.0.0.
    """

    lowest: str = ""
    below: str = ""

    @classmethod
    def parse(cls, text: str) -> "CodecVersions":
        """Parse ``>=LOWEST`` or ``>=LOWEST,<BELOW``.

        Raises:
            ValueError: the text has another form.
        """
        match = _FORM.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} has another form than >=1.2.0 or >=1.2.0,<2")
        return cls(match["lowest"], match["below"] or "")

    def __contains__(self, version: str) -> bool:
        if not self.lowest:
            return True
        numbers = _numbers(version)
        if numbers is None:
            return False
        return _order(version) >= _order(self.lowest) and (
            not self.below or numbers < (_numbers(self.below) or ())
        )

    def __str__(self) -> str:
        return f"from {self.lowest} on" + (f", below {self.below}" if self.below else "")


EVERY_VERSION: Final = CodecVersions()
"""The versions of an adapter that names none."""


def _numbers(version: str) -> tuple[int, ...] | None:
    """Return the numbers of a version without zeros at the end: 2 and 2.0.0 are one."""
    match = _NUMBERS.match(version)
    if match is None:
        return None
    numbers = [int(number) for number in match[0].split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def _order(version: str) -> tuple[tuple[int, ...], bool]:
    return _numbers(version) or (), _NUMBERS.fullmatch(version) is not None


TESTEE_FILE: Final = "testee.toml"
CLIENT_FILE: Final = "client.toml"
"""The file of a client of brokers, which is built and started like a testee."""

INSTALLED: Final = Path(__file__).parents[1] / "shipped"
"""The folder in an installed wheel (pyproject: force-include)."""
CHECKOUT: Final = Path(__file__).parents[5] / "codecs" / "testees"
"""The folder in a checkout."""
INSTALLED_CLIENTS: Final = Path(__file__).parents[1] / "clients"
CHECKOUT_CLIENTS: Final = Path(__file__).parents[5] / "codecs" / "clients"

_REFERENCE: Final = re.compile(r"(?P<name>[^:@]+)(?::(?P<variant>[\w.-]+))?(?:@(?P<version>\w[\w.+-]*))?")
_PART: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
"""The form of names and versions, which become parts of a build folder's name and of commands."""
_MAX_LIMIT: Final = 1 << 32
READS: Final = {"releases": ("wireproof.kafka.releases", "table.toml")}
"""The files of wireproof that a build may read, by their packages."""
LIMITS: Final = frozenset({"memory_mib", "processes", "descriptors", "temporary_mib", "cpu_s", "silent_s"})


@dataclass(frozen=True, slots=True)
class TesteeReference:
    """A testee as users write it: ``NAME[:VARIANT][@VERSION]``; the name may be a folder."""

    name: str
    variant: str = ""
    version: str = ""

    @classmethod
    def parse(cls, text: str) -> "TesteeReference":
        """Split the text into its parts; a text of another form is a name."""
        match = _REFERENCE.fullmatch(text)
        if match is None:
            return cls(text)
        return cls(match["name"], match["variant"] or "", match["version"] or "")


@dataclass(frozen=True, slots=True)
class Manifest:
    """A testee's description.

    Attributes:
        kit: the kit whose files are copied into the build, too; empty for none.
        version: the version of the codec under test, unless the user asks for another.
        takes: the versions of the codec that its adapter supports.
        variants: the variants that it can run as; the first is the default.
        build: commands, each a list of words.
        run: the command that starts it; empty in a container for the image's own.
        container: the image that it runs in; empty for none.
        reads: the keys of `READS` that its build reads: it is built again when their files change.
        sources: folders and files of the codec's own Python source, relative to its packages' folder.
        file: the name of its description: `testee.toml`, or `client.toml` for a client.
        kafka: whether the codec is Kafka's own classes, of the release that `version` names.
        slow: whether its build takes long, so that runs of every testee leave it out.
        locations: the lines of source that reports name; empty for those of its adapter.
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
    file: str = TESTEE_FILE
    kafka: bool = False
    takes: CodecVersions = EVERY_VERSION
    locations: tuple[SourceLocation, ...] = ()

    @property
    def kind(self) -> str:
        """The kind of foreign code in it: ``codec`` or ``client``."""
        return "codec" if self.file == TESTEE_FILE else "client"


def shipped_folder() -> Path:
    """Return the folder of the testees and kits that come with wireproof."""
    return INSTALLED if INSTALLED.is_dir() else CHECKOUT


def shipped() -> list[str]:
    """Return the names of the testees that come with wireproof, in order."""
    return sorted(path.parent.name for path in shipped_folder().glob(f"*/{TESTEE_FILE}"))


def shipped_manifests() -> list["Manifest"]:
    """The manifests of the testees that come with wireproof."""
    return [read_manifest(shipped_folder() / name) for name in shipped()]


def every_shipped_word() -> Iterator[str]:
    """The names of all testees, in each of their variants, except those that are slow to build."""
    for manifest in shipped_manifests():
        if not manifest.slow:
            words = [f"{manifest.name}:{each}" for each in manifest.variants]
            yield from words or [manifest.name]


def shipped_clients() -> list[Manifest]:
    """Return the clients of other languages that come with wireproof, in order of their names."""
    folder = INSTALLED_CLIENTS if INSTALLED_CLIENTS.is_dir() else CHECKOUT_CLIENTS
    return [read_manifest(path.parent, CLIENT_FILE) for path in sorted(folder.glob(f"*/{CLIENT_FILE}"))]


def read_manifest(folder: Path, file: str = TESTEE_FILE) -> Manifest:
    """Read the description in a folder.

    Raises:
        TesteeError: there is none, or it has an error.
    """
    path = folder / file
    try:
        table = parse_toml(read_text(path))
    except FileNotFoundError as error:
        raise TesteeError(f"there is no {path}", "A testee is a folder with a testee.toml.") from error
    except (OSError, ValueError) as error:
        raise ManifestError(f"cannot read {path}: {error}", f"Correct {path}.") from error
    locations, wrong_locations = read_locations(table.get("locations", {}), folder)
    problems = [*_problems(table), *wrong_locations]
    if problems:
        raise ManifestError(
            f"{path}: {'; '.join(problems)}",
            f"The testee protocol has its keys: {page_url('reference/testee-protocol.md')}",
        )
    return Manifest(
        folder.resolve(),
        table["name"],
        table["language"],
        table["version"],
        tuple(table.get("run", [])),
        tuple(tuple(words) for words in table.get("build", [])),
        table.get("kit", ""),
        tuple(table.get("variants", [])),
        table.get("container", ""),
        _limits(table.get("limits", {})),
        table.get("slow", False),
        tuple(table.get("reads", [])),
        tuple(table.get("sources", [])),
        file,
        table.get("kafka", False),
        CodecVersions.parse(table["takes"]) if "takes" in table else EVERY_VERSION,
        locations,
    )


def _text(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _part(value: Any) -> bool:
    return not _text(value) or _PART.fullmatch(value) is not None


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _of(kind: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, kind)


_FORMS: Final[Sequence[tuple[str, Callable[[Any], bool], str]]] = (
    ("name", _text, "a text"),
    ("language", _text, "a text"),
    ("version", _text, "a text"),
    ("name", _part, "one part of a path: letters, digits and ._+-, a letter or digit first"),
    ("version", _part, "one part of a path: letters, digits and ._+-, a letter or digit first"),
    ("takes", _of(str), "a text"),
    ("slow", _of(bool), "true or false"),
    ("kafka", _of(bool), "true or false"),
    ("kit", _of(str), "a text"),
    ("container", _text, "a text"),
    ("run", _texts, "a list of texts"),
    ("variants", _texts, "a list of texts"),
    ("sources", _texts, "a list of texts"),
    ("reads", lambda value: _texts(value) and set(value) <= READS.keys(), f"a list of {', '.join(READS)}"),
    (
        "build",
        lambda value: isinstance(value, list) and all(_texts(words) and words for words in value),
        "a list of lists of texts",
    ),
    ("limits", _of(dict), "a table"),
)
"""The form of each key: its test, and its name in words. `source_locations` tests the key `locations`."""
KEYS: Final = frozenset({"locations", *(key for key, _, _ in _FORMS)})


def _problems(table: Mapping[str, Any]) -> list[str]:
    """Return all errors of a description."""
    found = [f"{key} is not a key of it" for key in table if key not in KEYS]
    given = {key: value for key, value in table.items() if (key, value) != ("run", [])}
    needed = {"name", "language", "version", *([] if "container" in table else ["run"])}
    found += [
        f"{key} has to be {form}"
        for key, holds, form in _FORMS
        if key in given.keys() | needed and not holds(given.get(key))
    ]
    takes = table.get("takes")
    try:
        CodecVersions.parse(takes if isinstance(takes, str) else ">=0")
    except ValueError as error:
        found.append(f"takes: {error}")
    limits = table.get("limits", {})
    if isinstance(limits, dict):
        found += [f"limits.{key} is not a key of it" for key in limits if key not in LIMITS]
        found += [
            f"limits.{key} has to be a number above 0 and below 2^32"
            for key, value in limits.items()
            if type(value) not in (int, float) or not 0 < value < _MAX_LIMIT
        ]
    return found


def _limits(table: Mapping[str, float]) -> ResourceLimits:
    default = ResourceLimits()

    def bytes_of(key: str, otherwise: int) -> int:
        return int(table[key]) << 20 if key in table else otherwise

    return ResourceLimits(
        memory_bytes=bytes_of("memory_mib", default.memory_bytes),
        processes=int(table.get("processes", default.processes)),
        descriptors=int(table.get("descriptors", default.descriptors)),
        temporary_bytes=bytes_of("temporary_mib", default.temporary_bytes),
        cpu_s=table.get("cpu_s", default.cpu_s),
        silent_s=table.get("silent_s", default.silent_s),
    )


def fill_placeholders(words: Sequence[str], values: Mapping[str, str]) -> list[str]:
    """Fill in the ``{placeholders}`` of a command; other braces stay."""
    return [re.sub(r"\{(\w+)\}", lambda match: values.get(match[1], match[0]), word) for word in words]
