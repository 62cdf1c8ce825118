"""Reading a fork: a folder of message definitions, checked together with those of a release."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Final

from kafkawire.schema import MessageKind, MessageSpec, SchemaSet, check_set, dialect_of
from kafkawire.schema import write_snapshot as snapshot_text
from wireproof.kafka.releases._definition_files import DefinitionFile, definition_paths, read_definitions
from wireproof.kafka.releases._snapshots import lay_over, load_snapshot
from wireproof.kafka.releases._table import Fork, Release, ReleaseError

_MODULES: Final = {
    MessageKind.REQUEST: "clients",
    MessageKind.RESPONSE: "clients",
    MessageKind.HEADER: "clients",
    MessageKind.DATA: "clients",
    MessageKind.METADATA: "metadata",
}
"""The module of a new message in no module's folder. Each coordinator has a module of its own."""
_NAME: Final = re.compile(r"[^A-Za-z0-9.-]+")


def forked(release: Release, folder: Path, jars: Sequence[Path] = ()) -> Release:
    """Return the fork of a release that has the message definitions of a folder as well.

    A message that the release has is replaced, in its module; one without valid versions is removed. A new
    one belongs to the module that a folder on its path is named after, ``group-coordinator/PingValue.json``,
    else to the module of its kind.

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
    """Yield the problems of the messages together (api keys, pairs) that the release does not have."""
    before = {str(each) for each in check_set(released)}
    files = {spec.source for messages in fork.modules.values() for spec in messages.values()}
    for each in check_set(together):
        if str(each) not in before:
            place = each.source if each.source in files else fork.folder
            yield f"{place}:1: error: {each.text}"
