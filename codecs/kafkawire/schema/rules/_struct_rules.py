"""The rules of a struct, of a whole message, and of the messages of a module.

Sources: the constructors of `StructSpec` and `MessageSpec`, `StructRegistry`, `MessageDataGenerator`,
`VersionConditional`; for modules `ApiMessageTypeGenerator`, `MetadataRecordTypeGenerator`,
`CoordinatorRecordTypeGenerator`; for header versions KIP-1313.
"""

from collections.abc import Iterator
from typing import TypeAlias

from kafkawire.schema.model import MAX_VERSION, MessageKind, MessageSpec, VersionRange, struct_fields
from kafkawire.schema.rule_table import SchemaRule
from kafkawire.schema.rules._java_names import IDENTIFIER, java_class_findings, java_message_name
from kafkawire.schema.rules._paths import StructPlace

Located: TypeAlias = tuple[str, int, SchemaRule, str]
"""Path, line, rule, text."""


def struct_findings(struct: StructPlace) -> Iterator[Located]:
    """Names and tags that are used twice, and gaps among the tags."""
    names: dict[str, str] = {}
    tags: dict[int, str] = {}
    for place in struct.places():
        field, path = place.field, place.path
        if (first := names.get(field.json_name)) is not None:
            exact = first == field.name
            rule = SchemaRule.NAME_TAKEN if exact else SchemaRule.NAME_TAKEN_BY_CASE
            same = "the name is" if exact else f"but for its first letter the name {first} is"
            yield path, field.line, rule, f"{same} taken by a field before: choose another name"
        names.setdefault(field.json_name, field.name)
        if field.tag is not None:
            if field.tag in tags:
                text = f"the tag {field.tag} is {tags[field.tag]}'s already: take the next free one"
                yield path, field.line, SchemaRule.TAG_TAKEN, text
            tags.setdefault(field.tag, path)
    missing = [tag for tag in range(len(tags)) if tag not in tags]
    if missing and min(tags) >= 0:
        text = f"the tags are not contiguous: use tag {missing[0]} before any higher one"
        yield struct.path, struct.line, SchemaRule.TAG_GAP, text


def inline_struct_findings(struct: StructPlace) -> Iterator[Located]:
    """Inline structs that no version has (`VersionConditional`)."""
    if struct.owner is not None and struct.around.empty:
        text = (
            f"no version has the struct {struct.name}: {struct.owner.versions} lies outside what is around it"
        )
        yield struct.path, struct.line, SchemaRule.STRUCT_WITHOUT_VERSIONS, text


def registry_findings(spec: MessageSpec, structs: list[StructPlace]) -> Iterator[Located]:
    """Struct names that are used twice or are not names, and structs inside themselves."""
    yield from _common_findings(spec)
    common = frozenset(struct.name for struct in spec.common_structs)
    inline: set[str] = set()
    for struct in structs:
        if struct.owner is None or (struct.in_common and struct.name in common):
            continue  # the registry ignores fields that a common struct gives for another common struct
        if struct.in_common:
            yield from _inline_in_common(struct, inline)
        else:
            yield from _inline(struct, common, inline)
            inline.add(struct.name)
    yield from _cycles(spec)
    yield from java_class_findings(spec, structs)


def _common_findings(spec: MessageSpec) -> Iterator[Located]:
    seen: set[str] = set()
    for struct in spec.common_structs:
        findings = []
        if not (struct.name[:1].isupper() and IDENTIFIER.fullmatch(struct.name)):
            text = "a struct's name is made of letters and digits, and begins with a capital letter"
            findings.append((SchemaRule.STRUCT_NAME, text))
        if struct.versions.empty:
            text = "the struct has no versions: say which ones, or remove it"
            findings.append((SchemaRule.COMMON_STRUCT_EMPTY_VERSIONS, text))
        if struct.name in seen:
            text = "the name is taken by a common struct before: choose another"
            findings.append((SchemaRule.COMMON_STRUCT_TWICE, text))
        seen.add(struct.name)
        yield from ((struct.name, struct.line, rule, text) for rule, text in findings)
        if struct.versions.intersect(spec.valid_versions).empty and not struct.versions.empty:
            text = f"no valid version has the struct: its versions are {struct.versions}"
            yield struct.name, struct.line, SchemaRule.COMMON_STRUCT_DEAD, text


def _inline(struct: StructPlace, common: frozenset[str], known: set[str]) -> Iterator[Located]:
    """Check that a name means one struct only, and that the struct has fields."""
    if struct.name in common:
        text = f"{struct.name} is a common struct: remove the fields here, or choose another name"
        yield struct.path, struct.line, SchemaRule.COMMON_STRUCT_INLINE, text
    elif struct.name in known:
        text = f"there is a struct {struct.name} before: make it a common struct, or choose another name"
        yield struct.path, struct.line, SchemaRule.STRUCT_TWICE, text
    elif not struct.fields and not struct.around.empty:
        text = f"the struct {struct.name} has no fields, and there is no common struct of that name"
        yield struct.path, struct.line, SchemaRule.STRUCT_EMPTY, text


