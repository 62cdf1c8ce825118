"""Schema snapshots: the schemas of a release in a format of our own, which needs no jar and no Java.

`write_snapshot` makes them from jars and an oracle; a test compares them with the jars. They are bundled with
the codec (`kafkawire.bundled`).

Kafka keeps the header versions in a class (`ApiMessageType.requestHeaderVersion`, `responseHeaderVersion`);
schema files have them only since KIP-1313. An oracle is asked for them once, and they are written into the
snapshot. They are added to schemas that are read from jars.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Final, TypeAlias

from kafkawire.bundled import snapshots
from kafkawire.schema import (
    MessageKind,
    MessageSpec,
    SchemaSet,
    VersionRange,
    check_set,
    dialect_of,
    read_snapshot,
)
from kafkawire.schema import write_snapshot as snapshot_text
from wireproof.base.files.replacement import replace_file
from wireproof.kafka.releases.definition_files import DefinitionFile, definition_paths, read_definitions
from wireproof.kafka.releases.release_schemas import count_differences, load_schemas
from wireproof.kafka.releases.release_table import Fork, Release, ReleaseError
from wireproof.model.cell import Cell

HeaderTable: TypeAlias = Mapping[str, tuple[tuple[VersionRange, int], ...]]
"""Message name to (versions, header version), ranges ascending, as `MessageSpec.header_versions`."""

FRAMED = (MessageKind.REQUEST, MessageKind.RESPONSE)
"""The kinds of messages that have a header before them."""


def headers_of(schemas: SchemaSet) -> HeaderTable:
    """The header versions that the messages of this set contain, as in a snapshot."""
    return {spec.name: spec.header_versions for _, spec in schemas if spec.header_versions}


def ask_headers(schemas: SchemaSet, header_version: Callable[[Cell], int | None]) -> HeaderTable:
    """The header versions of every request and response, as `header_version` gives them cell by cell.

    Raises ReleaseError if a request or a response has none.
    """
    return {
        spec.name: tuple(_header_ranges(_ask(schemas.release, module, spec, header_version)))
        for module, spec in schemas
        if spec.kind in FRAMED and not spec.retired
    }


def with_headers(schemas: SchemaSet, headers: HeaderTable) -> SchemaSet:
    """The same set with the header versions of the table; messages without an entry stay as they are.

    Raises ReleaseError if a request or a response has a version that the table does not cover.
    """
    return SchemaSet(
        schemas.release,
        {
            module: {name: _with_header(schemas.release, spec, headers) for name, spec in messages.items()}
            for module, messages in schemas.modules.items()
        },
    )


def _with_header(release: str, spec: MessageSpec, headers: HeaderTable) -> MessageSpec:
    if spec.kind not in FRAMED or spec.retired:
        return spec
    ranges = headers.get(spec.name, spec.header_versions)
    for version in spec.valid_versions:
        if not any(version in versions for versions, _ in ranges):
            raise ReleaseError(f"no header version is known for {release}/{spec.name}/{version}")
    return replace(spec, header_versions=ranges)


def _ask(
    release: str, module: str, spec: MessageSpec, header_version: Callable[[Cell], int | None]
) -> Iterable[tuple[int, int]]:
    for version in spec.valid_versions:
        cell = Cell(release, module, spec.name, version)
        answer = header_version(cell)
        if answer is None:
            raise ReleaseError(f"the oracle knows no header version for {cell}")
        yield version, answer


def _header_ranges(answers: Iterable[tuple[int, int]]) -> list[tuple[VersionRange, int]]:
    """Ranges of consecutive versions with the same header version."""
    ranges: list[tuple[VersionRange, int]] = []
    for version, header in answers:
        if ranges and ranges[-1][1] == header:
            ranges[-1] = (VersionRange(ranges[-1][0].lowest, version), header)
        else:
            ranges.append((VersionRange(version, version), header))
    return ranges


_REQUEST: Final = (1, 2)
"""Header versions of requests: of versions that are not flexible, and of flexible ones (KIP-482)."""
_RESPONSE: Final = (0, 1)
_WITHOUT_CLIENT_ID: Final = ("ControlledShutdownRequest", 0)
"""Its header has version 0 (`ApiMessageType`, releases before 4.0)."""
_ANY_CLIENT: Final = "ApiVersionsResponse"
"""Its header always has version 0: a client reads it before it knows the broker (KIP-511)."""


def lay_over(fork: Fork, version: str, schemas: SchemaSet) -> SchemaSet:
    """Return the schemas of a release in which the fork's schemas replace or extend Kafka's.

    A request or a response without `headerVersions` (KIP-1313) gets the header versions that Kafka's
    generator gives it (`ApiMessageTypeGenerator`): by its flexible versions.

    Args:
        version: the version of the fork, such as ``4.4.0+acme``.
        schemas: the schemas of the release.
    """
    modules = {}
    for module, messages in schemas.modules.items():
        own = {name: _with_headers(spec) for name, spec in fork.modules.get(module, {}).items()}
        modules[module] = dict(sorted({**messages, **own}.items()))
    return SchemaSet(version, modules)


def _with_headers(spec: MessageSpec) -> MessageSpec:
    if spec.kind not in FRAMED or spec.retired or spec.header_versions:
        return spec
    return replace(spec, header_versions=tuple(_ranges(spec)))


def _ranges(spec: MessageSpec) -> Iterable[tuple[VersionRange, int]]:
    """Ranges of versions with one header version; neighbouring ranges differ."""
    first = 0
    versions = list(spec.valid_versions)
    for version, following in zip(versions, [*versions[1:], None], strict=True):
        header = _header(spec, version)
        if following is None or _header(spec, following) != header:
            last = VersionRange.ALL.highest if following is None else version
            yield VersionRange(first, last), header
            first = version + 1


def _header(spec: MessageSpec, version: int) -> int:
    flexible = version in spec.flexible_versions
    if spec.kind is MessageKind.REQUEST:
        return 0 if (spec.name, version) == _WITHOUT_CLIENT_ID else _REQUEST[flexible]
    return 0 if spec.name == _ANY_CLIENT else _RESPONSE[flexible]


WRITE_ADVICE: Final = "Write it from the jars: `wireproof releases --write-snapshot DIR`."


def snapshot_folder() -> Path:
    """The folder of the bundled snapshots, ``<release>.json``, where the codec is installed as files."""
    return Path(str(snapshots()))


def load_snapshot(release: Release, folder: Path | None = None) -> SchemaSet:
    """The schemas of a release or of a fork, header versions included, without jars.

    Raises ReleaseError if there is no snapshot of the release, or it is damaged.
    """
    if release.fork is not None:
        return lay_over(release.fork, release.version, load_snapshot(release.original, folder))
    path = (folder or snapshots()).joinpath(f"{release.version}.json")
    try:
        schemas = read_snapshot(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ReleaseError(f"there is no schema snapshot of {release}: {path}", WRITE_ADVICE) from error
    except OSError as error:
        raise ReleaseError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise ReleaseError(f"{path} is not a schema snapshot: {error}", WRITE_ADVICE) from error
    if schemas.release != release.version:
        raise ReleaseError(f"{path} is a snapshot of {schemas.release}, not of {release}", WRITE_ADVICE)
    if differences := count_differences(release, schemas, whole=True):
        raise ReleaseError(f"{path} is out of date: {'; '.join(differences)}", WRITE_ADVICE)
    return SchemaSet(
        release.version, {module.name: schemas.modules[module.name] for module in release.modules}
    )


def write_snapshot(
    release: Release,
    jars: Mapping[str, Path],
    header_version: Callable[[Cell], int | None],
    folder: Path | None = None,
) -> Path:
    """Write the snapshot of a release from its jars, and say where it is.

    Args:
        jars: all modules of the release, as `JarStore.release_jars` gives them.
        header_version: gives a request's or a response's header version (`Oracle.header_versions`).

    Raises:
        ReleaseError: a module is missing, the schemas are not as the release table says, or the folder
            cannot be written.
    """
    schemas = load_schemas(release, jars)
    if differences := count_differences(release, schemas, whole=True):
        raise ReleaseError("\n".join(differences), problems=tuple(differences))
    schemas = with_headers(schemas, ask_headers(schemas, header_version))
    path = (snapshot_folder() if folder is None else folder) / f"{release.version}.json"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, snapshot_text(schemas))
    except OSError as error:
        raise ReleaseError(f"cannot write {path}: {error.strerror}") from error
    return path


_MODULES: Final = {
    MessageKind.REQUEST: "clients",
    MessageKind.RESPONSE: "clients",
    MessageKind.HEADER: "clients",
    MessageKind.DATA: "clients",
    MessageKind.METADATA: "metadata",
}
"""The module of a new message that is in no module's folder. Each coordinator has a module of its own."""
_NAME: Final = re.compile(r"[^A-Za-z0-9.-]+")


