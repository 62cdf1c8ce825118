"""The configuration of a run: one frozen value for commands, pytest, Python and Spark jobs; and its file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final, Self, Unpack

from kafkawire.schema.model import VersionRange
from wireproof.base.exit_codes import ExitCode, FatalError
from wireproof.model.cell import Phase
from wireproof.proof.config.option_table import INSTALLED_CORPUS, OPTIONS
from wireproof.proof.config.option_values import OptionValues
from wireproof.proof.config.processors import available_processors
from wireproof.proof.config.report_paths import ReportPaths
from wireproof.proof.config.selection import (
    PROFILES,
    MutationSet,
    SchemaSource,
    Selection,
    mutations_of,
    phases_of,
)


class ConfigError(FatalError):
    """An option does not exist, or cannot have that value. The exit code is 2."""

    def __init__(self, message: str, advice: str = "") -> None:
        super().__init__(message, advice, ExitCode.USAGE)


@dataclass(frozen=True, slots=True)
class OptionLayer:
    """Options from one origin.

    Attributes:
        values: by the names of `OPTIONS`, or ``profile``.
        origin: begins the error messages about them, such as ``wireproof.toml``; empty for Python.
    """

    values: Mapping[str, Any]
    origin: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunConfig(ReportPaths):
    """The options of ``wireproof run``: the same names, with underscores in place of dashes.

    `OPTIONS` has the values and the effect of each. None and an empty tuple stand for the default that its
    sentence names: no limit, all cells, the testee's own ledger, Kafka's own definitions.

    Raises:
        ConfigError: a value is out of range.
    """

    testee: str | None = None
    twin: tuple[str, ...] = ()
    no_java: str | None = None
    release: tuple[str, ...] = ()
    schemas: Path | None = None
    schemas_jar: tuple[Path, ...] = ()
    module: tuple[str, ...] = ()
    message: tuple[str, ...] = ()
    message_version: tuple[VersionRange, ...] = (VersionRange.ALL,)
    cell: tuple[str, ...] = ()
    shard: tuple[int, int] = (1, 1)
    edges: bool = False
    phase: tuple[str, ...] = ()
    mutations: MutationSet | None = None
    examples: int = 50
    cases: int = 10_000
    first_case: int = 0
    seed: int = 0
    every_hang: bool = False
    last_failed: bool = False
    cause: str | None = None
    cause_from: Path | None = None
    maxfail: int | None = None
    jobs: int = 0
    budget: float | None = None
    shrink: float = 5.0
    shrink_total: float | None = None
    ledger: str | None = None
    jars: Path | None = None
    offline: bool = False

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if value is not None:
                object.__setattr__(self, each.name, _read(each.name, value, ""))
        if self.schemas_jar and self.schemas is None:
            raise ConfigError("schemas_jar: it needs schemas", "Name the folder with the jar's definitions.")

    @classmethod
    def of(cls, **options: Unpack[OptionValues]) -> Self:
        """The configuration of options by name, each as a file would give it: a text for one of a list, too.

        ``profile`` sets several options at once; the others win over it. The name of an option that takes a
        list may be a plural: ``phases``. A marker of pytest and a file take the same names.

        Raises:
            ConfigError: an option does not exist, or cannot have that value.
        """
        return cls.merged([OptionLayer(options)])

    @classmethod
    def merged(cls, layers: Sequence[OptionLayer]) -> Self:
        """The configuration of several layers; a later layer wins over an earlier one.

        Raises:
            ConfigError: an option does not exist, or cannot have that value.
        """
        values: dict[str, Any] = {}
        for layer in layers:
            values |= _values(layer)
        return cls(**values)

    @property
    def schema_source(self) -> SchemaSource | None:
        """The definitions of a fork; None for Kafka's own releases."""
        return SchemaSource.of(self.schemas, self.schemas_jar)

    @property
    def selection(self) -> Selection:
        """The selection of cells."""
        return Selection(self.module, self.message, self.message_version, self.cell, self.shard)

    @property
    def reports(self) -> ReportPaths:
        """The files that the command writes."""
        return ReportPaths(**{each.name: getattr(self, each.name) for each in fields(ReportPaths)})

    @property
    def phases(self) -> tuple[Phase, ...]:
        """The phases in the order in which they run. Without Java that is the phase `corpus`."""
        return phases_of(self.phase) if self.no_java is None else (Phase.CORPUS,)

    @property
    def mutation_set(self) -> MutationSet:
        """The number of mutations that are tried."""
        return mutations_of(self.mutations, self.phase)

    @property
    def processes(self) -> int:
        """Worker processes at once."""
        return self.jobs or available_processors()


