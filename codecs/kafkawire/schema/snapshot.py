"""Schema snapshots: the definitions of a release in a normalised table of our own.

A snapshot has the data that `resolve` needs, and none of Kafka's text: no comments, no `about`, no line
numbers, no file names. As text it is JSON with a line for each message and each of its fields, in a fixed
order, so that two releases can be compared with `diff`. Reversed ranges, which contain no version, become
``none``.

    {"format":1,"release":"4.4.0","modules":{
    "clients":{
    "ListGroupsRequest":{"type":"request","apiKey":16,"validVersions":"0-5",...,"fields":[
    ["StatesFilter","[]string","4+"],
    ["TypesFilter","[]string","5+",{"ignorable":true}]
    ]},
"""

import json
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from kafkawire.schema.message_writing import field_keys, message_keys
from kafkawire.schema.model import (
    FieldSpec,
    IntegerEncoding,
    MessageKind,
    MessageSpec,
    SchemaSet,
    StructSpec,
    VersionRange,
)
from kafkawire.schema.parsing._field_types import parse_type

FORMAT: Final = 1

_MESSAGE_KEYS: Final = (
    *("type", "apiKey", "validVersions", "flexibleVersions", "deprecatedVersions", "headerVersions"),
    *("listeners", "latestVersionUnstable"),
)
_FIELD_KEYS: Final = (
    *("nullableVersions", "taggedVersions", "tag", "flexibleVersions", "default"),
    *("ignorable", "mapKey", "zeroCopy", "encoding", "entityType"),
)
"""The order of the keys."""

Plain: TypeAlias = dict[str, Any]


def to_snapshot(schemas: SchemaSet) -> Plain:
    """The set as plain dicts, lists, strings and numbers; modules and messages in order of name."""
    modules = {
        module: {name: _message(messages[name]) for name in sorted(messages)}
        for module, messages in sorted(schemas.modules.items())
    }
    return {"format": FORMAT, "release": schemas.release, "modules": modules}


def write_snapshot(schemas: SchemaSet) -> str:
    """The set as text, always the same for the same definitions; ends with a line end."""
    plain = to_snapshot(schemas)
    modules = [
        f"{_json(module)}:{{\n"
        + ",\n".join(_message_text(name, message) for name, message in messages.items())
        + "}"
        for module, messages in plain["modules"].items()
    ]
    head = f'{{"format":{plain["format"]},"release":{_json(plain["release"])},"modules":{{'
    return f"{head}\n" + ",\n".join(modules) + "}}\n"


def _message_text(name: str, message: Plain) -> str:
    head = _json({key: value for key, value in message.items() if key not in ("fields", "commonStructs")})
    parts = [f'{_json(name)}:{head[:-1]},"fields":{_lines(message["fields"])}']
    for struct, (versions, fields) in message.get("commonStructs", {}).items():
        parts.append(f"{_json(struct)}:[{_json(versions)},{_lines(fields)}]")
    if len(parts) == 1:
        return parts[0] + "}"
    return f'{parts[0]},"commonStructs":{{\n' + ",\n".join(parts[1:]) + "}}"


def _lines(fields: list[Any], depth: int = 0) -> str:
    """A list of fields, each on its own line; inner fields are indented."""
    if not fields:
        return "[]"
    indent = " " * depth
    return "[\n" + ",\n".join(f"{indent}{_field_text(field, depth)}" for field in fields) + "]"


def _field_text(field: list[Any], depth: int) -> str:
    match field:
        case [name, type_, versions, {"fields": inner, **options}]:
            head = _json([name, type_, versions, options])[:-2]
            comma = "," if options else ""
            return f'{head}{comma}"fields":{_lines(inner, depth + 1)}}}]'
        case _:
            return _json(field)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _message(spec: MessageSpec) -> Plain:
    keys = message_keys(spec)
    if spec.header_versions:
        keys["headerVersions"] = {str(versions): header for versions, header in spec.header_versions}
    plain: Plain = {key: keys[key] for key in _MESSAGE_KEYS if key in keys}
    plain["fields"] = [_field(field) for field in spec.fields]
    if spec.common_structs:
        plain["commonStructs"] = {
            struct.name: [str(struct.versions), [_field(field) for field in struct.fields]]
            for struct in spec.common_structs
        }
    return plain


