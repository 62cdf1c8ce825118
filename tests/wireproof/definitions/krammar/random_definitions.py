"""Random definitions of krammar that its rules allow."""

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from kafkawire.schema import VersionRange
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
    NamedStruct,
    NullableString,
    SpecialField,
    StructRole,
)

LAMP = KrammarEnum("Lamp", KrammarScalar.INT16, ((0, "OFF"), (7, "RED")), source="enums")
_DEFAULTS = {
    KrammarScalar.BOOL: ["true"],
    KrammarScalar.INT8: ["-1", "0x7f"],
    KrammarScalar.UINT16: ["65535"],
    KrammarScalar.INT64: ["-9223372036854775808"],
    KrammarScalar.FLOAT64: ["1.5", "-2e10"],
    KrammarScalar.NULLABLE_STRING: ["null"],
}
_UNTAGGED = {
    KrammarScalar.STRING,
    KrammarScalar.BYTES,
    KrammarScalar.VARINT_STRING,
    KrammarScalar.VARINT_BYTES,
}


@st.composite
def _versions(draw: DrawFn, highest: int) -> VersionRange | None:
    if draw(st.booleans()):
        return None
    lowest = draw(st.integers(0, highest))
    return VersionRange(lowest, draw(st.sampled_from([32767, *range(lowest, highest + 1)])))


@st.composite
def _type(draw: DrawFn, depth: int, highest: int, flexible: bool, named: bool) -> KrammarType:
    kind = draw(st.integers(0, 9))
    if kind < 4:
        return draw(st.sampled_from(KrammarScalar))
    if kind == 4:
        if draw(st.booleans()):
            return EnumReference("Lamp")
        return NullableString(draw(st.integers(1, 5)))
    if kind == 5 and named:
        return NamedStruct("Part")
    if kind == 6 and depth:
        return InlineStruct(draw(_fields(depth - 1, highest, flexible, named)), draw(st.booleans()))
    element = draw(_type(0, highest, flexible, named))
    if isinstance(element, KrammarArray):  # only the outermost array is nullable, or has a varint
        element = KrammarArray(draw(st.sampled_from(KrammarScalar)))
    if depth and draw(st.booleans()):
        element = InlineStruct(
            draw(_fields(depth - 1, highest, flexible, named)), hint=draw(st.sampled_from(["", "Hint"]))
        )
    since = draw(st.sampled_from([None, 0, 2]))
    return KrammarArray(element, since is None and draw(st.integers(0, 9)) == 0, since)


@st.composite
def _fields(draw: DrawFn, depth: int, highest: int, flexible: bool, named: bool) -> tuple[KrammarField, ...]:
    fields = []
    tag = 0
    for number in range(draw(st.integers(1, 3))):
        type_ = draw(_type(depth, highest, flexible, named))
        default = None
        if isinstance(type_, KrammarScalar) and type_ in _DEFAULTS and draw(st.booleans()):
            default = draw(st.sampled_from(_DEFAULTS[type_]))
        field = KrammarField(f"Field{number}", type_, draw(_versions(highest)), default=default)
        if flexible and type_ not in _UNTAGGED and draw(st.integers(0, 3)) == 0:
            field = KrammarField(field.name, type_, None, tag, default)
            tag += 1
        fields.append(field)
    if depth and draw(st.integers(0, 4)) == 0:
        throttle = KrammarField(
            "ThrottleMillis",
            KrammarScalar.INT32,
            draw(st.sampled_from([None, VersionRange(1, 32767)])) if highest else None,
            special=SpecialField.THROTTLE,
            post_reply_since=draw(st.sampled_from([None, 3])),
        )
        fields.append(throttle)
    return tuple(fields)


@st.composite
def definitions(draw: DrawFn) -> KrammarDefinitions:
    """Draw an enum, a part, a struct with version field, a request and its response."""
    highest = draw(st.integers(0, 6))
    flexible = draw(st.sampled_from([None, 0, 2]))
    is_flexible = flexible is not None

    def struct(name: str, role: StructRole, depth: int, *, named: bool = True) -> KrammarStruct:
        fields = draw(_fields(depth, highest, is_flexible, named))
        if role is StructRole.VERSIONED:
            fields = (KrammarField("Version", KrammarScalar.INT16), *fields)
        message = role in (StructRole.REQUEST, StructRole.RESPONSE)
        return KrammarStruct(
            name,
            role,
            fields,
            key=7 if message else None,
            max_version=highest if message else None,
            flexible_since=flexible,
            router=draw(st.sampled_from(["", "admin"])) if role is StructRole.REQUEST else "",
            encoded=role is not StructRole.PLAIN,
            source="probe",
        )

    structs = (
        struct("Part", StructRole.PLAIN, 1, named=False),
        struct("Stored", StructRole.VERSIONED, 2),
        struct("ProbeRequest", StructRole.REQUEST, 2),
        struct("ProbeResponse", StructRole.RESPONSE, 2),
    )
    return KrammarDefinitions(structs, (LAMP,))