def _inline_in_common(struct: StructPlace, known: set[str]) -> Iterator[Located]:
    """Check that a common struct only refers to structs of the message's own fields, and defines none."""
    if struct.name not in known:
        text = f"a common struct holds no struct of its own: make {struct.name} a common struct too"
        yield struct.path, struct.line, SchemaRule.STRUCT_IN_COMMON_STRUCT, text
    elif struct.fields:
        text = f"the fields are ignored: the struct {struct.name} of the message's own fields is used here"
        yield struct.path, struct.line, SchemaRule.STRUCT_FIELDS_IGNORED, text


def _cycles(spec: MessageSpec) -> Iterator[Located]:
    inside = {struct.name: frozenset(dict(struct_fields(struct.fields))) for struct in spec.common_structs}
    for struct in spec.common_structs:
        reached: set[str] = set()
        pending = [struct.name]
        while pending:
            new = inside.get(pending.pop(), frozenset()) - reached
            reached |= new
            pending.extend(new)
        if struct.name in reached:
            text = "the struct is inside itself, which Kafka has no form for: take one of the two out"
            yield struct.name, struct.line, SchemaRule.STRUCT_CYCLE, text


def message_findings(spec: MessageSpec) -> Iterator[tuple[str, SchemaRule, str]]:
    """Yield the problems of the message's own keys: (key, rule, text)."""
    yield from (("name", rule, text) for rule, text in java_message_name(spec))
    if MAX_VERSION in spec.valid_versions:
        yield (
            "validVersions",
            SchemaRule.VALID_VERSIONS_OPEN,
            f"validVersions {spec.valid_versions} have no end: name the newest version",
        )
    if spec.retired:
        return
    flexible = spec.flexible_versions
    if not flexible.empty and flexible.highest < MAX_VERSION:
        yield (
            "flexibleVersions",
            SchemaRule.FLEXIBLE_VERSIONS_END,
            f"flexibleVersions {flexible} end: write {flexible.lowest}+, or none",
        )
    if spec.kind is not MessageKind.REQUEST:
        if spec.listeners:
            yield (
                "listeners",
                SchemaRule.LISTENERS_NOT_REQUEST,
                f"only a request has listeners, not a {spec.kind}: remove them",
            )
        if spec.latest_version_unstable:
            text = f"only a request has latestVersionUnstable, not a {spec.kind}: remove it"
            yield "latestVersionUnstable", SchemaRule.UNSTABLE_NOT_REQUEST, text
    yield from _coordinator_findings(spec)
    yield from _header_version_findings(spec)


def _coordinator_findings(spec: MessageSpec) -> Iterator[tuple[str, SchemaRule, str]]:
    if spec.kind in (MessageKind.COORDINATOR_KEY, MessageKind.COORDINATOR_VALUE) and spec.api_key is None:
        yield (
            "type",
            SchemaRule.COORDINATOR_API_KEY,
            f"a {spec.kind} needs an apiKey: it says which record this is",
        )
    if spec.kind is MessageKind.COORDINATOR_KEY:
        if spec.valid_versions != VersionRange(0, 0):
            yield (
                "validVersions",
                SchemaRule.COORDINATOR_KEY_VERSIONS,
                f"a coordinator-key has version 0 only, not {spec.valid_versions}",
            )
        if not spec.flexible_versions.empty:
            yield (
                "flexibleVersions",
                SchemaRule.COORDINATOR_KEY_FLEXIBLE,
                "a coordinator-key is never flexible: write none",
            )


def _header_version_findings(spec: MessageSpec) -> Iterator[tuple[str, SchemaRule, str]]:
    ranges = spec.header_versions
    if not ranges:
        return
    if spec.kind not in (MessageKind.REQUEST, MessageKind.RESPONSE):
        yield (
            "headerVersions",
            SchemaRule.HEADER_VERSIONS_NOT_FRAMED,
            f"only requests and responses have a header, not a {spec.kind}: remove it",
        )
        return
    expected = 0
    for versions, _ in ranges:
        if versions.empty or versions.lowest != expected:
            text = f"headerVersions: {versions} should begin at {expected}: leave no gap and no overlap"
            yield "headerVersions", SchemaRule.HEADER_VERSIONS_RANGES, text
            return
        expected = versions.highest + 1
    if expected <= MAX_VERSION:
        text = f"headerVersions end at {expected - 1}: write the last range with a +"
        yield "headerVersions", SchemaRule.HEADER_VERSIONS_RANGES, text
    headers = [header for _, header in ranges]
    if headers != sorted(headers) or headers[0] < 0:
        yield (
            "headerVersions",
            SchemaRule.HEADER_VERSIONS_ORDER,
            "headerVersions: a header version is never below the one before, nor below 0",
        )
    yield from _flexible_header_findings(spec)


def _flexible_header_findings(spec: MessageSpec) -> Iterator[tuple[str, SchemaRule, str]]:
    if spec.name == "ApiVersionsResponse":
        if any(header != 0 for _, header in spec.header_versions):
            text = "headerVersions: ApiVersionsResponse has header 0, which every client can read (KIP-511)"
            yield "headerVersions", SchemaRule.HEADER_VERSIONS_FLEXIBLE, text
        return
    lowest = 2 if spec.kind is MessageKind.REQUEST else 1
    for versions, header in spec.header_versions:
        both = versions.intersect(spec.flexible_versions).intersect(spec.valid_versions)
        if not both.empty and header < lowest:
            text = f"headerVersions: the flexible versions {both} need header {lowest} or more, not {header}"
            yield "headerVersions", SchemaRule.HEADER_VERSIONS_FLEXIBLE, text
