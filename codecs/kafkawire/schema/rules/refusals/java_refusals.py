"""Schemas that Kafka's generator accepts, and Java does not: javac, or the class itself when it is used."""

from typing import Any, Final

from kafkawire.schema.rule_table import SchemaRule as Rule
from kafkawire.schema.rules.refusals.refused_schema import (
    JavaRefusal,
    JavaStage,
    Json,
    field,
    message,
)

__all__ = ["JAVA_REFUSALS"]


def _row(
    name: str, rule: Rule, refused: Json, accepted: Json, cause: str, stage: JavaStage = JavaStage.COMPILER
) -> JavaRefusal:
    return JavaRefusal(name, rule, (message(refused),), (message(accepted),), cause, stage)


_B: Final = field(name="B")
_INT: Final = "The generator writes the number as an int."

_DEFAULTS: Final = (
    _row(
        "33: a uint32's default above 2147483647",
        Rule.DEFAULT_INTEGER_LITERAL,
        field("uint32", default="2147483648"),
        field("uint32", default="2147483647"),
        _INT,
    ),
    _row(
        "33: a uint32's default from 0x80000000 on",
        Rule.DEFAULT_UINT32_NEGATIVE,
        field("uint32", default="0x80000000"),
        field("uint32", default="0x7fffffff"),
        f"{_INT} The class holds a negative number: it writes four bytes of it, reads them as another one, "
        "and its setter refuses its own default.",
        JavaStage.CLASS,
    ),
    _row(
        "an integer's default with a leading zero and an 8 or 9",
        Rule.DEFAULT_INTEGER_LITERAL,
        field("int32", default="08"),
        field("int32", default="07"),
        "A literal of Java that begins with 0 is octal.",
    ),
    _row(
        "an integer's default with a sign after 0x",
        Rule.DEFAULT_INTEGER_LITERAL,
        field("int32", default="0x-1"),
        field("int32", default="0x1"),
        "Short.valueOf and the like take a sign there, a literal of Java does not.",
    ),
    _row(
        "36: a string's default with a quote",
        Rule.DEFAULT_STRING_LITERAL,
        field("string", default='a"b'),
        field("string", default="a'b"),
        "The generator pastes the text between quotes.",
    ),
    _row(
        "36: a string's default with a backslash that begins no escape",
        Rule.DEFAULT_STRING_LITERAL,
        field("string", default="a\\qb"),
        field("string", default="a\\nb"),
        "As above. A backslash and an n become a line end.",
    ),
    _row(
        "36: a string's default with a line end",
        Rule.DEFAULT_STRING_LITERAL,
        field("string", default="a\nb"),
        field("string", default="a b"),
        "As above.",
    ),
    _row(
        "a string's default of 65535 bytes or more",
        Rule.DEFAULT_STRING_LITERAL,
        field("string", default="x" * 65535),
        field("string", default="x" * 65534),
        "A class file holds no longer constant.",
    ),
    _row(
        "34: a uuid's default of more than 16 bytes",
        Rule.DEFAULT_UUID_LENGTH,
        field("uuid", default="A" * 24),
        field("uuid", default="A" * 22),
        "The generator reads the first 16 bytes. The constructor of the class throws.",
        JavaStage.CLASS,
    ),
)

_TYPES: Final = (
    _row(
        "an array of bytes",
        Rule.ARRAY_OF_BYTES,
        field("[]bytes"),
        field("[]S", fields=[field("bytes", name="B")]),
        "The generator treats the elements as ByteBuffers.",
    ),
    _row(
        "tagged bytes with zeroCopy",
        Rule.TAGGED_ZERO_COPY,
        field("bytes", zeroCopy=True, taggedVersions="2+", tag=0),
        field("bytes", taggedVersions="2+", tag=0),
        "The generator treats the ByteBuffer as an array.",
    ),
    _row(
        "a struct's name that is not an identifier",
        Rule.STRUCT_TYPE_NAME,
        field("No-Name", fields=[_B]),
        field("NoName", fields=[_B]),
        "The class has the name.",
    ),
    JavaRefusal(
        "a message's name in lower case",
        Rule.MESSAGE_NAME,
        (message(name="probeRequest"),),
        (message(name="ProbeRequest"),),
        "The JSON converter's class has a capital letter, its file has not.",
    ),
)

