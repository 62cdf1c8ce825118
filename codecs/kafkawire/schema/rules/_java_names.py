"""Names that the generated Java cannot have: words of the language, and names that the class has or uses.

Each was found by giving it to the generators of 3.9.1 and 4.3.1 and compiling their output.
"""

import re
from collections.abc import Iterator
from typing import Final

from kafkawire.schema.model import MessageKind, MessageSpec, ScalarType
from kafkawire.schema.rule_table import SchemaRule
from kafkawire.schema.rules._paths import FieldPlace, StructPlace

IDENTIFIER: Final = re.compile(r"(?!\d)[\w$]+")
"""An identifier of Java."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_KEYWORDS: Final = _words(
    """
    abstract assert boolean break byte case catch char class const continue default do double else
    enum extends final finally float for goto if implements import instanceof int interface long
    native new package private protected public return short static strictfp super switch
    synchronized this throw throws transient try void volatile while true false null
    """
)
_METHODS: Final = _words(
    """
    lowestSupportedVersion highestSupportedVersion duplicate unknownTaggedFields hashCode toString
    getClass notify notifyAll wait finalize
    """
)
"""Methods without arguments that each generated class has or inherits; only `clone` may return an object."""

_EQUALS_VARIABLES: Final = frozenset({"obj", "other"})
"""Variables of `equals`, which compares fields of primitive types with ``!=``."""

_ELEMENT_VARIABLES: Final = frozenset({"prev", "next"})
"""Fields of a class with a mapKey (`ImplicitLinkedHashCollection.Element`)."""

_OBJECTS: Final = frozenset({ScalarType.UUID, ScalarType.STRING, ScalarType.BYTES, ScalarType.RECORDS})

_JAVA_LANG: Final = _words(
    """
    AbstractMethodError Appendable ArithmeticException ArrayIndexOutOfBoundsException
    ArrayStoreException AssertionError AutoCloseable Boolean BootstrapMethodError Byte CharSequence
    Character Class ClassCastException ClassCircularityError ClassFormatError ClassLoader
    ClassNotFoundException ClassValue CloneNotSupportedException Cloneable Comparable Deprecated
    Double Enum EnumConstantNotPresentException Error Exception ExceptionInInitializerError Float
    FunctionalInterface IllegalAccessError IllegalAccessException IllegalArgumentException
    IllegalMonitorStateException IllegalStateException IllegalThreadStateException
    IncompatibleClassChangeError IndexOutOfBoundsException InheritableThreadLocal InstantiationError
    InstantiationException Integer InternalError InterruptedException Iterable LinkageError Long
    Math NegativeArraySizeException NoClassDefFoundError NoSuchFieldError NoSuchFieldException
    NoSuchMethodError NoSuchMethodException NullPointerException Number NumberFormatException Object
    OutOfMemoryError Override Package Process ProcessBuilder Readable ReflectiveOperationException
    Runnable Runtime RuntimeException RuntimePermission SafeVarargs SecurityException
    SecurityManager Short StackOverflowError StackTraceElement StrictMath String StringBuffer
    StringBuilder StringIndexOutOfBoundsException SuppressWarnings System Thread ThreadDeath
    ThreadGroup ThreadLocal Throwable TypeNotPresentException UnknownError UnsatisfiedLinkError
    UnsupportedClassVersionError UnsupportedOperationException VerifyError VirtualMachineError Void
    IllegalCallerException LayerInstantiationException Module ModuleLayer ProcessHandle StackWalker
    """
)
"""The package java.lang. The JSON converter imports the structs beside it, so that a name is ambiguous."""

_ALWAYS_USED: Final = _words(
    """
    String Object Override Readable ApiMessage ArrayList ByteUtils JsonNode JsonNodeFactory List
    Message MessageSizeAccumulator MessageUtil ObjectNode ObjectSerializationCache RawTaggedField
    RawTaggedFieldWriter Schema Field Type UnsupportedVersionException Writable
    """
)
"""Classes that each generated class uses."""

_SOMETIMES_USED: Final = _words(
    """
    ArrayNode ArrayOf Arrays BaseRecords BinaryNode BooleanNode ByteBuffer Bytes CompactArrayOf
    Compiler DoubleNode Element ImplicitLinkedHashCollection ImplicitLinkedHashMultiCollection
    IntNode Iterator LongNode MemoryRecords NullNode NullableSchema Objects Record ShortNode
    StandardCharsets TaggedFieldsSection TextNode Uuid
    """
)
"""Classes that a generated class uses for some types of fields, or that some Java releases have."""


def java_field_name(place: FieldPlace, _: MessageSpec) -> Iterator[tuple[SchemaRule, str]]:
    """Yield the reasons why Java refuses the name of a field."""
    name, top_level = place.field.json_name, place.struct.top_level
    primitive = isinstance(place.field.type, ScalarType) and place.field.type not in _OBJECTS
    if name in _KEYWORDS:
        text = f"{name} is a word of Java's, so that the class does not compile: choose another name"
        yield SchemaRule.JAVA_KEYWORD, text
    elif name in _METHODS or (name == "apiKey" and top_level) or (name == "clone" and primitive):
        text = f"each class has a method {name}() already, so that it does not compile: choose another name"
        yield SchemaRule.JAVA_METHOD_TAKEN, text
    elif (name in _EQUALS_VARIABLES and primitive) or (name in _ELEMENT_VARIABLES and _has_key(place.struct)):
        text = f"the class has a variable {name} already, so that it does not compile: choose another name"
        yield SchemaRule.JAVA_VARIABLE_TAKEN, text


def _has_key(struct: StructPlace) -> bool:
    return any(field.map_key for field in struct.fields)


def java_message_name(spec: MessageSpec) -> Iterator[tuple[SchemaRule, str]]:
    """Yield the reasons why Java refuses the name of a message."""
    own = _data_class(spec)
    if not IDENTIFIER.fullmatch(own) or own[:1].upper() != own[:1]:
        text = f"{spec.name!r} is not a name for a message: use letters and digits, a capital letter first"
        yield SchemaRule.MESSAGE_NAME, text
    else:
        yield from _class_finding(own, own in _ALWAYS_USED, own in _JAVA_LANG | _SOMETIMES_USED)


def java_class_findings(
    spec: MessageSpec, structs: list[StructPlace]
) -> Iterator[tuple[str, int, SchemaRule, str]]:
    """Yield path, line, rule and text of each reason why Java refuses the name of a message's struct."""
    made = _made_classes(_data_class(spec), structs)
    seen: set[str] = set()
    for path, line, name in _named_structs(spec, structs):
        if name not in seen:
            taken = name in _JAVA_LANG or name in _ALWAYS_USED or name in made
            for rule, text in _class_finding(name, taken, name in _SOMETIMES_USED):
                yield path, line, rule, text
        seen.add(name)


