"""The definitions that operands name, and their conversion from and to krammar."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NoReturn, TypeVar

from kafkawire.schema import TODAY, Dialect, MessageSpec, SchemaProblem, SchemaSet, Severity, write_message
from wireproof.app.assembly.inputs.bundled_schemas import snapshots, unpublished_messages
from wireproof.app.assembly.inputs.cell_lookup import find_cell
from wireproof.app.assembly.inputs.run_inputs import find_release
from wireproof.base.exit_codes import ExitCode, FatalError, as_fatal
from wireproof.base.text.wording import did_you_mean, first_lines
from wireproof.definitions.evolution.evolution_check import SchemaFinding, check_releases, check_versions
from wireproof.definitions.franz_go.definition_store import FRANZ_GO_VERSION, fetch_definitions
from wireproof.definitions.krammar.conversion.field_conversion import ConversionNote, NoteLevel
from wireproof.definitions.krammar.conversion.from_schema import from_messages
from wireproof.definitions.krammar.conversion.to_schema import to_message
from wireproof.definitions.krammar.definition_model import KrammarDefinitions, KrammarStruct, StructRole
from wireproof.definitions.krammar.definition_printing import struct_text
from wireproof.definitions.krammar.definition_problems import KrammarProblem
from wireproof.definitions.krammar.parsing.definition_reader import ENUMS_FILE, read_files
from wireproof.kafka.releases.definition_files import Definitions, definition_paths, read_definitions
from wireproof.kafka.releases.jar_store import cache_folder
from wireproof.kafka.releases.release_table import Release, ReleaseError
from wireproof.model.cell import EMBEDDED_MODULE, PRIMITIVES_MODULE, RECORDS_MODULE, Cell
from wireproof.proof.config.selection import SchemaSource

FILES_MODULE: Final = "files"
"""The module of messages that were read from files."""

_CELL: Final = re.compile(r"(?:[^/]+/)?[A-Za-z]+/\d+")


@dataclass(frozen=True, slots=True)
class SchemaOperand:
    """Definitions to compare.

    Attributes:
        text: the operand as the user gave it, or the release that it names.
        cell: the one version that the operand names; None if it means all versions.
        partial: whether the operand names only some messages of a release, as a file does.
        warnings: parts of the files that Kafka's generator accepts, but that are probably mistakes.
        not_checked_out: the number of files that a sparse checkout leaves out.
        release: the release that the operand names; None for files.
    """

    text: str
    schemas: SchemaSet
    cell: Cell | None = None
    partial: bool = False
    warnings: tuple[SchemaProblem, ...] = ()
    not_checked_out: int = 0
    release: Release | None = None


def read_operand(text: str, source: SchemaSource | None = None, dialect: Dialect = TODAY) -> SchemaOperand:
    """Read an operand: a file or a folder that exists, else a message at a version, else a release.

    Raises:
        FatalError: it is none of these, or a file has errors. Each error has its file, line and rule.
    """
    path = Path(text)
    if path.exists():
        with as_fatal(ReleaseError):
            found = read_definitions(definition_paths(path) if path.is_dir() else [path], dialect)
        return operand_of(text, found, partial=not path.is_dir())
    if path.suffix == ".json" or text.startswith((".", "/")):
        _refuse_missing(path)
    if _CELL.fullmatch(text):
        cell, _ = find_cell(text, source)
        return replace(_release(cell.release, source), text=cell.id, cell=cell, partial=True)
    return _release(text, source)


def _refuse_missing(path: Path) -> NoReturn:
    """Raise the error about a file that cannot be opened.

    Raises:
        FatalError: always.
    """
    try:
        path.stat()
    except FileNotFoundError:
        words = f"{path} does not exist"
    except OSError as error:
        words = f"{path}:1: error: the file cannot be read: {error.strerror}"
    raise FatalError(words, "Name a file or a folder that exists.")


def _release(text: str, source: SchemaSource | None) -> SchemaOperand:
    release = find_release(text, source)
    return SchemaOperand(release.version, snapshots([release])[release.version], release=release)


def operand_of(text: str, found: Definitions, *, partial: bool = False) -> SchemaOperand:
    """Return the operand of definitions that were read from files; see `SchemaOperand`."""
    messages = {name: file.spec for name, file in found.files.items()}
    return SchemaOperand(
        text, SchemaSet(text, {FILES_MODULE: messages}), partial=partial, warnings=found.warnings
    )


def findings_between(before: SchemaOperand, after: SchemaOperand, message: str | None) -> list[SchemaFinding]:
    if (before.cell is None) != (after.cell is None):
        raise FatalError(
            f"{before.text} and {after.text} cannot be compared: one is a version of a message",
            "Name two versions, such as FetchRequest/16 and FetchRequest/17.",
        )
    if before.cell is not None and after.cell is not None:
        if before.cell.message != after.cell.message:
            raise FatalError(
                f"{before.cell.message} and {after.cell.message} are two messages",
                "Name two versions of one message.",
            )
        module, spec = after.schemas.find(after.cell.message)
        _, older = before.schemas.find(before.cell.message)
        return check_versions(module, (older, before.cell.version), (spec, after.cell.version))
    chosen = compared_messages(before, after, message)
    if not chosen & _names(before) & _names(after):
        raise FatalError(
            f"{before.text} and {after.text} have no message in common"
            + (f" named {message}" if message else ""),
            "`wireproof cells` lists the messages of a release.",
            ExitCode.NOTHING_RAN,
        )
    return [each for each in check_releases(before.schemas, after.schemas) if each.message in chosen]


def compared_messages(before: SchemaOperand, after: SchemaOperand, message: str | None) -> frozenset[str]:
    """Return the names of the messages that a comparison of two operands is about."""
    chosen = _names(before) | _names(after)
    for each, other in ((before, after), (after, before)):
        chosen &= _names(each) if each.partial else chosen
        chosen -= messages_out_of_sight(each, other)
    return chosen if message is None else chosen & {message}


def messages_out_of_sight(operand: SchemaOperand, other: SchemaOperand) -> frozenset[str]:
    """Return the messages of another operand that this one may have, and does not show.

    Kafka has no file for wireproof's own definitions, and the registry lacks some modules of releases.
    """
    if operand.release is not None:
        return unpublished_messages(operand.release, other.schemas)
    return frozenset(spec.name for module, spec in other.schemas if module in _OWN_MODULES)


def _names(operand: SchemaOperand) -> frozenset[str]:
    return frozenset(spec.name for _, spec in operand.schemas)


_SHOWN = 20


@dataclass(frozen=True, slots=True)
class KrammarOperand:
    """Definitions that were read.

    Attributes:
        text: the words for reports: a file, a folder, or franz-go with its version.
        warnings: parts that franz-go's generator accepts, but that are probably mistakes.
    """

    text: str
    files: int
    definitions: KrammarDefinitions
    warnings: tuple[KrammarProblem, ...]


def read_krammar(folder: Path | None, *, offline: bool = False) -> KrammarOperand:
    """Read all files of a folder, or franz-go's definitions of the pinned version."""
    if folder is None:
        return _read(
            f"franz-go {FRANZ_GO_VERSION}", _files(fetch_definitions(cache_folder(), offline=offline))
        )
    if not folder.is_dir():
        raise FatalError(f"there is no folder {folder}", "Name one with definition files.")
    paths = _files(folder)
    if not paths:
        raise FatalError(f"{folder} has no files", "Name a folder with definition files.")
    return _read(str(folder), paths)


