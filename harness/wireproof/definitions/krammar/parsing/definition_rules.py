"""The rules of whole definitions: names, keys, named types, versions, tags, defaults, length fields.

Sources: `validateStructFields`, `validateMaxVersions` and `resolveType` of franz-go's generator, and Go's
own rule that no two types, and no two fields of a struct, have one name.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from kafkawire.schema.model import VersionRange
from wireproof.definitions.krammar.definition_model import (
    EnumReference,
    InlineStruct,
    KrammarArray,
    KrammarDefinitions,
    KrammarEnum,
    KrammarField,
    KrammarScalar,
    KrammarStruct,
    KrammarType,
    LengthMinus,
    NamedStruct,
    StructRole,
    can_be_tagged,
    default_value,
    inline_name,
)
from wireproof.definitions.krammar.definition_problems import KrammarRule, ProblemList
from wireproof.definitions.krammar.parsing.field_lines import MOST_DEPTH, innermost
from wireproof.model.coverage.wire_sizes import WIDTHS

MOST_FIELDS: Final = 100_000
"""The most fields of a struct with all inner structs expanded; franz-go's largest has 90."""


def check_sizes(definitions: KrammarDefinitions, problems: ProblemList) -> None:
    """Report structs that are too deep or too large.

    A named struct that is used twice at each level would double the layout with every level.
    """
    known: dict[str, tuple[int, int]] = {}
    for struct in definitions.structs:
        depth, count = _measured(struct.fields, known)
        if depth > MOST_DEPTH:
            words = f"structs are nested {depth} deep in {struct.name}: at most {MOST_DEPTH}"
            problems.error(struct.source, struct.line, KrammarRule.DEPTH, words)
        elif count > MOST_FIELDS:
            words = f"{struct.name} has {count:,} fields with those inside it: at most {MOST_FIELDS:,}"
            problems.error(struct.source, struct.line, KrammarRule.STRUCT_SIZE, words)
        else:
            known[struct.name] = depth, count
        if problems.full:
            return


def _measured(fields: tuple[KrammarField, ...], known: dict[str, tuple[int, int]]) -> tuple[int, int]:
    """The depth of the structs inside, and the number of fields."""
    depth, count = 1, len(fields)
    for field in fields:
        match innermost(field.type):
            case InlineStruct(fields=inner):
                inside = _measured(inner, known)
            case NamedStruct(name=name):
                inside = known.get(name, (0, 0))
            case _:
                continue
        depth, count = max(depth, inside[0] + 1), count + inside[1]
    return depth, count


_MESSAGES: Final = (StructRole.REQUEST, StructRole.RESPONSE)
_WIDTHS: Final = {KrammarScalar(scalar.value): width for scalar, width in WIDTHS.items()}
"""Bytes of the types that have a fixed size."""


@dataclass(frozen=True, slots=True)
class _Place:
    """A list of fields: the fields of a struct with a head, or of an inner struct."""

    struct: KrammarStruct
    name: str
    fields: tuple[KrammarField, ...]
    line: int
    around: VersionRange
    top_level: bool


def check_definitions(definitions: KrammarDefinitions, problems: ProblemList) -> None:
    """Add the problems of definitions whose lines were read one by one."""
    check_sizes(definitions, problems)
    enums = {each.name: each for each in definitions.enums}
    known: dict[str, KrammarStruct] = {}
    names = {each.name: (each.source, each.line) for each in definitions.enums}
    keys: dict[int, str] = {}
    answered = {each.name.removesuffix("Response") for each in definitions.structs}
    for struct in definitions.structs:
        _check_head(struct, keys, answered, problems)
        for place in _places(struct):
            if problems.full:
                return
            _check_name(place, names, problems)
            _check_fields(place, problems)
            _check_lengths(place, problems)
            for field in place.fields:
                _check_field(place, field, enums, known, problems)
        known[struct.name] = struct


