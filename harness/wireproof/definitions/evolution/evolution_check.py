"""Every change between two definitions, with its impact and the rule that it keeps or breaks."""

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from kafkawire.schema import (
    EMPTY,
    Effect,
    FieldLayout,
    FieldSpec,
    LayoutChange,
    MessageKind,
    MessageLayout,
    MessageSpec,
    ScalarType,
    SchemaSet,
    StructLayout,
    StructSpec,
    VersionRange,
    compare_layouts,
    resolve,
)
from wireproof.definitions.evolution.break_example import BreakExample, find_break, find_unwritten
from wireproof.definitions.evolution.evolution_rules import ChangeCategory, EvolutionRule, Impact
from wireproof.kafka.releases.release_schemas import ChangedCell, diff_releases, unstable_versions

_Version: TypeAlias = tuple[str, int]
"""A message and a version of it."""

_HALF_OF_UUID: Final = ("int64",)
_TAGS: Final = "tags"


def same_form(one: MessageLayout, other: MessageLayout) -> bool:
    """Return whether two layouts have the same bytes for all values, part by part.

    Names of fields, and structs without a tag section, have no bytes on the wire.
    """
    return tuple(_struct(one.root)) == tuple(_struct(other.root))


def _struct(struct: StructLayout) -> Iterator[object]:
    for field in struct.fields:
        yield from _field(field)
    if struct.flexible:
        tagged = tuple((each.tag, tuple(_defaults(each)), tuple(_field(each))) for each in struct.tagged)
        yield _TAGS, tagged, struct.reserved_tags


def _defaults(field: FieldLayout) -> Iterator[str]:
    """Yield the default of a field, then those of the fields that a default struct has."""
    yield repr(field.default)
    if field.struct is not None and not field.is_array and field.default is EMPTY:
        for inner in field.struct.all_fields:
            yield from _defaults(inner)


def _field(field: FieldLayout) -> Iterator[object]:
    if field.is_array:
        yield "array", field.compact, field.nullable, tuple(_one(field))
    elif field.struct is not None and field.nullable:
        yield "nullable", tuple(_struct(field.struct))
    else:
        yield from _one(field)


def _one(field: FieldLayout) -> Iterator[object]:
    """Yield the form of a field, or of an element of its array."""
    if field.struct is not None:
        yield from _struct(field.struct)
    elif field.encoding is not None:
        yield field.encoding
    elif field.scalar is ScalarType.UUID:
        yield from (*_HALF_OF_UUID, *_HALF_OF_UUID)
    elif field.scalar in (ScalarType.BYTES, ScalarType.RECORDS):
        yield "bytes", field.compact, field.nullable and not field.is_array
    elif field.scalar is ScalarType.STRING:
        yield "string", field.compact, field.nullable and not field.is_array
    else:
        yield str(field.scalar)


_NEGOTIATED = frozenset({MessageKind.REQUEST, MessageKind.RESPONSE, MessageKind.HEADER})
_MOVED: Final = (Impact.SAFE, EvolutionRule.TYPE_OF_KEY)
_RECORDS = frozenset({MessageKind.DATA, MessageKind.COORDINATOR_KEY, MessageKind.COORDINATOR_VALUE})
_SOURCE = frozenset(
    {
        EvolutionRule.NAMES,
        EvolutionRule.INTEGER_RANGE,
        EvolutionRule.EQUAL_BYTES,
        EvolutionRule.TAG_RETIRED,
        EvolutionRule.TYPE_OF_KEY,
    }
)
"""Rules of safe changes that change the generated class."""
_OF_HEADERS = frozenset({"apiKey", "header version"})
"""Changes that do not affect the body: both sides must have the same header."""