def _class_finding(name: str, taken: bool, shadowed: bool) -> Iterator[tuple[SchemaRule, str]]:
    if taken:
        text = f"the class of the message uses a class {name} already: choose another name"
        yield SchemaRule.JAVA_CLASS_TAKEN, text
    elif shadowed:
        text = f"a message that uses Java's or Kafka's class {name} does not compile: choose another name"
        yield SchemaRule.JAVA_CLASS_SHADOWED, text


def _data_class(spec: MessageSpec) -> str:
    """The name of the message's class (`MessageSpec.dataClassName`)."""
    framed = spec.kind in (MessageKind.REQUEST, MessageKind.RESPONSE, MessageKind.HEADER)
    return f"{spec.name}Data" if framed else spec.name


def _named_structs(spec: MessageSpec, structs: list[StructPlace]) -> Iterator[tuple[str, int, str]]:
    for shared in spec.common_structs:
        yield shared.name, shared.line, shared.name
    for struct in structs:
        for place in struct.places():
            if (name := place.field.struct_name) is not None:
                yield place.path, place.field.line, name


def _made_classes(own: str, structs: list[StructPlace]) -> frozenset[str]:
    """The classes that the generator makes in addition to the classes of the structs."""
    inner = {struct.name for struct in structs if not struct.top_level}
    keyed = {f"{struct.name}Collection" for struct in structs if not struct.top_level and _has_key(struct)}
    return frozenset({own, f"{own}JsonConverter"} | keyed | {f"{name}JsonConverter" for name in inner})