def _places(struct: KrammarStruct) -> Iterator[_Place]:
    highest = struct.max_version
    around = VersionRange.ALL if highest is None else VersionRange(0, highest)
    pending = [_Place(struct, struct.name, struct.fields, struct.line, around, True)]
    while pending:
        place = pending.pop()
        yield place
        for field in reversed(place.fields):
            inner = innermost(field.type)
            if isinstance(inner, InlineStruct):
                name = inline_name(place.name, field)
                versions = place.around if field.versions is None else place.around.intersect(field.versions)
                pending.append(_Place(struct, name, inner.fields, field.line, versions, False))


def _check_head(
    struct: KrammarStruct, keys: dict[int, str], answered: set[str], problems: ProblemList
) -> None:
    def error(rule: KrammarRule, text: str) -> None:
        problems.error(struct.source, struct.line, rule, text)

    if not struct.fields and struct.role not in _MESSAGES and not problems.errors:
        problems.warning(
            struct.source, struct.line, KrammarRule.EMPTY_STRUCT, f"the struct {struct.name} has no fields"
        )
    if struct.role is StructRole.REQUEST and struct.key is not None:
        owner = keys.setdefault(struct.key, struct.name)
        if owner != struct.name:
            error(KrammarRule.DUPLICATE_KEY, f"the key {struct.key} is {owner}'s: take the next free one")
        if struct.name.removesuffix("Request") not in answered:
            words = f"{struct.name} has no response: write it right after"
            problems.warning(struct.source, struct.line, KrammarRule.RESPONSE, words)
    if struct.role is StructRole.VERSIONED:
        first = struct.fields[0] if struct.fields else None
        plain = KrammarField("Version", KrammarScalar.INT16, line=first.line if first else 0)
        if first != plain:
            error(KrammarRule.VERSION_FIELD, "'with version field': the first field is Version: int16")


def _check_name(place: _Place, names: dict[str, tuple[str, int]], problems: ProblemList) -> None:
    before = names.setdefault(place.name, (place.struct.source, place.line))
    if before != (place.struct.source, place.line):
        words = f"the name {place.name} is taken in {before[0]}:{before[1]}: choose another, or a name hint"
        problems.error(place.struct.source, place.line, KrammarRule.DUPLICATE_NAME, words)


def _check_fields(place: _Place, problems: ProblemList) -> None:
    """Check that names and tags are unique among the fields."""
    source, flexible = place.struct.source, place.struct.flexible_since is not None
    names: set[str] = set()
    reserved = {"UnknownTags"} if flexible else set()
    if place.top_level and place.struct.role in _MESSAGES:
        reserved.add("Version")
    tags: dict[int, str] = {}
    for field in place.fields:
        if field.name in names:
            words = f"there is a field {field.name} before: choose another name"
            problems.error(source, field.line, KrammarRule.DUPLICATE_FIELD, words)
        names.add(field.name)
        if field.name in reserved:
            words = f"the generated struct has a field {field.name} already: choose another name"
            problems.error(source, field.line, KrammarRule.RESERVED_NAME, words)
        if field.tag is not None and tags.setdefault(field.tag, field.name) != field.name:
            words = f"the tag {field.tag} is that of {tags[field.tag]}: take the next free one"
            problems.error(source, field.line, KrammarRule.TAG, words)
    missing = next((tag for tag in range(len(tags)) if tag not in tags), None)
    if missing is not None and flexible:
        words = f"{place.name} has {len(tags)} tags, and none is {missing}: number them from 0"
        problems.error(source, place.line, KrammarRule.TAG, words)


def _check_field(
    place: _Place,
    field: KrammarField,
    enums: dict[str, KrammarEnum],
    known: dict[str, KrammarStruct],
    problems: ProblemList,
) -> None:
    source = place.struct.source
    inner = innermost(field.type)
    if isinstance(inner, NamedStruct):
        _check_named(place.struct, field, known.get(inner.name), inner.name, problems)
    if isinstance(inner, EnumReference) and inner.name not in enums:
        words = f"the enum {inner.name} is not defined: define it in the file `enums`"
        problems.error(source, field.line, KrammarRule.UNKNOWN_ENUM, words)
    _check_default(source, field, inner, enums, problems)
    _check_versions(place, field, problems)
    _check_tag(place, field, problems)


