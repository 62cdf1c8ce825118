"""`wireproof schema convert`: the files that definitions become in the other language, with notes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

from kafkawire.schema import MessageSpec, Severity, write_message
from wireproof.app.assembly.definitions.schema_operands import read_operand
from wireproof.base.exit_codes import ExitCode
from wireproof.base.fatal import FatalError
from wireproof.base.text.wording import did_you_mean
from wireproof.definitions.franz_go import FRANZ_GO_VERSION, fetch_definitions
from wireproof.definitions.krammar import (
    ConversionNote,
    KrammarDefinitions,
    KrammarProblem,
    KrammarStruct,
    NoteLevel,
    StructRole,
    from_messages,
    read_files,
    struct_text,
    to_message,
)
from wireproof.definitions.krammar.parsing.definition_reader import ENUMS_FILE
from wireproof.kafka.releases import cache_folder
from wireproof.model import EMBEDDED_MODULE, PRIMITIVES_MODULE, RECORDS_MODULE
from wireproof.proof.config import SchemaSource

_SHOWN = 20


@dataclass(frozen=True, slots=True)
class KrammarOperand:
    """Definitions that were read.

    Attributes:
        text: the words for reports: a file, a folder, or franz-go with its version.
        files: the number of files.
        warnings: what franz-go's generator accepts, though the author hardly meant it.
    """

    text: str
    files: int
    definitions: KrammarDefinitions
    warnings: tuple[KrammarProblem, ...]


def read_krammar(folder: Path | None, *, offline: bool = False) -> KrammarOperand:
    """Read all files of a folder, or franz-go's definitions of the pinned version.

    Raises:
        FatalError: the folder has no files, the definitions cannot be had, or a file has errors.
    """
    if folder is None:
        return _read(
            f"franz-go {FRANZ_GO_VERSION}", _files(fetch_definitions(cache_folder(), offline=offline))
        )
    if not folder.is_dir():
        raise FatalError(f"there is no folder {folder}", "Name one with definition files.", ExitCode.USAGE)
    paths = _files(folder)
    if not paths:
        raise FatalError(f"{folder} has no files", "Name a folder with definition files.", ExitCode.USAGE)
    return _read(str(folder), paths)


def read_krammar_file(path: Path) -> KrammarOperand:
    """Read one file, with the enums beside it.

    Raises:
        FatalError: the file has errors.
    """
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
        raise FatalError(f"cannot read {error.filename}: {error.strerror}", "", ExitCode.USAGE) from error
    if definitions is None:
        errors = [str(each) for each in problems if each.severity is Severity.ERROR]
        shown = errors[:_SHOWN] + ([f"and {len(errors) - _SHOWN} more"] if len(errors) > _SHOWN else [])
        raise FatalError("\n".join(shown), "Correct these errors.", ExitCode.USAGE)
    return KrammarOperand(text, len(files), definitions, tuple(problems))


_OWN_MODULES: Final = (RECORDS_MODULE, EMBEDDED_MODULE, PRIMITIVES_MODULE)
"""The modules of wireproof's own definitions: those of data that Kafka writes by hand."""

_Named = TypeVar("_Named", MessageSpec, KrammarStruct)

FRANZ_GO: Final = "franz-go"
"""The operand that means the definitions of franz-go."""


@dataclass(frozen=True, slots=True)
class SchemaConversion:
    """The result of a conversion.

    Attributes:
        files: file name to text, in order.
        converted: the number of messages.
        notes: what the other language cannot say, in order of message.
        warnings: the warnings of the files that were read.
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
        message: convert only this message; with a request or a response goes the other.
        source: the definitions of a fork of the release.

    Raises:
        FatalError: the operand cannot be read, or has no such message.
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
    """The parts before the messages, so that a response follows its request."""
    return sorted(structs, key=lambda each: each.role is not StructRole.PLAIN)


def _file_name(struct: KrammarStruct) -> str:
    if struct.key is None:
        return struct.name
    name = struct.name.removesuffix("Request").removesuffix("Response")
    return f"{struct.key:02}_{name}"


def convert_to_json(operand: str, message: str | None, *, offline: bool = False) -> SchemaConversion:
    """Convert krammar: a file, a folder, or franz-go's definitions.

    The result is one file for each message, as Kafka's source has them.

    Args:
        message: convert only this one.

    Raises:
        FatalError: the operand cannot be read, or has no such message.
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
            f"{operand} does not exist",
            f"Name a definition file, a folder of them, or {FRANZ_GO}.",
            ExitCode.USAGE,
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