def forked(release: Release, folder: Path, jars: Sequence[Path] = ()) -> Release:
    """Return the fork of a release with the message definitions of a folder.

    A definition replaces the release's message of the same name, in its module; without valid versions, it
    removes the message. A new message belongs to the module whose name a folder on its path has, as in
    ``group-coordinator/PingValue.json``, else to the module of its kind.

    Args:
        jars: jars with the classes of the fork.

    Raises:
        ReleaseError: the folder or a file of it cannot be used; each error has its file, line and rule.
    """
    for jar in jars:
        if not jar.is_file():
            raise ReleaseError(f"there is no jar {jar}", "Name the fork's jar, such as kafka-clients.jar.")
    if not folder.is_dir():
        raise ReleaseError(f"there is no folder {folder}", "Name a folder with message definitions.")
    dialect = replace(dialect_of(release.version), valid_versions_none=True, header_versions=True)
    definitions = read_definitions(definition_paths(folder), dialect)
    released = load_snapshot(release)
    known = {spec.name: module for module, spec in released}
    modules: dict[str, dict[str, MessageSpec]] = {}
    for name, file in sorted(definitions.files.items()):
        module = known.get(name) or _module_of(file, release, folder)
        modules.setdefault(module, {})[name] = file.spec
    plain = {
        module: {name: replace(spec, source="") for name, spec in each.items()}
        for module, each in modules.items()
    }
    fork = Fork(
        name=_NAME.sub("-", folder.resolve().name).strip("-.") or "fork",
        folder=folder,
        modules=modules,
        texts={name: file.text for name, file in definitions.files.items()},
        sha256=sha256(snapshot_text(SchemaSet("", plain)).encode()).hexdigest(),
        jars=tuple(jars),
        changed=tuple(sorted(known.keys() & definitions.files.keys())),
    )
    version = f"{release.version}+{fork.name}"
    if problems := list(_problems(fork, released, lay_over(fork, version, released))):
        raise ReleaseError("\n".join(problems), "Correct these errors.", tuple(problems))
    return replace(release, version=version, fork=fork)


def _module_of(file: DefinitionFile, release: Release, folder: Path) -> str:
    offered = {module.name for module in release.modules}
    for part in file.path.relative_to(folder).parts[:-1]:
        if part in offered:
            return part
    module = _MODULES.get(file.spec.kind, "")
    if module not in offered:
        raise ReleaseError(
            f"{file.path}:1: error: the module of the new {file.spec.kind} {file.spec.name} is unknown",
            f"Put it into a folder named after its module: {', '.join(sorted(offered))}.",
        )
    return module


def _problems(fork: Fork, released: SchemaSet, together: SchemaSet) -> Iterator[str]:
    """Yield the problems of all messages together (api keys, pairs) that the release alone does not have."""
    before = {str(each) for each in check_set(released)}
    files = {spec.source for messages in fork.modules.values() for spec in messages.values()}
    for each in check_set(together):
        if str(each) not in before:
            place = each.source if each.source in files else fork.folder
            yield f"{place}:1: error: {each.text}"