@dataclass(frozen=True, slots=True)
class SchemaFinding:
    """One change between two definitions, with its consequence.

    Attributes:
        change: the field and its difference; None if whole versions were added or removed.
        words: the added or removed versions; empty for a change of a field.
        to_old: the message of the new definition that the old one misreads; None if there is none.
        to_new: the message of the old definition that the new one misreads; None if there is none.
        stored: True if the message is data on disk, and not a request, a response or a header.
    """

    module: str
    message: str
    versions: VersionRange
    change: LayoutChange | None
    words: str
    impact: Impact
    rule: EvolutionRule
    to_old: BreakExample | None = None
    to_new: BreakExample | None = None
    stored: bool = False

    @property
    def category(self) -> ChangeCategory | None:
        """The harm of the change; None for a safe change that does not change the generated class."""
        if self.impact is Impact.SAFE:
            return ChangeCategory.SOURCE if self.rule in _SOURCE else None
        return ChangeCategory.STORED if self.stored else ChangeCategory.WIRE


def check_releases(before: SchemaSet, after: SchemaSet) -> list[SchemaFinding]:
    """Return the changes between two sets of definitions; messages are matched by name, in any module.

    A version of both sets is compared with itself. A version that only the newer set has is compared with the
    one before it.
    """
    found: list[SchemaFinding] = []
    old, new = _by_name(before), _by_name(after)
    unstable, moved = unstable_versions(before), {*_moved_keys(before, after), *_moved_keys(after, before)}
    same = _Examples()
    for each in diff_releases(before, after).changed:
        found += _of_cell(each, old[each.cell.message][1], new[each.cell.message][1], same)
    for name, (module, spec) in new.items():
        if name in old:
            found += _another_kind(module, old[name][1], spec)
            found += _unwritten(module, old[name][1], spec, unstable)
    for module, spec in after:
        found += _new_versions(module, spec, old[spec.name][1] if spec.name in old else None, moved)
    for module, spec in before:
        found += _removed_versions(
            module, spec, new[spec.name][1] if spec.name in new else None, unstable, moved
        )
    stored = {spec.name for schemas in (before, after) for _, spec in schemas if spec.kind not in _NEGOTIATED}
    return [replace(each, stored=each.message in stored) for each in _merged(found)]


def _another_kind(module: str, old: MessageSpec, new: MessageSpec) -> Iterator[SchemaFinding]:
    """Yield the change of a message's type, if other bytes are around the message then."""
    both = old.valid_versions.intersect(new.valid_versions)
    if old.kind is not new.kind and not {old.kind, new.kind} <= _RECORDS and not both.empty:
        change = LayoutChange("", "type", old.kind, new.kind)
        judged = Impact.BREAKS_BOTH, EvolutionRule.RELEASED_VERSION
        yield SchemaFinding(module, new.name, both, change, "", *judged)


class _Examples:
    """The examples of breaks; they are searched once for neighbouring versions with equal layouts."""

    def __init__(self) -> None:
        self._last: tuple[object, ...] = ()
        self._found: tuple[BreakExample | None, BreakExample | None] = None, None

    def find(self, old: MessageLayout, new: MessageLayout) -> tuple[BreakExample | None, BreakExample | None]:
        """Return an example that the old layout misreads, and one that the new layout misreads."""
        largest = [each.version == each.versions.highest for each in (old, new)]  # these have larger cases
        key = old.root, new.root, largest
        if key != self._last:
            self._last, self._found = key, (find_break(new, old), find_break(old, new))
        to_old, to_new = (each and replace(each, version=new.version) for each in self._found)
        return to_old, to_new


def _of_cell(
    changed: ChangedCell, old: MessageSpec, new: MessageSpec, examples: _Examples
) -> Iterator[SchemaFinding]:
    """Yield the changes of a version that both definitions have."""
    cell = changed.cell
    pair = resolve(old, cell.version), resolve(new, cell.version)
    to_old, to_new = examples.find(*pair) if changed.on_the_wire else (None, None)
    impact = Impact.of(to_old is not None, to_new is not None)
    if not impact.breaks and not same_form(*pair):
        impact = Impact.BREAKS_BOTH  # no boundary case shows a break, but safety is not proven
    one = VersionRange(cell.version, cell.version)
    for change in changed.changes:
        judged, rule = _of_one_version(change, impact, changed.stable)
        shown = (to_old, to_new) if judged.breaks else (None, None)
        yield SchemaFinding(cell.module, cell.message, one, change, "", judged, rule, *shown)


