"""`write_message`: a definition as the JSON of a schema file, which `read_message` reads back."""

import json
from typing import Any

from kafkawire.schema.model import FieldSpec, MessageSpec, StructSpec


def write_message(spec: MessageSpec) -> str:
    """The text of the message's schema file, with a line for each key and each field; ends with a line feed.

    `header_versions` are left out: until KIP-1313 Kafka's generator refuses them.
    """
    parts = [f"  {_json(key)}: {_json(value)}" for key, value in message_keys(spec).items()]
    parts.append(f'  "fields": {_list(spec.fields, "  ")}')
    if spec.common_structs:
        structs = ",\n".join(_struct(each) for each in spec.common_structs)
        parts.append(f'  "commonStructs": [\n{structs}\n  ]')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _struct(struct: StructSpec) -> str:
    head = f'"name": {_json(struct.name)}, "versions": {_json(str(struct.versions))}'
    return f'    {{ {head}, "fields": {_list(struct.fields, "    ")} }}'


def _list(fields: tuple[FieldSpec, ...], indent: str) -> str:
    if not fields:
        return "[]"
    return "[\n" + ",\n".join(_field(field, f"{indent}  ") for field in fields) + f"\n{indent}]"


def _field(field: FieldSpec, indent: str) -> str:
    pairs = [f"{_json(key)}: {_json(value)}" for key, value in field_keys(field).items()]
    if field.fields:
        pairs.append(f'"fields": {_list(field.fields, indent)}')
    return f"{indent}{{ {', '.join(pairs)} }}"


def message_keys(spec: MessageSpec) -> dict[str, Any]:
    """The keys of a message in Kafka's usual order, without those at their defaults, and without structs."""
    every = {
        "apiKey": spec.api_key,
        "type": spec.kind.value,
        "name": spec.name,
        "listeners": list(spec.listeners) or None,
        "validVersions": str(spec.valid_versions),
        "deprecatedVersions": None if spec.deprecated_versions.empty else str(spec.deprecated_versions),
        "flexibleVersions": str(spec.flexible_versions),
        "latestVersionUnstable": spec.latest_version_unstable or None,
    }
    return {key: value for key, value in every.items() if value is not None}


def field_keys(field: FieldSpec) -> dict[str, Any]:
    """The keys of a field in Kafka's usual order, without those at their defaults, and without its fields."""
    own = field.flexible_versions
    every = {
        "name": field.name,
        "type": str(field.type),
        "versions": str(field.versions),
        "nullableVersions": None if field.nullable_versions.empty else str(field.nullable_versions),
        "taggedVersions": None if field.tagged_versions.empty else str(field.tagged_versions),
        "tag": field.tag,
        "flexibleVersions": None if own is None else str(own),
        "encoding": {str(versions): name.value for versions, name in field.encodings} or None,
        "default": field.default or None,
        "mapKey": field.map_key or None,
        "ignorable": field.ignorable or None,
        "zeroCopy": field.zero_copy or None,
        "entityType": field.entity_type or None,
    }
    return {key: value for key, value in every.items() if value is not None}


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
