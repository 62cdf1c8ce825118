"""Schemas that Kafka's generator or javac refuses, and others that are only odd: one fact each.

Each row was also run through the generator of a release; `refused` has the result.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """A schema with exactly one problem: its place, and a part of its text."""

    name: str
    text: str
    line: int
    path: str
    words: str


HEAD = {
    "name": '"ProbeRequest"',
    "type": '"request"',
    "apiKey": "1",
    "validVersions": '"0-3"',
    "flexibleVersions": '"2+"',
}
FIRST_FIELD = len(HEAD) + 3


def schema(*fields: str, common: tuple[str, ...] = (), **head: str | None) -> str:
    """A message's JSON: each key of the head on a line, from line 2; each field on one, from `FIRST_FIELD`.

    `common` follows: its first entry is two lines below the last field. A key given as None is left out.
    """
    keys = {key: value for key, value in {**HEAD, **head}.items() if value is not None}
    lines = ["{", *(f'  "{key}": {value},' for key, value in keys.items())]
    lines += ['  "fields": [', ",\n".join(fields), '  ], "commonStructs": [', ",\n".join(common), "  ]", "}"]
    return "\n".join(lines)


def _field(name: str, line: str, words: str, path: str = "a") -> Row:
    return Row(name, schema(line), FIRST_FIELD, path, words)


def _a(rest: str) -> str:
    """Return a field named A, of versions 0+."""
    return f'{{ "name": "A", "versions": "0+", {rest} }}'


def _default(field_type: str, default: str) -> str:
    return _a(f'"type": "{field_type}", "default": {default}')


_INNER_KEY = '{ "name": "K", "type": "int8", "versions": "2+"'
_B2 = '{ "name": "B", "type": "int8", "versions": "2+"'
_LATE = '{ "name": "A", "type": "int8", "versions": "3+", "taggedVersions": "2+", "tag": 0 }'
_ITSELF = (
    '{ "name": "Shared", "versions": "0+",'
    ' "fields": [{ "name": "C", "versions": "0+", "type": "[]Shared" }] }'
)
_TAGGED = '"taggedVersions": "2+", "tag"'
_B = '{ "name": "B", "type": "int8", "versions": "0+" }'
_COMMON = f'{{ "name": "Shared", "versions": "0+", "fields": [{_B}] }}'
_COMMON_LINE = FIRST_FIELD + 2

_NAMES = (
    _field(
        "field-name", '{ "name": "A-b", "type": "int8", "versions": "0+" }', "not a name for a field", "a-b"
    ),
    _field(
        "field-name-empty",
        '{ "name": "", "type": "int8", "versions": "0+" }',
        "not a name for a field",
        "<a field without a name, line 8>",
    ),
    _field(
        "field-name-missing",
        '{ "type": "int8", "versions": "0+" }',
        "name is missing",
        "<a field without a name, line 8>",
    ),
    _field("type-missing", '{ "name": "A", "versions": "0+" }', "type is missing"),
    _field("versions-missing", '{ "name": "A", "type": "int8" }', "versions is missing"),
    _field("versions-blank", '{ "name": "A", "type": "int8", "versions": " " }', "versions is missing"),
    _field(
        "versions-missing-tagged-none",
        '{ "name": "A", "type": "int8", "taggedVersions": "none" }',
        "versions is missing",
    ),
    _field(
        "java-word", '{ "name": "Default", "type": "int8", "versions": "0+" }', "word of Java's", "default"
    ),
    _field(
        "taken-method", '{ "name": "HashCode", "type": "int32", "versions": "0+" }', "hashCode()", "hashCode"
    ),
    _field("taken-api-key", '{ "name": "ApiKey", "type": "int16", "versions": "0+" }', "apiKey()", "apiKey"),
    Row(
        "names-twice",
        schema(_a('"type": "int8"'), _a('"type": "int8"')),
        FIRST_FIELD + 1,
        "a",
        "name is taken",
    ),
    Row(
        "names-by-case",
        schema(_a('"type": "int8"'), '{ "name": "a", "type": "int8", "versions": "0+" }'),
        FIRST_FIELD + 1,
        "a",
        "first letter",
    ),
)

_TYPES = (
    _field("type-lower-case", _a('"type": "int128"'), "no type 'int128'"),
    _field("type-array-bare", _a('"type": "[]"'), "type of its elements"),
    _field("type-array-of-arrays", _a('"type": "[][]int8"'), "array cannot hold arrays"),
    _field("type-array-lower-case", _a('"type": "[]thing"'), "no type 'thing'"),
    _field("type-empty", _a('"type": ""'), "no type ''"),
    _field("type-struct-name", _a(f'"type": "No Name", "fields": [{_B}]'), "not a name for a struct"),
    _field("type-array-of-records", _a('"type": "[]records"'), "elements of an array"),
    *(
        _field(f"nullable-{scalar}", _a(f'"type": "{scalar}", "nullableVersions": "1+"'), "never null")
        for scalar in ("bool", "int8", "int16", "uint16", "int32", "uint32", "int64", "float64", "uuid")
    ),
    _field(
        "entity-type-mismatch", _a('"type": "int32", "entityType": "topicName"'), "for fields of type string"
    ),
    _field(
        "entity-type-mismatch-array",
        _a('"type": "[]int32", "entityType": "producerId"'),
        "for fields of type int64",
    ),
    _field(
        "entity-type-unknown", _a('"type": "string", "entityType": "TopicName"'), "no entityType 'TopicName'"
    ),
    _field("fields-on-scalar", _a(f'"type": "int8", "fields": [{_B}]'), "has no fields"),
    _field("zero-copy-string", _a('"type": "string", "zeroCopy": true'), "zeroCopy is for bytes"),
)

_FLEXIBLE = (
    _field("flexible-override-type", _a('"type": "int8", "flexibleVersions": "2+"'), "only string and bytes"),
    _field(
        "flexible-override-records",
        _a('"type": "records", "flexibleVersions": "2+"'),
        "only string and bytes",
    ),
    _field(
        "flexible-override-range", _a('"type": "string", "flexibleVersions": "1+"'), "beyond the message's"
    ),
    _field(
        "tagged-not-flexible",
        _a('"type": "int8", "taggedVersions": "1+", "tag": 0'),
        "beyond the flexible versions",
    ),
    _field(
        "tagged-not-flexible-by-override",
        _a(f'"type": "string", "flexibleVersions": "none", {_TAGGED}: 0'),
        "beyond the flexible versions",
    ),
    Row("flexible-missing", schema(_B, flexibleVersions=None), 1, "", "flexibleVersions is missing"),
    Row("flexible-bounded", schema(_B, flexibleVersions='"2-5"'), 6, "", "flexibleVersions 2-5 end"),
)

_TAGS = (
    _field(
        "tagged-key",
        _a(f'"type": "[]S", "fields": [{_INNER_KEY}, "mapKey": true, {_TAGGED}: 0 }}]'),
        "cannot be a mapKey",
        "a[].k",
    ),
    _field("tag-negative", _a(f'"type": "int8", {_TAGGED}: -1'), "is negative"),
    _field("tag-without-versions", _a('"type": "int8", "tag": 0'), "no taggedVersions"),
    _field("tagged-without-tag", _a('"type": "int8", "taggedVersions": "2+"'), "there is no tag"),
    _field(
        "tagged-partly-nullable",
        _a(f'"type": "string", "nullableVersions": "3+", {_TAGGED}: 0'),
        "overlap in part",
    ),
    _field("tagged-bounded", _a('"type": "int8", "taggedVersions": "2-3", "tag": 0'), "a tag is for ever"),
    _field("tagged-beyond-versions", _LATE, "beyond the field's versions"),
    _field("tagged-records", _a(f'"type": "records", {_TAGGED}: 0'), "records cannot be tagged"),
    _field("tagged-reversed", _a('"type": "int8", "taggedVersions": "none", "tag": 0'), "no taggedVersions"),
    Row(
        "tag-twice",
        schema(_a(f'"type": "int8", {_TAGGED}: 0'), f"{_B2}, {_TAGGED}: 0 }}"),
        FIRST_FIELD + 1,
        "b",
        "the tag 0 is a's",
    ),
    Row(
        "tag-gap",
        schema(_a(f'"type": "int8", {_TAGGED}: 1')),
        FIRST_FIELD - 1,
        "",
        "not contiguous: use tag 0",
    ),
    _field(
        "tag-gap-inner",
        _a(f'"type": "S", "fields": [{_INNER_KEY}, {_TAGGED}: 2 }}]'),
        "not contiguous: use tag 0",
    ),
    _field(
        "tag-fraction-of-text",
        _a('"type": "int8", "taggedVersions": "2+", "tag": "1.5"'),
        "wants a whole number",
    ),
    _field("tag-boolean", _a('"type": "int8", "taggedVersions": "2+", "tag": true'), "wants a whole number"),
)

_DEFAULTS = (
    _field("default-bool", _default("bool", '"yes"'), "true or false"),
    _field("default-bool-number", _default("bool", "1"), "true or false"),
    _field("default-int8-hex", _default("int8", '"0xff"'), "not from -128 to 127"),
    _field("default-int8", _default("int8", "128"), "not from -128 to 127"),
    _field("default-int16", _default("int16", "-32769"), "not from -32768 to 32767"),
    _field("default-uint16-negative", _default("uint16", "-1"), "not from 0 to 65535"),
    _field("default-uint16", _default("uint16", "65536"), "not from 0 to 65535"),
    _field("default-int32", _default("int32", '"2147483648"'), "not from"),
    _field("default-uint32-javac", _default("uint32", '"2147483648"'), "above every int of Java"),
    _field("default-int64-hex", _default("int64", '"0xffffffffffffffff"'), "not from"),
    _field("default-int-hex-sign", _default("int32", '"0x-1"'), "a sign after 0x"),
    _field("default-int-capital-x", _default("int32", '"0X1"'), "not a whole number"),
    _field("default-int-null", _default("int32", '"null"'), "not a whole number"),
    _field("default-int-fraction", _default("int32", "1.0"), "not a whole number"),
    _field("default-int-space", _default("int32", '" 1"'), "not a whole number"),
    _field("default-int-octal", _default("int32", '"08"'), "octal"),
    _field("default-float", _default("float64", '"much"'), "not a number"),
    _field("default-float-null", _default("float64", '"null"'), "not a number"),
    _field("default-float-blank", _default("float64", '" "'), "not a number"),
    _field("default-uuid-short", _default("uuid", '"AAAAAAAAAAAAAAAAAAAA"'), "16 bytes in base64url"),
    _field(
        "default-uuid-dashes",
        _default("uuid", '"00000000-0000-0000-0000-000000000001"'),
        "27 bytes, a uuid 16",
    ),
    _field("default-uint32-hex", _default("uint32", '"0x80000000"'), "a negative int of Java"),
    _field("default-uuid-padding", _default("uuid", '"AAAAAAAAAAAAAAAAAAAAAA="'), "16 bytes in base64url"),
    _field("default-string-escaped-quote", _default("string", r'"a\\u0022b"'), "pasted into Java"),
    _field("default-string-long", _default("string", f'"{"x" * 65_536}"'), "too long for Java"),
    _field("default-uuid-plus", _default("uuid", '"+AAAAAAAAAAAAAAAAAAAAA"'), "16 bytes in base64url"),
    _field("default-string-quote", _default("string", r'"a\"b"'), "pasted into Java"),
    _field("default-string-backslash", _default("string", r'"a\\qb"'), "pasted into Java"),
    _field("default-string-line", _default("string", r'"a\nb"'), "pasted into Java"),
    _field("default-bytes", _default("bytes", '"ab"'), "left out, or be"),
    _field("default-array", _default("[]int8", '"[]"'), "left out, or be"),
    _field("default-struct", _a(f'"type": "S", "fields": [{_B}], "default": "{{}}"'), "left out, or be"),
    *(
        _field(f"default-null-{kind}", _default(kind, '"null"'), "null cannot be the default")
        for kind in ("string", "bytes", "[]int8")
    ),
    _field(
        "default-null-partly",
        _a('"type": "string", "default": "null", "nullableVersions": "1+"'),
        "null cannot be the default",
    ),
    _field("default-object", _a('"type": "string", "default": {}'), "default wants text, not an object"),
)

_STRUCTS = (
    _field("key-on-top", _a('"type": "int8", "mapKey": true'), "cannot be a mapKey"),
    _field(
        "struct-outside",
        f'{{ "name": "A", "type": "S", "versions": "4+", "fields": [{_B}] }}',
        "no version has the struct S",
    ),
    _field(
        "struct-reversed",
        f'{{ "name": "A", "type": "[]S", "versions": "none", "fields": [{_B}] }}',
        "no version has the struct S",
    ),
    Row(
        "struct-twice",
        schema(_a(f'"type": "S", "fields": [{_B}]'), '{ "name": "C", "type": "[]S", "versions": "0+" }'),
        FIRST_FIELD + 1,
        "c",
        "there is a struct S before",
    ),
    Row(
        "common-again",
        schema(_a(f'"type": "Shared", "fields": [{_B}]'), common=(_COMMON,)),
        FIRST_FIELD,
        "a",
        "is a common struct",
    ),
    Row(
        "common-twice",
        schema(_B, common=(_COMMON, _COMMON)),
        _COMMON_LINE + 1,
        "Shared",
        "taken by a common struct",
    ),
    Row(
        "common-lower-case",
        schema(_B, common=(_COMMON.replace("Shared", "shared"),)),
        _COMMON_LINE,
        "shared",
        "capital letter",
    ),
    Row(
        "common-without-versions",
        schema(_B, common=('{ "name": "Shared", "fields": [] }',)),
        _COMMON_LINE,
        "Shared",
        "versions is missing",
    ),
    Row(
        "common-without-name",
        schema(_B, common=('{ "versions": "0+", "fields": [] }',)),
        _COMMON_LINE,
        "<a common struct without a name, line 10>",
        "name is missing",
    ),
    Row(
        "common-unknown-key",
        schema(_B, common=('{ "name": "Shared", "versions": "0+", "about": "x" }',)),
        _COMMON_LINE,
        "Shared",
        "unknown key 'about'",
    ),
    Row(
        "common-inside-itself",
        schema(_a('"type": "Shared"'), common=(_ITSELF,)),
        _COMMON_LINE,
        "Shared",
        "inside itself",
    ),
)

_MESSAGE = (
    Row("message-not-object", "[]", 1, "", "a message is an object"),
    Row("message-null", "null", 1, "", "a message is an object"),
    Row("name-missing", schema(_B, name=None), 1, "", "name is missing"),
    Row("name-not-java", schema(_B, name='"Probe Request"'), 2, "", "not a name for a message"),
    Row("type-missing-message", schema(_B, type=None), 1, "", "type is missing"),
    Row("type-unknown", schema(_B, type='"Request"'), 3, "", "no message type 'Request'"),
    Row("valid-missing", schema(_B, validVersions=None), 1, "", "validVersions is missing"),
    Row("valid-open", schema(_B, validVersions='"0+"'), 5, "", "have no end"),
    Row("valid-negative", schema(_B, validVersions='"-1"'), 5, "", "is not a range"),
    Row("valid-text", schema(_B, validVersions='"1 - 2"'), 5, "", "is not a range"),
    Row("valid-too-high", schema(_B, validVersions='"0-32768"'), 5, "", "is not a range"),
    Row("listeners-unknown", schema(_B, listeners='["everyone"]'), 7, "", "no listener 'everyone'"),
    Row(
        "listeners-on-response",
        schema(_B, type='"response"', listeners='"broker"'),
        7,
        "",
        "only a request has listeners",
    ),
    Row(
        "unstable-on-response",
        schema(_B, type='"response"', latestVersionUnstable="true"),
        7,
        "",
        "only a request has latestVersionUnstable",
    ),
    Row("unstable-not-boolean", schema(_B, latestVersionUnstable='"yes"'), 7, "", "wants true or false"),
    Row("api-key-text", schema(_B, apiKey='"five"'), 4, "", "apiKey wants a whole number"),
    Row("api-key-range", schema(_B, apiKey="32768"), 4, "", "from -32768 to 32767"),
    Row("unknown-key", schema(_B, extra="1"), 7, "", "unknown key 'extra'"),
    Row("about-on-top", schema(_B, about='"x"'), 7, "", "unknown key 'about'"),
    _field("unknown-field-key", _a('"type": "int8", "nullable": "0+"'), "unknown key 'nullable'"),
    _field("field-not-object", '"A"', "a field is an object", ""),
    _field("key-versions-unreadable", '{ "name": "A", "type": "int8", "versions": "1,2" }', "is not a range"),
    Row(
        "coordinator-key-without-api-key",
        schema(_B, type='"coordinator-key"', validVersions='"0"', flexibleVersions='"none"', apiKey=None),
        3,
        "",
        "needs an apiKey",
    ),
    Row(
        "coordinator-key-versions",
        schema(_B, type='"coordinator-key"', flexibleVersions='"none"'),
        5,
        "",
        "version 0 only",
    ),
    Row(
        "coordinator-key-flexible",
        schema(_B, type='"coordinator-key"', validVersions='"0"', flexibleVersions='"0+"'),
        6,
        "",
        "never flexible",
    ),
    Row(
        "coordinator-value-without-api-key",
        schema(_B, type='"coordinator-value"', apiKey=None),
        3,
        "",
        "needs an apiKey",
    ),
)

_SYNTAX = (
    Row("trailing", schema(_B) + "\n]}", 13, "", "something follows"),
    Row("trailing-no-json", schema(_B) + "\n?", 13, "", "something follows"),
    Row("comment-open", schema(_B).replace("[", "[ /* begins", 1), 7, "", "no */ ends"),
    Row("string-open", '{ "name: 1 }', 1, "", "does not end"),
    Row("string-control", '{ "na\tme": 1 }', 1, "", "does not end"),
    Row("string-escape", '{ "\\x": 1 }', 1, "", "escape"),
    Row("comma-missing", '{ "a": 1\n"b": 2 }', 2, "", "a comma or }"),
    Row("comma-last", '{ "a": 1, }', 1, "", "key in quotes"),
    Row("comma-last-array", "[1, ]", 1, "", "expected a value"),
    Row("colon-missing", '{ "a" 1 }', 1, "", "a colon"),
    Row("single-quotes", "{ 'a': 1 }", 1, "", "is not valid JSON"),
    Row("leading-zero", '{ "a": 01 }', 1, "", "is not valid JSON"),
    Row("plus-sign", '{ "a": +1 }', 1, "", "is not valid JSON"),
    Row("bare-point", '{ "a": 1. }', 1, "", "is not valid JSON"),
    Row("nan", '{ "a": NaN }', 1, "", "is not valid JSON"),
    Row("cut", '{ "a": ', 1, "", "the end of the text"),
    Row("empty", "// nothing\n", 2, "", "the end of the text"),
    Row("hash-comment", "# no\n{}", 1, "", "is not valid JSON"),
)

REFUSALS = (*_NAMES, *_TYPES, *_FLEXIBLE, *_TAGS, *_DEFAULTS, *_STRUCTS, *_MESSAGE, *_SYNTAX)

ODDITIES = (
    _field("reversed-range", '{ "name": "A", "type": "int8", "versions": "2-1" }', "is reversed"),
    _field("reversed-nullable", _a('"type": "string", "nullableVersions": "3-2"'), "is reversed"),
    _field("dead-field", '{ "name": "A", "type": "int8", "versions": "4+" }', "no valid version has"),
    _field("none-field", '{ "name": "A", "type": "int8", "versions": "none" }', "no valid version has"),
    _field("empty-struct", _a('"type": "S"'), "has no fields"),
    _field("fields-on-scalars", _a(f'"type": "[]int32", "fields": [{_B}]'), "fields are ignored"),
    _field(
        "json-null-default", _a('"type": "string", "nullableVersions": "0+", "default": null'), 'write "null"'
    ),
    _field("records-null-default", _a('"type": "records", "default": "null"'), "is not nullable"),
    _field("records-default", _a('"type": "records", "default": "x"'), "is ignored"),
    _field(
        "key-twice", '{ "name": "A", "type": "int8", "versions": "none", "versions": "0+" }', "is given again"
    ),
    Row(
        "key-twice-on-top",
        schema(_B).replace('"apiKey": 1', '"apiKey": 1, "apiKey": 2'),
        4,
        "",
        "is given again",
    ),
    Row("reversed-valid", schema(_B, validVersions='"2-1"'), 5, "", "is reversed"),
)