def read_krammar_file(path: Path) -> KrammarOperand:
    """Read one file, with the enums beside it; `FatalError` if the file has errors."""
    enums = path.with_name(ENUMS_FILE)
    beside = [enums] if enums.is_file() and enums != path else []
    return _read(str(path), [path, *beside])


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.is_file() and not path.name.startswith(".")]


def _read(text: str, paths: Iterable[Path]) -> KrammarOperand:
    files = sorted(paths)
    try:
        definitions, problems = read_files(files)
    except OSError as error:
        raise FatalError(f"cannot read {error.filename}: {error.strerror}") from error
    if definitions is None:
        errors = [str(each) for each in problems if each.severity is Severity.ERROR]
        raise FatalError("\n".join(first_lines(errors, _SHOWN)), "Correct these errors.")
    return KrammarOperand(text, len(files), definitions, tuple(problems))


_OWN_MODULES: Final = (RECORDS_MODULE, EMBEDDED_MODULE, PRIMITIVES_MODULE)
"""The modules of wireproof's own definitions, for data that Kafka encodes with hand-written code."""

_Named = TypeVar("_Named", MessageSpec, KrammarStruct)

FRANZ_GO: Final = "franz-go"
"""The operand that means the definitions of franz-go."""


@dataclass(frozen=True, slots=True)
class SchemaConversion:
    """The result of a conversion.

    Attributes:
        files: file name to text, in order.
        notes: what the other language cannot say, in order of message.
    """

    files: Mapping[str, str]
    converted: int
    notes: tuple[ConversionNote, ...]
    warnings: tuple[str, ...]

    @property
    def refused(self) -> int:
        """The number of messages that the other language cannot express."""
        return self._count(NoteLevel.REFUSED)

    @property
    def one_way(self) -> int:
        """The number of converted messages that a conversion back changes."""
        return self._count(NoteLevel.ONE_WAY)

    def _count(self, level: NoteLevel) -> int:
        return len({each.message for each in self.notes if each.level is level})


