"""Reading the schemas of a release out of its jars, and the cells in which two releases differ."""

import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from kafkawire.schema import (
    Dialect,
    Effect,
    LayoutChange,
    MessageKind,
    MessageSpec,
    SchemaSet,
    Severity,
    compare_layouts,
    dialect_of,
    read_message,
    resolve,
)
from wireproof.kafka.releases.release_table import Module, Release, ReleaseError
from wireproof.model.cell import Cell


def load_schemas(release: Release, jars: Mapping[str, Path]) -> SchemaSet:
    """Every message of these modules, retired ones included, in order of module and of name.

    The schema files lack header versions (before KIP-1313): `with_headers` adds them.

    Args:
        jars: module name to jar, as `JarStore.release_jars` gives them.

    Raises:
        ReleaseError: a jar cannot be read, or a schema file has errors, is not in the folder of the table,
            is there twice or gives no message; all findings are in `problems` and in the message.
    """
    problems: list[str] = []
    dialect = dialect_of(release.version)
    modules: dict[str, dict[str, MessageSpec]] = {}
    for module in release.modules:
        if module.name in jars:
            found = _read_module(module, jars[module.name], dialect, problems)
            modules[module.name] = {spec.name: spec for spec in sorted(found, key=lambda spec: spec.name)}
            problems += _doubled(module, found, modules)
    if problems:
        count = f"{len(problems)} problem{'s' if len(problems) > 1 else ''}"
        raise ReleaseError(
            f"the schemas of {release} have {count}:\n" + "\n".join(problems), problems=tuple(problems)
        )
    return SchemaSet(release.version, modules)


def count_differences(release: Release, schemas: SchemaSet, *, whole: bool = False) -> list[str]:
    """Return a line for each module whose number of messages or cells differs from the release table.

    The table's figures were counted without our schema reader. A difference means that a message or a
    version would not be tested, and nobody would notice.

    Args:
        whole: whether all modules of the release must be present; else only the modules read are counted.

    Raises:
        ReleaseError: the schemas have a module that the release does not offer.
    """
    differences: list[str] = []
    required = [module.name for module in release.modules] if whole else []
    for name in dict.fromkeys([*required, *schemas.modules]):
        module, messages = release.module(name), schemas.modules.get(name, {})
        cells = sum(len(spec.valid_versions) for spec in messages.values())
        for noun, found, known in (
            ("messages", len(messages), module.messages),
            ("cells", cells, module.cells),
        ):
            if found != known:
                differences.append(f"{release}/{name}: {found} {noun}, the release table counts {known}")
    return differences


def _read_module(module: Module, path: Path, dialect: Dialect, problems: list[str]) -> list[MessageSpec]:
    found: list[MessageSpec] = []
    try:
        with zipfile.ZipFile(path) as jar:
            for entry in _schema_entries(module, jar, problems):
                spec = _read_schema(f"{module.jar.file_name}!/{entry}", jar.read(entry), dialect, problems)
                if spec is not None:
                    found.append(spec)
    except (OSError, zipfile.BadZipFile) as error:
        raise ReleaseError(f"cannot read {path}: {error}", "Fetch the jar again.") from error
    return found


def _schema_entries(module: Module, jar: zipfile.ZipFile, problems: list[str]) -> Iterator[str]:
    """The schema files, by name; a file with an unexpected place is a problem, not an omission."""
    entries = Counter(name for name in jar.namelist() if name.endswith(".json"))
    if not entries:
        problems.append(f"{module.jar.file_name}: no schema files")
    for entry, count in sorted(entries.items()):
        if entry.rpartition("/")[0] + "/" != module.prefix:
            problems.append(
                f"{module.jar.file_name}!/{entry}: outside {module.prefix}, where schemas are read"
            )
        elif count > 1:
            problems.append(f"{module.jar.file_name}!/{entry}: there {count} times")
        else:
            yield entry


def _read_schema(source: str, content: bytes, dialect: Dialect, problems: list[str]) -> MessageSpec | None:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        problems.append(f"{source}: is not UTF-8 at byte {error.start}")
        return None
    spec, findings = read_message(text, source, dialect)
    errors = [finding for finding in findings if finding.severity is Severity.ERROR]
    problems += [str(error) for error in errors]
    if spec is None and not errors:
        problems.append(f"{source}: gives no message and no reason")
    return spec