def _unwritten(
    module: str, old: MessageSpec, new: MessageSpec, unstable: Container[_Version]
) -> Iterator[SchemaFinding]:
    """Yield the fields of other versions with a value that the old definition takes, the new one not."""
    if _droppable(old.fields, old.common_structs) == _droppable(new.fields, new.common_structs):
        return
    for version in old.valid_versions.intersect(new.valid_versions):
        if (old.name, version) in unstable:
            continue
        one = VersionRange(version, version)
        for change, example in find_unwritten(resolve(old, version), resolve(new, version)).items():
            withdrawn = change.what == "ignorable"
            rule = EvolutionRule.IGNORABLE_WITHDRAWN if withdrawn else EvolutionRule.DEFAULT_OF_ABSENT
            impact = Impact.STOPS_WRITERS
            yield SchemaFinding(module, new.name, one, change, "", impact, rule, None, example)


def _droppable(fields: tuple[FieldSpec, ...], structs: tuple[StructSpec, ...]) -> list[object]:
    """Return the properties that decide which values are refused: names, versions, ignorables, defaults."""
    inner = [_droppable(struct.fields, ()) for struct in structs]
    own = [
        (each.name, str(each.versions), each.ignorable, each.default, _droppable(each.fields, ()))
        for each in fields
    ]
    return [*own, *inner]


def check_versions(
    module: str, before: tuple[MessageSpec, int], after: tuple[MessageSpec, int]
) -> list[SchemaFinding]:
    """Return the changes from one version of a message to another with a different number.

    Each is a definition and a version. Raises UnsupportedVersionError if a definition lacks its version.
    """
    pair = resolve(*before), resolve(*after)
    changes = compare_layouts(*pair)
    needed = any(change.effect.misread for change in changes)
    examples = (find_break(pair[1], pair[0]), find_break(*pair)) if needed else (None, None)
    spec, version = after
    one, stored = VersionRange(version, version), spec.kind not in _NEGOTIATED
    found = []
    for change in changes:
        impact, rule = _of_new_version(spec.kind, change)
        shown = examples if impact is Impact.NEW_VERSION else (None, None)
        found.append(SchemaFinding(module, spec.name, one, change, "", impact, rule, *shown, stored=stored))
    return found


def _of_one_version(change: LayoutChange, impact: Impact, stable: bool) -> tuple[Impact, EvolutionRule]:
    """The impact and the rule of a change in a version of both; `impact` is that of the whole version."""
    if not stable:
        return Impact.SAFE, EvolutionRule.UNSTABLE_VERSION
    match change.effect:
        case Effect.WORDS:
            return Impact.SAFE, _rule_of_words(change)
        case Effect.TAGGED:
            went = change.after == "absent"
            return Impact.SAFE, EvolutionRule.TAG_RETIRED if went else EvolutionRule.TAGGED_FIELD
        case Effect.TAG_TAKEN | Effect.TAG_RESERVED:
            reused = change.effect is Effect.TAG_TAKEN
            return impact, EvolutionRule.TAG_REUSED if reused else EvolutionRule.TAG_VERSIONS
        case _ if change.what in _OF_HEADERS:
            return Impact.BREAKS_BOTH, EvolutionRule.RELEASED_VERSION
        case _ if change.what == "default":
            return impact, EvolutionRule.DEFAULT_OF_TAG
        case _:
            return impact, EvolutionRule.RELEASED_VERSION if impact.breaks else EvolutionRule.EQUAL_BYTES


def _of_new_version(kind: MessageKind, change: LayoutChange) -> tuple[Impact, EvolutionRule]:
    """The impact and the rule of a change that comes with a new version."""
    match change.effect:
        case Effect.WORDS:
            return Impact.SAFE, _rule_of_words(change)
        case Effect.TAGGED:
            return Impact.SAFE, EvolutionRule.TAGGED_FIELD
        case _:
            return Impact.NEW_VERSION, _rule_of_kind(kind)