def _check_named(
    struct: KrammarStruct, field: KrammarField, named: KrammarStruct | None, name: str, problems: ProblemList
) -> None:
    if named is None or named.role not in (StructRole.PLAIN, StructRole.VERSIONED):
        words = f"the struct {name} is not defined before this line: define it above, as not top level"
        problems.error(struct.source, field.line, KrammarRule.UNKNOWN_TYPE, words)
    elif named.flexible_since is not None and struct.flexible_since is None:
        words = f"{name} is flexible and {struct.name} is not: the generated Go does not compile"
        problems.error(struct.source, field.line, KrammarRule.FLEXIBLE, words)
    elif named.flexible_since is None and struct.flexible_since is not None:
        words = f"{name} is not flexible and {struct.name} is: its lengths stay fixed"
        problems.warning(struct.source, field.line, KrammarRule.FLEXIBLE, words)


def _check_lengths(place: _Place, problems: ProblemList) -> None:
    """Check that a length field precedes its bytes, and that the number is the size of the fields between."""
    known: dict[str, tuple[KrammarType, int, int]] = {}
    size = unsized = 0
    for field in place.fields:
        if isinstance(field.type, LengthMinus):
            type_, before, others = known.get(field.type.field, (None, 0, 0))
            if type_ is not KrammarScalar.INT32:
                words = f"there is no int32 field {field.type.field} before: its value is the length"
                problems.error(place.struct.source, field.line, KrammarRule.LENGTH_FIELD, words)
            elif others == unsized and size - before != field.type.minus:
                both = f"{size - before} bytes, and {field.type.minus} are subtracted"
                words = f"the fields after {field.type.field} have {both}"
                problems.warning(place.struct.source, field.line, KrammarRule.LENGTH_FIELD, words)
        width = _WIDTHS.get(field.type) if isinstance(field.type, KrammarScalar) else None
        size, unsized = size + (width or 0), unsized + (width is None)
        known[field.name] = field.type, size, unsized


def _check_default(
    source: str, field: KrammarField, inner: KrammarType, enums: dict[str, KrammarEnum], problems: ProblemList
) -> None:
    if field.default is None or isinstance(inner, InlineStruct):
        return
    if isinstance(inner, EnumReference):
        enum = enums.get(inner.name)
        inner = KrammarScalar.INT64 if enum is None else enum.type
    try:
        default_value(inner, field.default)
    except ValueError as error:
        problems.error(source, field.line, KrammarRule.DEFAULT, str(error))
        return
    if isinstance(field.type, KrammarArray):
        words = "the default of the elements has no effect: remove it"
        problems.warning(source, field.line, KrammarRule.DEFAULT, words)


def _check_versions(place: _Place, field: KrammarField, problems: ProblemList) -> None:
    highest = place.struct.max_version
    if field.versions is None:
        return
    ends = [field.versions.lowest]
    if field.versions.highest < VersionRange.ALL.highest:
        ends.append(field.versions.highest)
    if highest is not None and max(ends) > highest:
        words = f"the field's versions {field.versions} go beyond max version {highest}"
        problems.error(place.struct.source, field.line, KrammarRule.VERSION, words)
    elif place.around.intersect(field.versions).empty:
        words = f"no version has the field: {field.versions} lies outside {place.around} of its struct"
        problems.warning(place.struct.source, field.line, KrammarRule.VERSION, words)


def _check_tag(place: _Place, field: KrammarField, problems: ProblemList) -> None:
    if field.tag is None:
        return
    source = place.struct.source
    if place.struct.flexible_since is None:
        words = f"{place.struct.name} is not flexible, so that a tagged field is never written"
        problems.warning(source, field.line, KrammarRule.FLEXIBLE, words)
    elif not can_be_tagged(field.type):
        words = "a tagged field of this type has no default that is left out: make it nullable"
        problems.error(source, field.line, KrammarRule.TAG, words)
    if field.versions is not None:
        words = "with versions and a tag the field is written twice, in place and tagged: write the tag alone"
        problems.warning(source, field.line, KrammarRule.TAG_AND_VERSIONS, words)