def _doubled(
    module: Module, found: list[MessageSpec], modules: Mapping[str, Mapping[str, MessageSpec]]
) -> Iterator[str]:
    """Message names that are not unique in the release: a cell's id would mean two things."""
    count = Counter(spec.name for spec in found)
    for spec in found:
        if count[spec.name] > 1:
            yield f"{spec.source}: module {module.name} has {spec.name} {count[spec.name]} times"
        for other, messages in modules.items():
            if other != module.name and spec.name in messages:
                yield f"{spec.source}: module {other} has {spec.name} too"


_OTHER_HALF = {MessageKind.REQUEST: MessageKind.RESPONSE, MessageKind.RESPONSE: MessageKind.REQUEST}


@dataclass(frozen=True, slots=True)
class ChangedCell:
    """A cell of the newer release whose layout has changed; if `stable`, it should never have changed."""

    cell: Cell
    stable: bool
    changes: tuple[LayoutChange, ...]

    @property
    def on_the_wire(self) -> bool:
        """Return whether the bytes have changed; if not, only names or defaults have."""
        return any(change.effect is not Effect.WORDS for change in self.changes)


@dataclass(frozen=True, slots=True)
class MovedMessage:
    """A message that has moved to another module (and jar)."""

    message: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class ReleaseDiff:
    """The cells that were added and removed, in the newer release's order, and the number of equal cells."""

    came: tuple[Cell, ...]
    went: tuple[Cell, ...]
    moved: tuple[MovedMessage, ...]
    changed: tuple[ChangedCell, ...]
    alike: int

    @property
    def findings(self) -> tuple[ChangedCell, ...]:
        """Changes on the wire of stable versions: one version number, two wire formats."""
        return tuple(each for each in self.changed if each.stable and each.on_the_wire)


def diff_releases(before: SchemaSet, after: SchemaSet) -> ReleaseDiff:
    """Compare two releases; messages are matched by name, in any module."""
    old = {spec.name: (module, spec) for module, spec in before}
    new = {spec.name: (module, spec) for module, spec in after}
    both = [name for name in new if name in old]
    unstable = unstable_versions(before)
    changed: list[ChangedCell] = []
    alike = 0
    for name in both:
        module, spec = new[name]
        _, earlier = old[name]
        for version in earlier.valid_versions.intersect(spec.valid_versions):
            if changes := compare_layouts(resolve(earlier, version), resolve(spec, version)):
                stable = (name, version) not in unstable
                changed.append(ChangedCell(Cell(after.release, module, name, version), stable, changes))
            else:
                alike += 1
    return ReleaseDiff(
        came=tuple(_without(after, old)),
        went=tuple(_without(before, new)),
        moved=tuple(
            MovedMessage(name, old[name][0], new[name][0]) for name in both if old[name][0] != new[name][0]
        ),
        changed=tuple(changed),
        alike=alike,
    )


def _without(schemas: SchemaSet, others: dict[str, tuple[str, MessageSpec]]) -> Iterator[Cell]:
    """The cells of a set that the others lack."""
    for module, spec in schemas:
        known = others[spec.name][1].valid_versions if spec.name in others else ()
        for version in spec.valid_versions:
            if version not in known:
                yield Cell(schemas.release, module, spec.name, version)


def unstable_versions(schemas: SchemaSet) -> frozenset[tuple[str, int]]:
    """(message, version) of each request and response whose latest version is declared unstable."""
    return frozenset(_unstable(schemas))


def _unstable(schemas: SchemaSet) -> Iterator[tuple[str, int]]:
    by_key = {(spec.kind, spec.api_key): spec for _, spec in schemas if spec.kind in _OTHER_HALF}
    for _, spec in schemas:
        if spec.latest_version_unstable and not spec.retired:
            yield spec.name, spec.valid_versions.highest
            half = by_key.get((_OTHER_HALF[spec.kind], spec.api_key)) if spec.kind in _OTHER_HALF else None
            if half is not None:
                yield half.name, spec.valid_versions.highest