def _rule_of_words(change: LayoutChange) -> EvolutionRule:
    return EvolutionRule.INTEGER_RANGE if change.what == "range" else EvolutionRule.NAMES


def _rule_of_kind(kind: MessageKind) -> EvolutionRule:
    if kind in _NEGOTIATED:
        return EvolutionRule.NEW_VERSION
    return EvolutionRule.FEATURE_VERSION if kind is MessageKind.METADATA else EvolutionRule.NEW_RECORD_VERSION


def _impact_of_news(kind: MessageKind) -> Impact:
    """The impact of a version or a message that the older definition lacks."""
    return Impact.GATED if _rule_of_kind(kind).gate else Impact.SAFE


def _moved_keys(old: SchemaSet, new: SchemaSet) -> Iterator[_Version]:
    """Yield the versions of coordinators' keys that are data in one set and `coordinator-key` in the other.

    The number before a key's bytes is the version of such data, and the type (`apiKey`) of such a key: Kafka
    4.1 made version 2 of GroupMetadataKey type 2.
    """
    data = [spec for _, spec in old if spec.kind is MessageKind.DATA]
    for _, key in new:
        version, lowest = key.api_key, key.valid_versions.lowest
        if version is None or key.kind is not MessageKind.COORDINATOR_KEY or key.retired:
            continue
        for spec in data:
            if version in spec.valid_versions and same_form(resolve(spec, version), resolve(key, lowest)):
                yield from ((spec.name, version), (key.name, lowest))


def _new_versions(
    module: str, spec: MessageSpec, old: MessageSpec | None, moved: Container[_Version]
) -> Iterator[SchemaFinding]:
    """The versions that only the newer definition has, and their changes from the version before each."""
    known = VersionRange.NONE if old is None else old.valid_versions
    words = "the message is new" if old is None else "the version is new"
    impact, rule = _impact_of_news(spec.kind), _rule_of_kind(spec.kind)
    for version in spec.valid_versions:
        if version in known:
            continue
        one = VersionRange(version, version)
        judged = _MOVED if (spec.name, version) in moved else (impact, rule)
        yield SchemaFinding(module, spec.name, one, None, words, *judged)
        if old is not None and version - 1 in spec.valid_versions:
            yield from check_versions(module, (spec, version - 1), (spec, version))


def _removed_versions(
    module: str,
    spec: MessageSpec,
    new: MessageSpec | None,
    unstable: Container[_Version],
    moved: Container[_Version],
) -> Iterator[SchemaFinding]:
    kept = VersionRange.NONE if new is None else new.valid_versions
    words = "the message is gone" if kept.empty else "the version is gone"
    negotiated = spec.kind in _NEGOTIATED
    rule = EvolutionRule.REMOVED_VERSION if negotiated else EvolutionRule.REMOVED_RECORD_VERSION
    for version in spec.valid_versions:
        if version not in kept:
            judged = Impact.BREAKS_WRITERS, rule
            if (spec.name, version) in moved:
                judged = _MOVED
            elif (spec.name, version) in unstable:
                judged = Impact.SAFE, EvolutionRule.UNSTABLE_VERSION
            yield SchemaFinding(module, spec.name, VersionRange(version, version), None, words, *judged)


def _by_name(schemas: SchemaSet) -> dict[str, tuple[str, MessageSpec]]:
    return {spec.name: (module, spec) for module, spec in schemas}


def _merged(found: Iterable[SchemaFinding]) -> list[SchemaFinding]:
    """Join equal findings of consecutive versions; the examples are the first version's."""
    places: dict[tuple[object, ...], int] = {}
    rows: list[SchemaFinding] = []
    for each in found:
        key = each.module, each.message, each.change, each.words, each.impact, each.rule
        place = places.get(key)
        if place is not None and rows[place].versions.highest + 1 == each.versions.lowest:
            versions = VersionRange(rows[place].versions.lowest, each.versions.highest)
            rows[place] = replace(rows[place], versions=versions)
        else:
            places[key] = len(rows)
            rows.append(each)
    return rows
