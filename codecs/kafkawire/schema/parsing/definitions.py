"""The front end: a JSON tree to a definition.

It finds the problems of single keys. If a key cannot be read as written, the reader uses a harmless value
instead, marks the field as broken, and continues. So one reading lists all problems; the definition is then
not returned.

Sources: the constructors of Kafka's `MessageSpec`, `StructSpec`, `FieldSpec`, `FieldType`.
"""

from typing import Final

from kafkawire.schema.dialect import Dialect, leniently
from kafkawire.schema.model import (
    ArrayType,
    FieldSpec,
    FieldType,
    MessageKind,
    MessageSpec,
    ScalarType,
    StructSpec,
    StructType,
    VersionRange,
)
from kafkawire.schema.parsing._commented_json import JsonKind, JsonNode, JsonObject, JsonScalar
from kafkawire.schema.parsing._field_types import Encodings, FieldTypeError, parse_type, read_encodings
from kafkawire.schema.parsing._key_reading import (
    KeyReader,
    as_boolean,
    as_integer,
    as_items,
    as_text,
    is_given,
    is_present,
    shown,
)
from kafkawire.schema.rule_table import SchemaRule

_MESSAGE_KEYS: Final = frozenset(
    {
        *(
            "name",
            "type",
            "apiKey",
            "validVersions",
            "deprecatedVersions",
            "flexibleVersions",
            "headerVersions",
        ),
        *("listeners", "latestVersionUnstable", "commonStructs", "fields"),
    }
)
_STRUCT_KEYS: Final = frozenset({"name", "versions", "deprecatedVersions", "fields"})
_FIELD_KEYS: Final = frozenset(
    {
        *("name", "type", "versions", "nullableVersions", "taggedVersions", "tag", "flexibleVersions"),
        *("default", "ignorable", "mapKey", "entityType", "zeroCopy", "about", "fields"),
    }
)
_ENCODING: Final = "encoding"

_SINCE_4_0: Final = (MessageKind.COORDINATOR_KEY, MessageKind.COORDINATOR_VALUE)
_ZK: Final = "zkBroker"
LISTENERS: Final = frozenset({"zkBroker", "broker", "controller"})
ENTITIES: Final = frozenset({"unknown", "transactionalId", "producerId", "groupId", "topicName", "brokerId"})


