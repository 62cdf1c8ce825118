"""Random definitions, and the JSON of each."""

import json
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from kafkawire.schema import (
    ArrayType,
    FieldSpec,
    MessageKind,
    MessageSpec,
    ScalarType,
    StructSpec,
    StructType,
    VersionRange,
)

_VERSIONS = st.integers(0, 9)
_BOUNDED_RANGES = st.tuples(_VERSIONS, _VERSIONS).map(lambda ends: VersionRange(min(ends), max(ends)))
_RANGES = st.one_of(
    st.just(VersionRange.NONE), _VERSIONS.map(lambda lowest: VersionRange(lowest, 32767)), _BOUNDED_RANGES
)
_SCALARS = st.sampled_from(ScalarType)
_NAMES = st.from_regex(r"[A-Za-z][A-Za-z0-9]{0,5}", fullmatch=True)
_STRUCT_NAMES = st.from_regex(r"[A-Z][a-z0-9]{0,5}", fullmatch=True)


def _field_specs(depth: int) -> st.SearchStrategy[FieldSpec]:
    structs = _STRUCT_NAMES.map(StructType)
    kinds = [_SCALARS, _SCALARS.map(ArrayType)]
    plain = _filled(st.one_of(kinds), st.just(()))
    if depth == 0:
        return plain
    inner = st.lists(_field_specs(depth - 1), max_size=3).map(tuple)
    return st.one_of(plain, _filled(st.one_of(structs, structs.map(ArrayType)), inner))


def _filled(types: st.SearchStrategy[Any], fields: st.SearchStrategy[Any]) -> st.SearchStrategy[FieldSpec]:
    return st.builds(
        FieldSpec,
        name=_NAMES,
        type=types,
        versions=_RANGES,
        fields=fields,
        map_key=st.booleans(),
        nullable_versions=_RANGES,
        default=st.sampled_from(
            ["", "null", "-1", "0x10", "true", 'a "quoted" // text', "/* x */", "ü\\\U0001f600"]
        ),
        ignorable=st.booleans(),
        entity_type=st.sampled_from(["", "groupId", "unknown"]),
        tagged_versions=_RANGES,
        flexible_versions=st.none() | _RANGES,
        tag=st.none() | st.integers(0, 3),
        zero_copy=st.booleans(),
    )


def message_specs() -> st.SearchStrategy[MessageSpec]:
    """Draw definitions that can be written as JSON; most break some rule of Kafka's."""
    fields = st.lists(_field_specs(2), max_size=3).map(tuple)
    return st.builds(
        MessageSpec,
        name=_STRUCT_NAMES,
        kind=st.sampled_from(MessageKind),
        valid_versions=_BOUNDED_RANGES,
        flexible_versions=_RANGES,
        fields=fields,
        common_structs=st.lists(
            st.builds(StructSpec, name=_STRUCT_NAMES, versions=_RANGES, fields=fields),
            max_size=2,
            unique_by=lambda struct: struct.name,
        ).map(tuple),
        api_key=st.none() | st.integers(-1, 99),
        deprecated_versions=_RANGES,
        listeners=st.lists(st.sampled_from(["broker", "controller", "zkBroker"]), max_size=2).map(tuple),
        latest_version_unstable=st.booleans(),
        header_versions=st.just(()) | st.just(((VersionRange(0, 2), 1), (VersionRange(3, 32767), 2))),
    )


def spec_text(spec: MessageSpec) -> str:
    """Return the definition as Kafka's JSON, with every key written."""
    message: dict[str, Any] = {
        "name": spec.name,
        "type": spec.kind.value,
        "validVersions": str(spec.valid_versions),
        "flexibleVersions": str(spec.flexible_versions),
        "deprecatedVersions": str(spec.deprecated_versions),
        "listeners": list(spec.listeners),
        "latestVersionUnstable": spec.latest_version_unstable,
        "fields": [_field(field) for field in spec.fields],
        "commonStructs": [
            {
                "name": struct.name,
                "versions": str(struct.versions),
                "fields": [_field(f) for f in struct.fields],
            }
            for struct in spec.common_structs
        ],
    }
    if spec.api_key is not None:
        message["apiKey"] = spec.api_key
    if spec.header_versions:
        message["headerVersions"] = {str(versions): str(header) for versions, header in spec.header_versions}
    return json.dumps(message, indent=1, ensure_ascii=False)


def _field(spec: FieldSpec) -> dict[str, Any]:
    field: dict[str, Any] = {
        "name": spec.name,
        "type": str(spec.type),
        "versions": str(spec.versions),
        "nullableVersions": str(spec.nullable_versions),
        "taggedVersions": str(spec.tagged_versions),
        "tag": spec.tag,
        "flexibleVersions": None if spec.flexible_versions is None else str(spec.flexible_versions),
        "default": spec.default,
        "ignorable": spec.ignorable,
        "mapKey": spec.map_key,
        "entityType": spec.entity_type or None,
        "zeroCopy": spec.zero_copy,
        "about": "text // that is not read /* at all",
        "fields": [_field(inner) for inner in spec.fields],
    }
    return field


def without_positions(spec: MessageSpec) -> MessageSpec:
    """Return the same definition without positions."""
    return replace(
        spec,
        source="",
        fields=_without_lines(spec.fields),
        common_structs=tuple(
            replace(struct, line=0, fields=_without_lines(struct.fields)) for struct in spec.common_structs
        ),
    )


def _without_lines(fields: tuple[FieldSpec, ...]) -> tuple[FieldSpec, ...]:
    return tuple(replace(field, line=0, fields=_without_lines(field.fields)) for field in fields)