def _values(layer: OptionLayer) -> dict[str, Any]:
    """The values of a layer, those of its profile first."""
    where = f"{layer.origin} " if layer.origin else ""
    values: dict[str, Any] = {}
    given = dict(layer.values)
    name = given.pop("profile", None)
    if name is not None:
        if name not in PROFILES:
            raise ConfigError(f"{where}profile: {name!r} is not valid; expected {', '.join(PROFILES)}")
        values |= {key: value() if callable(value) else value for key, value in PROFILES[name].items()}
    for word, value in given.items():
        key = _singular(word)
        if key != word and key in given:
            raise ConfigError(f"{where}{word}: {key} is given, too; they are one option")
        if key not in OPTIONS:
            from wireproof.base.text.wording import did_you_mean

            advice = did_you_mean(
                key, [*OPTIONS, "profile"], f"The options are profile, {', '.join(OPTIONS)}."
            )
            raise ConfigError(f"{where}{key}: this option does not exist", advice)
        values[key] = None if value is None else _read(key, value, where)
    return values


def _singular(word: str) -> str:
    """Return the name of an option that takes a list and is spelt as a plural: ``phases`` is ``phase``."""
    name = word.removesuffix("s")
    several = word not in OPTIONS and name in OPTIONS and OPTIONS[name].several
    return name if several else word


def _read(name: str, value: Any, where: str) -> Any:
    option = OPTIONS[name]
    try:
        return option.read(value)
    except (TypeError, ValueError):
        raise ConfigError(f"{where}{name}: {value!r} is not valid; expected {option.expects}") from None


OWN_FILE: Final = "wireproof.toml"
_PROJECT_FILE: Final = "pyproject.toml"
_SPECIAL: Final = ("-", "none")
"""Words in place of a path."""


def file_layer(folder: Path | None = None) -> OptionLayer:
    """The options of the nearest configuration file; none if there is no file.

    The search begins in the folder and goes up to the first ``wireproof.toml``, or ``pyproject.toml`` with
    a table ``[tool.wireproof]``; in one folder ``wireproof.toml`` wins. It ends at the root of a Git
    checkout.

    Args:
        folder: None for the working directory.

    Raises:
        ConfigError: the file is not readable as TOML.
    """
    start = (folder or Path.cwd()).resolve()
    for place in (start, *start.parents):
        own, project = place / OWN_FILE, place / _PROJECT_FILE
        if own.is_file():
            return _layer(_table(own), own, str(own))
        if project.is_file():
            table = _table(project).get("tool", {})
            if isinstance(table, Mapping) and isinstance(table.get("wireproof"), Mapping):
                return _layer(table["wireproof"], project, f"{project} [tool.wireproof]")
        if (place / ".git").exists():
            break
    return OptionLayer({})


def _table(path: Path) -> dict[str, Any]:
    try:
        from wireproof.base.text.parsing import parse_toml, read_text

        return parse_toml(read_text(path))
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise ConfigError(f"{path} is not valid TOML: {error}") from error


def _layer(values: Mapping[str, Any], path: Path, origin: str) -> OptionLayer:
    return OptionLayer({name: _placed(name, value, path.parent) for name, value in values.items()}, origin)


def _placed(name: str, value: Any, folder: Path) -> Any:
    """The value; a relative path is taken from the folder of the file."""
    if isinstance(value, list):
        return [_placed(name, each, folder) for each in value]
    if not isinstance(value, str) or name not in OPTIONS or value in _SPECIAL or not value:
        return value
    if name == "no_java" and value == INSTALLED_CORPUS:
        return value
    if OPTIONS[name].path or (name == "testee" and value.startswith((".", "~"))):
        return str(folder / Path(value).expanduser())
    return value
