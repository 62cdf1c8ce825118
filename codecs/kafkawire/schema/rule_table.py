"""The rules of the schema language (id, severity, sentence), and problems: the places that break one."""

from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Final, Self


class Severity(StrEnum):
    """The severity of a problem."""

    ERROR = "error"
    """Kafka's generator, or the Java compiler after it, refuses the schema."""
    WARNING = "warning"
    """Kafka accepts it, though its author hardly meant it."""


_WARNING: Final = Severity.WARNING


class SchemaRule(Enum):
    """A rule. Its value is its id, as problems, reports and `wireproof explain` have it.

    Attributes:
        severity: the severity of a problem; a dialect may lower an error to a warning.
        sentence: the rule.
    """

    severity: Severity
    sentence: str

    def __new__(cls, name: str, sentence: str, severity: Severity = Severity.ERROR) -> Self:
        member = object.__new__(cls)
        member._value_ = name
        member.severity = severity
        member.sentence = sentence
        return member

    # The text of a file.
    JSON_SYNTAX = "json-syntax", "A message file is JSON; comments (// and /* */) are allowed."
    TRAILING_TEXT = "trailing-text", "Nothing follows the message in its file."
    NOT_AN_OBJECT = "not-an-object", "Messages, structs and fields are JSON objects."
    UNKNOWN_KEY = "unknown-key", "An object has the keys of Kafka's format and no others."
    REPEATED_KEY = "repeated-key", "A key is given once; of several values the last one counts.", _WARNING
    WRONG_VALUE = (
        "wrong-value",
        "The value of a key is of the key's kind: text, a whole number or a truth value.",
    )
    NAME_MISSING = "name-missing", "Messages, structs and fields have a name."
    TYPE_MISSING = "type-missing", "Messages and fields have a type."
    VERSIONS_SYNTAX = "versions-syntax", "A range of versions is 3, 2-5, 7+ or none."
    VERSIONS_REVERSED = "versions-reversed", "The ends of a range are in ascending order.", _WARNING

    # The message.
    MESSAGE_NAME = "message-name", "A message's name is a Java identifier that begins with a capital letter."
    MESSAGE_TYPE_UNKNOWN = "message-type-unknown", "A message's type is one of Kafka's."
    VALID_VERSIONS_MISSING = "valid-versions-missing", "A message has validVersions."
    VALID_VERSIONS_OPEN = "valid-versions-open", "validVersions name the newest version."
    VALID_VERSIONS_NONE = "valid-versions-none", "Before 4.0 a message has a valid version."
    FLEXIBLE_VERSIONS_MISSING = "flexible-versions-missing", "A message has flexibleVersions."
    FLEXIBLE_VERSIONS_END = "flexible-versions-end", "flexibleVersions are open-ended, or none."
    LISTENER_UNKNOWN = "listener-unknown", "A listener is one of Kafka's."
    LISTENERS_NOT_REQUEST = "listeners-not-request", "Only a request has listeners."
    UNSTABLE_NOT_REQUEST = "unstable-not-request", "Only a request has latestVersionUnstable."
    COORDINATOR_API_KEY = "coordinator-api-key", "Records of a coordinator have an apiKey."
    COORDINATOR_KEY_VERSIONS = "coordinator-key-versions", "A coordinator-key has version 0 and no other."
    COORDINATOR_KEY_FLEXIBLE = "coordinator-key-flexible", "A coordinator-key is never flexible."
    HEADER_VERSIONS_NOT_FRAMED = (
        "header-versions-not-framed",
        "Only requests and responses have headerVersions (KIP-1313).",
    )
    HEADER_VERSIONS_RANGES = (
        "header-versions-ranges",
        "The ranges of headerVersions begin at 0, have no gap or overlap, and the last one is open-ended.",
    )
    HEADER_VERSIONS_ORDER = "header-versions-order", "A later version of a message never has an older header."
    HEADER_VERSIONS_FLEXIBLE = (
        "header-versions-flexible",
        "A flexible version has a flexible header; ApiVersionsResponse has header 0 (KIP-511).",
    )

    # Structs.
    STRUCT_NAME = (
        "struct-name",
        "A common struct's name is a Java identifier that begins with a capital letter.",
    )
    STRUCT_TYPE_NAME = "struct-type-name", "The name of a struct is a Java identifier."
    JAVA_CLASS_TAKEN = (
        "java-class-taken",
        "Structs, and messages whose class has their name, avoid the names of classes that the Java uses.",
    )
    JAVA_CLASS_SHADOWED = (
        "java-class-shadowed",
        "Structs avoid the names of classes that the generated Java may use.",
        _WARNING,
    )
    STRUCT_VERSIONS_MISSING = "struct-versions-missing", "A struct has versions."
    COMMON_STRUCT_EMPTY_VERSIONS = (
        "common-struct-empty-versions",
        "The versions of a common struct are not none.",
    )
    COMMON_STRUCT_TWICE = "common-struct-twice", "Common structs have different names."
    COMMON_STRUCT_INLINE = "common-struct-inline", "A field of a common struct does not list fields again."
    STRUCT_TWICE = "struct-twice", "Two inline structs of a message have different names."
    STRUCT_IN_COMMON_STRUCT = (
        "struct-in-common-struct",
        "A struct inside a common struct is a common struct, or one of the message's own fields.",
    )
    STRUCT_CYCLE = "struct-cycle", "No struct is inside itself."
    STRUCT_WITHOUT_VERSIONS = (
        "struct-without-versions",
        "An inline struct has a version in common with what is around it.",
    )
    COMMON_STRUCT_TOO_LATE = (
        "common-struct-too-late",
        "A common struct exists from the first version of each field that has it.",
    )
    COMMON_STRUCT_ENDS = (
        "common-struct-ends",
        "A common struct exists up to the last version of each field that has it.",
        _WARNING,
    )
    COMMON_STRUCT_DEAD = "common-struct-dead", "A common struct is in a valid version.", _WARNING
    STRUCT_EMPTY = "struct-empty", "A struct has fields.", _WARNING
    STRUCT_FIELDS_IGNORED = (
        "struct-fields-ignored",
        "A common struct that names a struct of the message's fields does not list its fields again.",
        _WARNING,
    )

    # Fields.
    FIELD_NAME = "field-name", "A field's name is made of ASCII letters and digits, a letter first."
    NAME_TAKEN = "name-taken", "The fields of a struct have different names."
    NAME_TAKEN_BY_CASE = (
        "name-taken-by-case",
        "The names of a struct's fields differ by more than the case of the first letter.",
    )
    JAVA_KEYWORD = "java-keyword", "A field's name in Java is not a keyword."
    JAVA_METHOD_TAKEN = (
        "java-method-taken",
        "A field's name in Java is not a method that the class has already.",
    )
    JAVA_VARIABLE_TAKEN = (
        "java-variable-taken",
        "A field's name in Java is not a variable that the class has already.",
    )
    FIELD_VERSIONS_MISSING = "field-versions-missing", "A field has versions or taggedVersions."
    FIELD_TYPE_UNKNOWN = "field-type-unknown", "A field's type is one of Kafka's, or a struct."
    ARRAY_ELEMENT_MISSING = "array-element-missing", "An array names the type of its elements."
    ARRAY_OF_ARRAYS = "array-of-arrays", "The elements of an array are not arrays."
    ARRAY_OF_BYTES = "array-of-bytes", "The elements of an array are not bytes."
    ARRAY_OF_RECORDS = "array-of-records", "The elements of an array are not records."
    NULLABLE_TYPE = "nullable-type", "Only strings, bytes, records, arrays and structs have nullableVersions."
    ENTITY_TYPE_UNKNOWN = "entity-type-unknown", "An entityType is one of Kafka's."
    ENTITY_TYPE_MISMATCH = "entity-type-mismatch", "A field has the type of its entityType."
    FIELDS_ON_SCALAR = "fields-on-scalar", "Only structs and arrays have fields."
    FIELDS_IGNORED = "fields-ignored", "Only an array of structs has fields.", _WARNING
    FLEXIBLE_OVERRIDE_TYPE = (
        "flexible-override-type",
        "Only strings and bytes have flexibleVersions of their own.",
    )
    FLEXIBLE_OVERRIDE_RANGE = (
        "flexible-override-range",
        "A field's flexibleVersions are among those of the message.",
    )
    FLEXIBLE_OVERRIDE_BLANK = "flexible-override-blank", "A field's flexibleVersions are a range."
    MAP_KEY_TAGGED = "map-key-tagged", "A mapKey is not tagged."
    MAP_KEY_TOP_LEVEL = "map-key-top-level", "A mapKey is a field of an array's elements."
    TAG_NEGATIVE = "tag-negative", "A tag is 0 or above."
    TAGGED_VERSIONS_MISSING = "tagged-versions-missing", "A field with a tag has taggedVersions."
    TAG_MISSING = "tag-missing", "A field with taggedVersions has a tag."
    TAGGED_PARTLY_NULLABLE = (
        "tagged-partly-nullable",
        "Either all tagged versions of a field are nullable, or none.",
    )
    TAGGED_VERSIONS_END = "tagged-versions-end", "taggedVersions are open-ended."
    TAGGED_BEYOND_VERSIONS = "tagged-beyond-versions", "taggedVersions are among the field's versions."
    TAGGED_NOT_FLEXIBLE = "tagged-not-flexible", "taggedVersions are flexible versions."
    TAGGED_RECORDS = "tagged-records", "Records are not tagged."
    TAGGED_ZERO_COPY = "tagged-zero-copy", "Tagged bytes have no zeroCopy."
    TAG_TAKEN = "tag-taken", "The fields of a struct have different tags."
    TAG_GAP = "tag-gap", "The tags of a struct are 0, 1, 2 and so on, over all versions."
    ZERO_COPY_TYPE = "zero-copy-type", "Only bytes have zeroCopy."
    FIELD_DEAD = "field-dead", "A field is in a valid version.", _WARNING

    # Defaults.
    DEFAULT_BOOL = "default-bool", "The default of a bool is true or false."
    DEFAULT_INTEGER = (
        "default-integer",
        "The default of an integer is a number in its range, decimal or 0x and hexadecimal digits.",
    )
    DEFAULT_INTEGER_LITERAL = (
        "default-integer-literal",
        "The default of an integer is also an integer literal of Java.",
    )
    DEFAULT_UINT32_NEGATIVE = (
        "default-uint32-negative",
        "The default of a uint32 in hexadecimal digits is below 0x80000000.",
    )
    DEFAULT_UUID = "default-uuid", "The default of a uuid is 16 bytes in base64url."
    DEFAULT_UUID_LENGTH = "default-uuid-length", "The default of a uuid has no more than 16 bytes."
    DEFAULT_FLOAT = "default-float", "The default of a float64 is a number, NaN or Infinity."
    DEFAULT_STRING_LITERAL = (
        "default-string-literal",
        "The default of a string is also the inside of a string literal of Java.",
    )
    DEFAULT_NOT_EMPTY = "default-not-empty", "The default of bytes, arrays and structs is empty or null."
    DEFAULT_NULL = "default-null", "A field with the default null is nullable in all versions."
    DEFAULT_JSON_NULL = (
        "default-json-null",
        "The default null is written as text: JSON's null means that no default is given.",
        _WARNING,
    )
    DEFAULT_RECORDS = "default-records", "The default of records is null, whatever is written.", _WARNING

    # The `encoding` of integers, which KIP-625 proposes.
    ENCODING_SYNTAX = (
        "encoding-syntax",
        "An encoding is a name of KIP-625, or an object from ranges of versions to names.",
    )
    ENCODING_NAME = (
        "encoding-name",
        "The names of encodings are fixed, packed and upacked, each with 16, 32 or 64 (KIP-625).",
    )
    ENCODING_TYPE = "encoding-type", "Only int16, int32, int64 and arrays of them have an encoding."
    ENCODING_OVERLAP = "encoding-overlap", "A version of a field has one encoding."
    ENCODING_VERSIONS = (
        "encoding-versions",
        "The ranges of an encoding are together the versions of the field.",
    )
    ENCODING_TOO_WIDE = "encoding-too-wide", "An encoding is not wider than the type of its field."
    ENCODING_DEFAULT = "encoding-default", "The default of a field fits each of its encodings."

    # Messages of one module.
    API_KEY_MISSING = "api-key-missing", "Requests, responses and metadata records have an apiKey."
    API_KEY_TAKEN = "api-key-taken", "Messages of one kind have different apiKeys."
    COUNTERPART_MISSING = (
        "counterpart-missing",
        "A request has a response with its apiKey, a coordinator-key a coordinator-value, and the reverse.",
    )
    COUNTERPART_NAME = (
        "counterpart-name",
        "A request and the response of its apiKey have one name, but for Request and Response.",
    )
    NAME_SUFFIX = "name-suffix", "The name of a request ends in Request, that of a response in Response."

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True, slots=True)
class SchemaProblem:
    """One problem of a message file, with its rule and path.

    Attributes:
        source: the file, as the caller named it.
        line: the line, from 1; 0 where the schema was not read from text.
        path: the field (``topics[].partitions[].index``), the common struct's field
            (``TopicData.index``), or ``""`` for the message itself.
        text: what is wrong, and what to do.
        rule: the id of the rule that is broken (`SchemaRule`), such as ``tag-gap``; it never changes.
    """

    source: str
    line: int
    path: str
    severity: Severity
    text: str
    rule: str

    def __str__(self) -> str:
        place = f"{self.path}: " if self.path else ""
        return f"{self.source}:{self.line}: {self.severity}: {place}{self.text} [{self.rule}]"