class DefinitionReader(KeyReader):
    """Reads the tree of one file.

    Attributes:
        key_lines: the line of each top-level key.
    """

    def __init__(self, text: str, source: str, dialect: Dialect) -> None:
        super().__init__(text, source)
        self._dialect = dialect
        self._field_keys = _FIELD_KEYS | {_ENCODING} if dialect.integer_encodings else _FIELD_KEYS
        self.key_lines: dict[str, int] = {}

    def message(self, root: JsonNode) -> MessageSpec | None:
        """The definition; None if its name, kind or versions are missing or unreadable."""
        if not isinstance(root, JsonObject):
            self._fail(
                root, "", "file", SchemaRule.NOT_AN_OBJECT, f"a message is an object, not {shown(root)}"
            )
            return None
        self.key_lines = {key: self.line(node.offset) for key, node in root.members.items()}
        unknown = frozenset() if self._dialect.header_versions else frozenset({"headerVersions"})
        self._check_keys(root, "", _MESSAGE_KEYS - unknown)
        name = self._name(root, "", "message")
        kind = self._kind(root)
        valid = self._valid_versions(root)
        retired = valid.empty
        spec = MessageSpec(
            name=name or "",
            kind=kind or MessageKind.DATA,
            valid_versions=valid,
            flexible_versions=VersionRange.NONE if retired else self._flexible_versions(root),
            fields=self._fields(root, ""),
            common_structs=self._common_structs(root),
            api_key=self._take(root, "", "apiKey", lambda node: as_integer(node, 16), None),
            deprecated_versions=self._versions(root, "", "deprecatedVersions", VersionRange.NONE),
            listeners=() if retired else self._listeners(root),
            latest_version_unstable=False if retired else self._unstable(root),
            header_versions=self._header_versions(root),
            source=self.source,
        )
        return None if self.broken & {"name", "type", "validVersions"} else spec

    def _valid_versions(self, root: JsonObject) -> VersionRange:
        valid = self._versions(root, "", "validVersions", None)
        if valid is None and not is_given(root, "validVersions"):
            what = "validVersions is missing: say which versions there are"
            self._fail(root, "", "validVersions", SchemaRule.VALID_VERSIONS_MISSING, what)
        if valid is not None and valid.empty and not self._dialect.valid_versions_none:
            what = "no version is valid: Kafka before 4.0 wants one"
            self.report(root.members["validVersions"].offset, "", SchemaRule.VALID_VERSIONS_NONE, what)
        return VersionRange.ALL if valid is None else valid

    def _flexible_versions(self, root: JsonObject) -> VersionRange:
        flexible = self._versions(root, "", "flexibleVersions", None)
        if flexible is None and not is_present(root, "flexibleVersions"):
            what = "flexibleVersions is missing: write 0+ for a new message, or none"
            rule = SchemaRule.FLEXIBLE_VERSIONS_MISSING
            self.report(root.offset, "", rule, what, leniently(self._dialect.flexible_left_out))
        return VersionRange.NONE if flexible is None else flexible

    def _unstable(self, root: JsonObject) -> bool:
        return self._take(root, "", "latestVersionUnstable", as_boolean, False)

    def _kind(self, root: JsonObject) -> MessageKind | None:
        text = self._take(root, "", "type", as_text, None)
        if text is None:
            if not is_given(root, "type"):
                what = f"type is missing: write one of {', '.join(MessageKind)}"
                self._fail(root, "", "type", SchemaRule.TYPE_MISSING, what)
            return None
        kinds = [kind for kind in MessageKind if self._dialect.coordinator_types or kind not in _SINCE_4_0]
        if text not in kinds:
            what = f"there is no message type {text!r}: write one of {', '.join(kinds)}"
            self._fail(root.members["type"], "", "type", SchemaRule.MESSAGE_TYPE_UNKNOWN, what)
            return None
        return MessageKind(text)

    def _listeners(self, root: JsonObject) -> tuple[str, ...]:
        node = root.members.get("listeners")
        names = []
        for item in as_items(node) if node else ():
            text = self._coerce(item, "", "listeners", as_text)
            if text in LISTENERS and (text != _ZK or self._dialect.zk_listener):
                names.append(text)
            elif "listeners" not in self.broken:
                known = ", ".join(sorted(LISTENERS))
                what = f"there is no listener {shown(item)}: write {known}"
                self._fail(item, "", "listeners", SchemaRule.LISTENER_UNKNOWN, what)
        return tuple(names)

    def _common_structs(self, root: JsonObject) -> tuple[StructSpec, ...]:
        node = root.members.get("commonStructs")
        structs = [self._common_struct(item) for item in (as_items(node) if node else ())]
        return tuple(struct for struct in structs if struct is not None)

    def _common_struct(self, node: JsonNode) -> StructSpec | None:
        if not isinstance(node, JsonObject):
            what = f"a struct is an object, not {shown(node)}"
            self._fail(node, "", "commonStructs", SchemaRule.NOT_AN_OBJECT, what)
            return None
        path = self._path(node, "", "a common struct")
        self._check_keys(node, path, _STRUCT_KEYS)
        name = self._name(node, path, "struct")
        versions = self._versions(node, path, "versions", None)
        if versions is None and not is_given(node, "versions"):
            what = "versions is missing: say which versions have the struct"
            self._fail(node, path, path, SchemaRule.STRUCT_VERSIONS_MISSING, what)
        self._versions(node, path, "deprecatedVersions", None)
        fields = self._fields(node, f"{path}.")
        versions = VersionRange.ALL if versions is None else versions
        return StructSpec(path if name is None else name, versions, fields, self.line(node.offset))

    def _fields(self, owner: JsonObject, prefix: str) -> tuple[FieldSpec, ...]:
        node = owner.members.get("fields")
        fields = [self._field(item, prefix) for item in (as_items(node) if node else ())]
        return tuple(field for field in fields if field is not None)

    def _field(self, node: JsonNode, prefix: str) -> FieldSpec | None:
        if not isinstance(node, JsonObject):
            what = f"a field is an object, not {shown(node)}"
            self._fail(node, prefix.rstrip("."), prefix, SchemaRule.NOT_AN_OBJECT, what)
            return None
        path = self._path(node, prefix, "a field")
        self._check_keys(node, path, self._field_keys)
        name = self._name(node, path, "field")
        field_type = self._type(node, path)
        self._take(node, path, "about", as_text, None)
        tagged = self._versions(node, path, "taggedVersions", VersionRange.NONE)
        nullable = self._versions(node, path, "nullableVersions", VersionRange.NONE)
        is_array = isinstance(field_type, ArrayType)
        fields = self._fields(node, f"{path}[]." if is_array else f"{path}.")
        versions = self._field_versions(node, path, tagged, bool(fields) and _holds_struct(field_type))
        return FieldSpec(
            name=path if name is None else name,
            type=field_type,
            versions=versions,
            fields=fields,
            map_key=self._take(node, path, "mapKey", as_boolean, False),
            nullable_versions=nullable,
            default=self._default(node, path, nullable),
            ignorable=self._take(node, path, "ignorable", as_boolean, False),
            entity_type=self._entity(node, path),
            tagged_versions=tagged,
            flexible_versions=self._flexible_override(node, path),
            tag=self._take(node, path, "tag", lambda given: as_integer(given, 32), None),
            zero_copy=self._take(node, path, "zeroCopy", as_boolean, False),
            line=self.line(node.offset),
            encodings=self._encodings(node, path, versions),
        )

    def _encodings(self, node: JsonObject, path: str, versions: VersionRange) -> Encodings:
        def fail(offset: int, rule: SchemaRule, text: str) -> None:
            self.broken.add(path)
            self.report(offset, path, rule, text)

        given = node.members.get(_ENCODING) if self._dialect.integer_encodings else None
        return read_encodings(given, versions, fail)

    def _field_versions(
        self, node: JsonObject, path: str, tagged: VersionRange, inline: bool
    ) -> VersionRange:
        """The field's own `versions`; its tagged ones if they are missing and it is not an inline struct."""
        if is_given(node, "versions"):
            versions = self._versions(node, path, "versions", None)
            return VersionRange.ALL if versions is None else versions
        if inline and not tagged.empty:
            what = "versions is missing: a struct needs it, even one that is only tagged"
            if not self._dialect.tagged_struct_versions:
                self.broken.add(path)
            lenient = leniently(self._dialect.tagged_struct_versions)
            self.report(node.offset, path, SchemaRule.STRUCT_VERSIONS_MISSING, what, lenient)
        elif tagged.empty and not is_given(node, "taggedVersions", "none"):
            what = "versions is missing: say which versions have the field"
            self._fail(node, path, path, SchemaRule.FIELD_VERSIONS_MISSING, what)
        return VersionRange.ALL if tagged.empty else tagged

    def _flexible_override(self, node: JsonObject, path: str) -> VersionRange | None:
        given = node.members.get("flexibleVersions")
        if isinstance(given, JsonScalar) and given.text and not given.text.strip():
            what = "flexibleVersions is blank: write a range, or remove it"
            self._fail(given, path, path, SchemaRule.FLEXIBLE_OVERRIDE_BLANK, what)
        return self._versions(node, path, "flexibleVersions", None)

    def _type(self, node: JsonObject, path: str) -> FieldType:
        text = self._take(node, path, "type", as_text, None)
        if text is None:
            if not is_given(node, "type"):
                what = "type is missing: say what the field holds"
                self._fail(node, path, path, SchemaRule.TYPE_MISSING, what)
            return ScalarType.INT8
        try:
            return parse_type(text)
        except FieldTypeError as error:
            self._fail(node.members["type"], path, path, error.rule, str(error))
            return ScalarType.INT8

    def _default(self, node: JsonObject, path: str, nullable: VersionRange) -> str:
        given = node.members.get("default")
        if isinstance(given, JsonScalar) and given.kind is JsonKind.NULL and not nullable.empty:
            text = 'a default of JSON\'s null means that none is given: for null write "null", in quotes'
            self.report(given.offset, path, SchemaRule.DEFAULT_JSON_NULL, text)
        return self._take(node, path, "default", as_text, None) or ""

    def _entity(self, node: JsonObject, path: str) -> str:
        text = self._take(node, path, "entityType", as_text, None)
        if text is None or text in ENTITIES:
            return text or ""
        known = ", ".join(sorted(ENTITIES))
        what = f"there is no entityType {text!r}: write one of {known}"
        self._fail(node.members["entityType"], path, path, SchemaRule.ENTITY_TYPE_UNKNOWN, what)
        return ""

    def _header_versions(self, root: JsonObject) -> tuple[tuple[VersionRange, int], ...]:
        """`headerVersions` (KIP-1313): an object from ranges to header versions."""
        node = root.members.get("headerVersions")
        if node is None:
            return ()
        if not isinstance(node, JsonObject):
            what = "headerVersions is an object from ranges to header versions"
            self._fail(node, "", "headerVersions", SchemaRule.NOT_AN_OBJECT, what)
            return ()
        result = []
        for key, item in node.members.items():
            number = self._coerce(item, "", "headerVersions", lambda given: as_integer(given, 16))
            try:
                versions = VersionRange.parse(key)
            except ValueError:
                what = f"headerVersions: {key!r} is not a range: write 0-1 or 2+"
                self._fail(item, "", "headerVersions", SchemaRule.VERSIONS_SYNTAX, what)
                continue
            if number is not None:
                result.append((versions, number))
        return tuple(sorted(result))

    def _check_keys(self, node: JsonObject, path: str, allowed: frozenset[str]) -> None:
        for key, value in node.members.items():
            if key not in allowed:
                known = ", ".join(sorted(allowed))
                what = f"unknown key {key!r}: expected one of {known}"
                self._fail(value, path, path or key, SchemaRule.UNKNOWN_KEY, what)
        for key, offset, earlier in node.repeated:
            text = f"the key {key!r} is given again: the last one counts; remove the others"
            self.report(offset, path, SchemaRule.REPEATED_KEY, text)
            if key in allowed:
                self._check_earlier(JsonObject(node.offset, {key: earlier}), path, key, allowed)

    def _check_earlier(self, node: JsonObject, path: str, key: str, allowed: frozenset[str]) -> None:
        """Report a value of the wrong kind even if a later value replaces it, because Jackson reads both."""
        in_message = allowed >= _MESSAGE_KEYS - {"headerVersions"}
        match key:
            case "type" if in_message:
                self._kind(node)
            case "listeners":
                self._listeners(node)
            case "commonStructs":
                self._common_structs(node)
            case "fields":
                self._fields(node, f"{path}." if path else "")
            case "entityType":
                self._entity(node, path)
            case "apiKey" | "tag":
                bits = 16 if key == "apiKey" else 32
                self._take(node, path, key, lambda given: as_integer(given, bits), None)
            case "latestVersionUnstable" | "ignorable" | "mapKey" | "zeroCopy":
                self._take(node, path, key, as_boolean, False)
            case "headerVersions" | "encoding":
                pass  # no generator reads them
            case _:
                self._take(node, path, key, as_text, None)


def _holds_struct(field_type: FieldType) -> bool:
    return isinstance(field_type.element if isinstance(field_type, ArrayType) else field_type, StructType)