def _field(field: FieldSpec) -> list[Any]:
    """``[name, type, versions]``, followed by a dict of the other properties, with Kafka's keys, if any."""
    keys = field_keys(field)
    options: Plain = {key: keys[key] for key in _FIELD_KEYS if key in keys}
    if field.fields:
        options["fields"] = [_field(inner) for inner in field.fields]
    plain = [keys["name"], keys["type"], keys["versions"]]
    return [*plain, options] if options else plain


def read_snapshot(text: str) -> SchemaSet:
    """Read the text that `write_snapshot` returns.

    Raises:
        ValueError: the text is not a snapshot, or one of another format.
    """
    plain = json.loads(text)
    if not isinstance(plain, dict):
        raise ValueError("a snapshot is an object")  # noqa: TRY004 - bad data, not a bad argument
    return from_snapshot(plain)


def from_snapshot(plain: Mapping[str, Any]) -> SchemaSet:
    """Return the schemas of a snapshot as `to_snapshot` returns it.

    Raises:
        ValueError: it is not a snapshot, or one of another format; the text says where it goes wrong.
    """
    if plain.get("format") != FORMAT:
        raise ValueError(f"the snapshot has format {plain.get('format')!r}, this program reads {FORMAT}")
    place = "head"
    modules: dict[str, dict[str, MessageSpec]] = {}
    try:
        release = str(plain["release"])
        for module, messages in plain["modules"].items():
            modules[module] = {}
            for name, message in messages.items():
                place = f"{module}/{name}"
                modules[module][name] = _read_message(name, message)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"the snapshot is not as it was written, at {place}: {error}") from error
    return SchemaSet(release, modules)


def _read_message(name: str, plain: Plain) -> MessageSpec:
    return MessageSpec(
        name=name,
        kind=MessageKind(plain["type"]),
        valid_versions=VersionRange.parse(plain["validVersions"]),
        flexible_versions=VersionRange.parse(plain["flexibleVersions"]),
        fields=tuple(_read_field(*field) for field in plain["fields"]),
        common_structs=tuple(
            StructSpec(struct, VersionRange.parse(versions), tuple(_read_field(*field) for field in fields))
            for struct, (versions, fields) in plain.get("commonStructs", {}).items()
        ),
        api_key=plain.get("apiKey"),
        deprecated_versions=VersionRange.parse(plain.get("deprecatedVersions", "none")),
        listeners=tuple(plain.get("listeners", ())),
        latest_version_unstable=plain.get("latestVersionUnstable", False),
        header_versions=tuple(
            (VersionRange.parse(versions), header)
            for versions, header in plain.get("headerVersions", {}).items()
        ),
    )


def _read_field(name: str, type_: str, versions: str, options: Plain | None = None) -> FieldSpec:
    given = options or {}
    own = given.get("flexibleVersions")
    return FieldSpec(
        name=name,
        type=parse_type(type_),
        versions=VersionRange.parse(versions),
        fields=tuple(_read_field(*field) for field in given.get("fields", ())),
        map_key=given.get("mapKey", False),
        nullable_versions=VersionRange.parse(given.get("nullableVersions", "none")),
        default=given.get("default", ""),
        ignorable=given.get("ignorable", False),
        entity_type=given.get("entityType", ""),
        tagged_versions=VersionRange.parse(given.get("taggedVersions", "none")),
        flexible_versions=None if own is None else VersionRange.parse(own),
        tag=given.get("tag"),
        zero_copy=given.get("zeroCopy", False),
        encodings=tuple(
            (VersionRange.parse(key), IntegerEncoding(value))
            for key, value in given.get("encoding", {}).items()
        ),
    )
