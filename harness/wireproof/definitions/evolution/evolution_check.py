"""Every change between two definitions, with its impact and the rule that it keeps or breaks."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from kafkawire.schema import (
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
from wireproof.kafka.releases.release_schemas import ChangedCell, diff_releases

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
        tagged = tuple((each.tag, repr(each.default), tuple(_field(each))) for each in struct.tagged)
        yield _TAGS, tagged, struct.reserved_tags


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
_SOURCE = frozenset(
    {EvolutionRule.NAMES, EvolutionRule.INTEGER_RANGE, EvolutionRule.EQUAL_BYTES, EvolutionRule.TAG_RETIRED}
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
    for each in diff_releases(before, after).changed:
        found += _of_cell(each, old[each.cell.message][1], new[each.cell.message][1])
    for name, (module, spec) in new.items():
        if name in old:
            found += _unwritten(module, old[name][1], spec)
    for module, spec in after:
        found += _new_versions(module, spec, old[spec.name][1] if spec.name in old else None)
    for module, spec in before:
        found += _removed_versions(module, spec, new[spec.name][1] if spec.name in new else None)
    stored = {spec.name for schemas in (before, after) for _, spec in schemas if spec.kind not in _NEGOTIATED}
    return [replace(each, stored=each.message in stored) for each in _merged(found)]


def _of_cell(changed: ChangedCell, old: MessageSpec, new: MessageSpec) -> Iterator[SchemaFinding]:
    """Yield the changes of a version that both definitions have."""
    cell = changed.cell
    pair = resolve(old, cell.version), resolve(new, cell.version)
    to_old = to_new = None
    if changed.on_the_wire:
        to_old, to_new = find_break(pair[1], pair[0]), find_break(*pair)
    impact = Impact.of(to_old is not None, to_new is not None)
    if not impact.breaks and not same_form(*pair):
        impact = Impact.BREAKS_BOTH  # no boundary case shows a break, but safety is not proven
    one = VersionRange(cell.version, cell.version)
    for change in changed.changes:
        judged, rule = _of_one_version(change, impact, changed.stable)
        examples = (to_old, to_new) if judged.breaks else (None, None)
        yield SchemaFinding(cell.module, cell.message, one, change, "", judged, rule, *examples)


def _unwritten(module: str, old: MessageSpec, new: MessageSpec) -> Iterator[SchemaFinding]:
    """Yield the fields of other versions whose value the old definition drops and the new one refuses."""
    if _droppable(old.fields, old.common_structs) == _droppable(new.fields, new.common_structs):
        return
    unstable = old.valid_versions.highest if old.latest_version_unstable else None
    for version in old.valid_versions.intersect(new.valid_versions):
        if version == unstable:
            continue
        one = VersionRange(version, version)
        for path, example in find_unwritten(resolve(old, version), resolve(new, version)).items():
            change = LayoutChange(path, "ignorable", "yes", "no", Effect.WORDS)
            judged = Impact.STOPS_WRITERS, EvolutionRule.IGNORABLE_WITHDRAWN
            yield SchemaFinding(module, new.name, one, change, "", *judged, None, example)


def _droppable(fields: tuple[FieldSpec, ...], structs: tuple[StructSpec, ...]) -> list[object]:
    """Return the properties that decide which values are dropped: all names, versions and ignorables."""
    inner = [_droppable(struct.fields, ()) for struct in structs]
    own = [(each.name, str(each.versions), each.ignorable, _droppable(each.fields, ())) for each in fields]
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


def _new_versions(module: str, spec: MessageSpec, old: MessageSpec | None) -> Iterator[SchemaFinding]:
    """The versions that only the newer definition has, and their changes from the version before each."""
    if old is None:
        if not spec.retired:
            yield SchemaFinding(
                module,
                spec.name,
                spec.valid_versions,
                None,
                "the message is new",
                _impact_of_news(spec.kind),
                _rule_of_kind(spec.kind),
            )
        return
    for version in spec.valid_versions:
        if version in old.valid_versions:
            continue
        one = VersionRange(version, version)
        impact, rule = _impact_of_news(spec.kind), _rule_of_kind(spec.kind)
        yield SchemaFinding(module, spec.name, one, None, "the version is new", impact, rule)
        if version - 1 in spec.valid_versions:
            yield from check_versions(module, (spec, version - 1), (spec, version))


def _removed_versions(module: str, spec: MessageSpec, new: MessageSpec | None) -> Iterator[SchemaFinding]:
    negotiated = spec.kind in _NEGOTIATED
    rule = EvolutionRule.REMOVED_VERSION if negotiated else EvolutionRule.REMOVED_RECORD_VERSION
    if spec.retired:
        return
    if new is None or new.retired:
        impact, words = Impact.BREAKS_WRITERS, "the message is gone"
        yield SchemaFinding(module, spec.name, spec.valid_versions, None, words, impact, rule)
        return
    for version in spec.valid_versions:
        if version not in new.valid_versions:
            one, words = VersionRange(version, version), "the version is gone"
            yield SchemaFinding(module, spec.name, one, None, words, Impact.BREAKS_WRITERS, rule)


def _by_name(schemas: SchemaSet) -> dict[str, tuple[str, MessageSpec]]:
    return {spec.name: (module, spec) for module, spec in schemas}


def _merged(found: Iterable[SchemaFinding]) -> list[SchemaFinding]:
    """Join equal findings of consecutive versions; the examples are the first version's."""
    merged: dict[tuple[object, ...], SchemaFinding] = {}
    rows: list[SchemaFinding] = []
    for each in found:
        key = each.module, each.message, each.change, each.words, each.impact, each.rule
        last = merged.get(key)
        if last is not None and last.versions.highest + 1 == each.versions.lowest:
            wider = replace(last, versions=VersionRange(last.versions.lowest, each.versions.highest))
            rows[rows.index(last)] = merged[key] = wider
        else:
            merged[key] = each
            rows.append(each)
    return rows