_NAMES: Final = (
    _row(
        "a keyword of Java",
        Rule.JAVA_KEYWORD,
        field(name="Default"),
        field(name="Defaults"),
        "Each field is a variable.",
    ),
    _row(
        "a method of each class",
        Rule.JAVA_METHOD_TAKEN,
        field(name="HashCode"),
        field(name="Hash"),
        "Each field has a method of its name.",
    ),
    _row(
        "apiKey in the message itself",
        Rule.JAVA_METHOD_TAKEN,
        field("int16", name="ApiKey"),
        field("[]S", fields=[field("int16", name="ApiKey")]),
        "Each message has a method apiKey().",
    ),
    _row(
        "clone, of a primitive type",
        Rule.JAVA_METHOD_TAKEN,
        field("int32", name="Clone"),
        field("string", name="Clone"),
        "Object.clone() returns an object.",
    ),
    _row(
        "obj and other, of a primitive type",
        Rule.JAVA_VARIABLE_TAKEN,
        field("int32", name="Other"),
        field("string", name="Other"),
        "The method equals has variables of these names.",
    ),
    _row(
        "prev and next in a struct with a mapKey",
        Rule.JAVA_VARIABLE_TAKEN,
        field("[]S", fields=[field("int32", name="Next", mapKey=True)]),
        field("[]S", fields=[field("int32", name="Next")]),
        "The elements of the collection are linked by fields of these names.",
    ),
    JavaRefusal(
        "two names that differ in the case of the first letter",
        Rule.NAME_TAKEN_BY_CASE,
        (message(field(name="Port"), field(name="port")),),
        (message(field(name="Port"), field(name="sport")),),
        "Both have the variable port.",
    ),
    _row(
        "a struct with the name of a class of java.lang, or one that each class uses",
        Rule.JAVA_CLASS_TAKEN,
        field("[]Process", fields=[_B]),
        field("[]Processor", fields=[_B]),
        "The JSON converter imports the structs, so that the name is ambiguous.",
    ),
    JavaRefusal(
        "a struct with the name of a collection",
        Rule.JAVA_CLASS_TAKEN,
        (message(field("[]S", fields=[field(mapKey=True)]), field("SCollection", name="C", fields=[_B])),),
        (message(field("[]S", fields=[field(mapKey=True)]), field("SCollected", name="C", fields=[_B])),),
        "The generator makes SCollection for the structs S with a mapKey.",
    ),
    JavaRefusal(
        "a struct with the name of the JSON converter",
        Rule.JAVA_CLASS_TAKEN,
        (message(field("ProbeRequestDataJsonConverter", fields=[_B])),),
        (message(field("ProbeRequest", fields=[_B])),),
        "The generator makes a class of this name.",
    ),
)

_RESPONSE: Final[dict[str, Any]] = {"type": "response"}

_MODULES: Final = (
    JavaRefusal(
        "a request and a response of one apiKey with different names",
        Rule.COUNTERPART_NAME,
        (message(), message(name="OtherResponse", **_RESPONSE)),
        (message(), message(name="ProbeResponse", **_RESPONSE)),
        "ApiMessageType takes the response's class from the request's name.",
    ),
    JavaRefusal(
        "41: a response whose name does not end in Response",
        Rule.NAME_SUFFIX,
        (message(), message(name="Probe", **_RESPONSE)),
        (message(), message(name="ProbeResponse", **_RESPONSE)),
        "As above.",
    ),
)

JAVA_REFUSALS: Final[tuple[JavaRefusal, ...]] = (*_DEFAULTS, *_TYPES, *_NAMES, *_MODULES)
"""Each was tried with the generator of 4.3.1 and 3.9.1, and javac 17."""