def convert_to_krammar(
    operand: str, message: str | None, source: SchemaSource | None = None
) -> SchemaConversion:
    """Convert Kafka's definitions: a file, a folder or a release.

    The result is one file for each api key, and one for each other message.

    Args:
        message: convert only this message; a request comes with its response, and the reverse.
    """
    read = read_operand(operand, source)
    specs = [spec for module, spec in read.schemas if module not in _OWN_MODULES]
    if message is not None:
        chosen = _named(message, {each.name: each for each in specs})
        pair = [each for each in specs if chosen.api_key is not None and _pair(each) == _pair(chosen)]
        specs = pair or [chosen]
    definitions, notes = from_messages(specs)
    groups: dict[str, list[KrammarStruct]] = {}
    pending: list[KrammarStruct] = []
    for struct in definitions.structs:
        pending.append(struct)
        if struct.role is not StructRole.PLAIN:
            groups.setdefault(_file_name(struct), []).extend(pending)
            pending = []
    converted = sum(each.role is not StructRole.PLAIN for each in definitions.structs)
    files = {name: struct_text(_ordered(structs)) for name, structs in groups.items()}
    return SchemaConversion(files, converted, tuple(notes), tuple(str(each) for each in read.warnings))


def _pair(spec: MessageSpec) -> tuple[bool, int | None]:
    return spec.kind in ("request", "response"), spec.api_key


def _ordered(structs: Sequence[KrammarStruct]) -> list[KrammarStruct]:
    """Return the structs with parts before messages, so that a response directly follows its request."""
    return sorted(structs, key=lambda each: each.role is not StructRole.PLAIN)


def _file_name(struct: KrammarStruct) -> str:
    if struct.key is None:
        return struct.name
    name = struct.name.removesuffix("Request").removesuffix("Response")
    return f"{struct.key:02}_{name}"


def convert_to_json(operand: str, message: str | None, *, offline: bool = False) -> SchemaConversion:
    """Convert krammar: a file, a folder, or franz-go's definitions.

    The result is one file for each message, as Kafka's source has them.
    """
    path = Path(operand)
    if operand == FRANZ_GO and not path.exists():
        read, wanted = read_krammar(None, offline=offline), None
    elif path.is_dir():
        read, wanted = read_krammar(path), None
    elif path.is_file():
        read, wanted = read_krammar_file(path), str(path)
    else:
        raise FatalError(
            f"{operand} does not exist", f"Name a definition file, a folder of them, or {FRANZ_GO}."
        )
    structs = [
        each
        for each in read.definitions.structs
        if each.role is not StructRole.PLAIN and wanted in (None, each.source)
    ]
    if message is not None:
        structs = [_named(message, {each.name: each for each in structs})]
    files: dict[str, str] = {}
    notes: list[ConversionNote] = []
    for struct in structs:
        spec, found = to_message(struct, read.definitions)
        notes += found
        if spec is not None:
            files[f"{spec.name}.json"] = write_message(spec)
    return SchemaConversion(files, len(files), tuple(notes), tuple(str(each) for each in read.warnings))


def _named(message: str, known: Mapping[str, _Named]) -> _Named:
    if message not in known:
        advice = did_you_mean(message, known, f"The messages are such as {min(known, default='none')}.")
        raise FatalError(f"there is no message {message}", advice, ExitCode.NOTHING_RAN)
    return known[message]
