"""The strategies for whole schemas reach every feature of the language, and shrink to the least schema."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, Final

from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st

from kafkawire.schema import (
    ArrayType,
    FieldSpec,
    MessageKind,
    MessageSpec,
    ScalarType,
    Severity,
    StructType,
    VersionRange,
    read_message,
)
from tests.support.schemas.random_schemas import DrawnChoices, drawn_messages, schemas
from wireproof.proof.strategies.schemas.broken_messages import broken, draw_broken, violations_in
from wireproof.proof.strategies.schemas.choices import SeededChoices
from wireproof.proof.strategies.schemas.message_drawing import draw_message
from wireproof.proof.strategies.schemas.schema_language import SchemaLanguage, language_of
from wireproof.proof.strategies.schemas.schema_text import schema_text
from wireproof.proof.strategies.schemas.violations.field_violations import FIELD_VIOLATIONS

DRAWS: Final = 3000
LATER: Final = SchemaLanguage(header_versions=True)


def fields_of(spec: MessageSpec) -> Iterator[tuple[FieldSpec, bool]]:
    """Yield each field, and whether it is in a common struct."""

    def walk(fields: tuple[FieldSpec, ...], common: bool) -> Iterator[tuple[FieldSpec, bool]]:
        for field in fields:
            yield field, common
            yield from walk(field.fields, common)

    yield from walk(spec.fields, False)
    for struct in spec.common_structs:
        yield from walk(struct.fields, True)


def features(text: str, spec: MessageSpec) -> Iterator[str]:
    """Name each feature of the language that a definition has."""
    yield f"kind {spec.kind}"
    yield from (name for name, pattern in SPELLINGS.items() if re.search(pattern, text))
    yield from (name for name, holds in MESSAGES.items() if holds(spec))
    for field, common in fields_of(spec):
        for name, holds_field in FIELDS.items():
            if holds_field(field, spec):
                yield name
        if common and isinstance(inner_type(field), StructType):
            yield "struct in a common struct"
        yield f"type {field.type if isinstance(inner_type(field), ScalarType) else 'struct'}"
        if field.default and isinstance(field.type, ScalarType):
            yield f"default of {field.type}"


def inner_type(field: FieldSpec) -> ScalarType | StructType:
    return field.type.element if isinstance(field.type, ArrayType) else field.type


def common_names(spec: MessageSpec) -> set[str]:
    return {struct.name for struct in spec.common_structs}


def is_inline(field: FieldSpec, spec: MessageSpec) -> bool:
    inner = inner_type(field)
    return isinstance(inner, StructType) and inner.name not in common_names(spec)


SPELLINGS: Final = {
    "line comment": r"//[^\n]*comment\n",
    "block comment": r"/\* a \"comment\" \*/",
    "comment over lines": r"/\* over\n two lines \*/",
    "key given twice": r'"versions": [^,]+, "versions"',
    "type given twice": r'"type": [^,]+, "type"',
    "single field in place of a list": r'"fields": \{',
    "single common struct": r'"commonStructs": \{',
    "single listener": r'"listeners": "',
    "null in place of a list": r'"fields": null',
    "tag as text": r'"tag": "0"',
    "api key as text": r'"apiKey": "',
    "default as a number": r'"default": -?[1-9]',
    "default as a truth value": r'"default": (true|false)',
    "default of JSON's null": r'"default": null',
    "flag as text": r'"ignorable": "true"',
    "flag as a number": r'"mapKey": 1',
    "range as a number": r'"versions": \d',
    "range from 0 to the end in digits": r'"[vV]ersions": "0-32767"',
    "range with a sign": r'[vV]ersions": "\+\d',
    "range with a space": r'[vV]ersions": " ',
    "hexadecimal default": r'"default": "0x[1-9a-fA-F]',
    "octal default": r'"default": "0[1-7]',
    "negative default": r'"default": "-',
    "largest default": r"9223372036854775807|0x7f{15}",
    "smallest default": r"-9223372036854775808",
    "NaN": r'"NaN"',
    "Infinity": r'"-Infinity"',
    "hexadecimal float": r'"0x1p3"',
    "uuid with padding": r'"default": "[\w-]{22}=="',
    "escaped string default": r'"default": "\\\\n"',
    "comment signs in a string": r'"// no comment"',
    "default outside of ASCII": "日本",
}
MESSAGES: Final[dict[str, Callable[[MessageSpec], bool]]] = {
    "retired message": lambda spec: spec.retired,
    "no flexible version": lambda spec: spec.flexible_versions.empty,
    "some versions flexible": lambda spec: spec.flexible_versions.lowest > spec.valid_versions.lowest,
    "first version above 0": lambda spec: spec.valid_versions.lowest > 0,
    "deprecated versions": lambda spec: not spec.deprecated_versions.empty,
    "listeners": lambda spec: len(spec.listeners) == 2,
    "unstable version": lambda spec: spec.latest_version_unstable,
    "two common structs": lambda spec: len(spec.common_structs) > 1,
    "common struct of some versions": lambda spec: any(
        struct.versions != VersionRange.ALL for struct in spec.common_structs
    ),
    "common struct that is shared": lambda spec: max(common_uses(spec).values(), default=0) > 1,
    "header versions": lambda spec: len(spec.header_versions) > 1,
    "no field": lambda spec: not spec.fields and not spec.retired,
}
FIELDS: Final[dict[str, Callable[[FieldSpec, MessageSpec], bool]]] = {
    "nullable": lambda field, _: field.nullable_versions.covers(field.versions),
    "nullable in some versions": lambda field, _: (
        not field.nullable_versions.empty and not field.nullable_versions.covers(field.versions)
    ),
    "nullable struct": lambda field, _: (
        isinstance(field.type, StructType) and not field.nullable_versions.empty and field.tag is None
    ),
    "tagged nullable struct": lambda field, _: (
        isinstance(field.type, StructType) and not field.nullable_versions.empty and field.tag is not None
    ),
    "tagged struct": lambda field, _: isinstance(field.type, StructType) and field.tag is not None,
    "tagged array of structs": lambda field, _: (
        isinstance(field.type, ArrayType)
        and isinstance(field.type.element, StructType)
        and field.tag is not None
    ),
    "second tag": lambda field, _: field.tag == 1,
    "tagged in some versions": lambda field, _: (
        field.tag is not None and field.tagged_versions.lowest > field.versions.lowest
    ),
    "null default": lambda field, _: field.default == "null",
    "ignorable": lambda field, _: field.ignorable,
    "map key": lambda field, _: field.map_key,
    "entity type": lambda field, _: field.entity_type not in ("", "unknown"),
    "zero copy": lambda field, _: field.zero_copy,
    "own flexible versions": lambda field, _: field.flexible_versions is not None,
    "own flexible versions of a tagged field": lambda field, _: (
        field.flexible_versions is not None and field.tag is not None
    ),
    "dead field": lambda field, spec: field.versions.intersect(spec.valid_versions).empty,
    "reversed range": lambda field, _: field.versions.empty and field.versions != VersionRange.NONE,
    "versions of some": lambda field, spec: field.versions.lowest > spec.valid_versions.lowest,
    "versions that end": lambda field, spec: field.versions.highest < spec.valid_versions.highest,
    "inline struct": lambda field, spec: is_inline(field, spec),
    "struct in a struct": lambda field, spec: (
        is_inline(field, spec) and any(is_inline(inner, spec) for inner in field.fields)
    ),
    "empty inline struct": lambda field, spec: is_inline(field, spec) and not field.fields,
    "key of two fields": lambda field, _: sum(inner.map_key for inner in field.fields) > 1,
    "fields of an array of scalars": lambda field, _: (
        isinstance(field.type, ArrayType)
        and isinstance(field.type.element, ScalarType)
        and bool(field.fields)
    ),
}
EXPECTED: Final = frozenset(
    {
        *SPELLINGS,
        *MESSAGES,
        *FIELDS,
        *(f"kind {kind}" for kind in MessageKind),
        *(f"type {scalar}" for scalar in ScalarType),
        *(f"type []{scalar}" for scalar in ScalarType if scalar.value not in ("bytes", "records")),
        *(f"default of {scalar}" for scalar in ScalarType),
        *("type struct", "struct in a common struct"),
    }
)


def common_uses(spec: MessageSpec) -> Counter[str]:
    inner = (inner_type(field) for field, _ in fields_of(spec))
    return Counter(
        each.name for each in inner if isinstance(each, StructType) and each.name in common_names(spec)
    )


def reached(texts: Iterator[str]) -> Counter[str]:
    found: Counter[str] = Counter()
    for text in texts:
        spec, problems = read_message(text, "drawn")
        assert spec is not None, (text, problems)
        found.update(set(features(text, spec)))
    return found


def by_seed() -> Iterator[str]:
    """Draw as `wireproof schema fuzz` does."""
    return (schema_text(draw_message(SeededChoices(0, n), "Drawn", LATER).tree) for n in range(DRAWS))


def by_hypothesis() -> Iterator[str]:
    texts: list[str] = []

    @settings(
        max_examples=1200,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(schemas(LATER))
    def gather(text: str) -> None:
        texts.append(text)

    gather()
    return iter(texts)


def test_seeds_reach_every_feature() -> None:
    """3,000 draws have every feature, the rarest of them several times."""
    found = reached(by_seed())
    assert {name for name in EXPECTED if found[name] < 2} == set()


def test_hypothesis_reaches_every_kind_of_field() -> None:
    """1,200 examples have every type, and every feature of a field and of a message."""
    found = reached(by_hypothesis())
    spelled = {"range with a sign", "header versions", "largest default", *SPELLINGS}
    rare = {
        "single common struct",
        "fields of an array of scalars",
        "key of two fields",
        "own flexible versions of a tagged field",
    }
    assert {name for name in EXPECTED - spelled - rare if not found[name]} == set()


def test_drawn_schemas_break_no_rule() -> None:
    """The front end accepts each, in the language of each release."""
    for release in ("2.8.2", "3.9.1", "4.3.1"):
        for number in range(700):
            text = schema_text(draw_message(SeededChoices(1, number), "Drawn", language_of(release)).tree)
            spec, problems = read_message(text, release)
            assert spec is not None, (text, problems)
            assert [each for each in problems if each.severity is Severity.ERROR] == [], text


def test_each_operator_breaks_a_rule() -> None:
    """The front end refuses what an operator has changed, and never for another rule alone."""
    drawn: Counter[str] = Counter()
    for number in range(40 * len(violations_in())):
        violation, tree = draw_broken(SeededChoices(2, number), "Drawn")
        _, problems = read_message(schema_text(tree), "drawn")
        assert any(each.severity is Severity.ERROR for each in problems), schema_text(tree)
        drawn[violation.name] += 1
    assert min(drawn[violation.name] for violation in violations_in()) > 10


def test_every_error_has_an_operator() -> None:
    """Errors 1 to 38 of one message; 39 to 41 are those of sets."""
    assert {violation.error for violation in violations_in()} - {0} == set(range(1, 39))


def test_schemas_shrink_to_the_least() -> None:
    """The least schema with a default of a bool has that field and no other."""

    def has(text: str) -> bool:
        spec, _ = read_message(text, "drawn")
        return spec is not None and "default of bool" in features(text, spec)

    options: dict[str, Any] = {"database": None, "derandomize": True, "max_examples": 3000, "deadline": None}
    found = find(schemas(), has, settings=settings(**options, suppress_health_check=list(HealthCheck)))
    assert '{ "name": "Name", "type": "bool", "versions": "0+", "default": "true" }' in found
    spec, _ = read_message(found, "least")
    assert spec is not None
    assert (spec.kind, spec.valid_versions) == (MessageKind.DATA, VersionRange(0, 0))
    assert len(list(fields_of(spec))) == 1


def test_broken_schemas_shrink_to_the_broken_field() -> None:
    """A schema with a nullable scalar shrinks to that field."""
    (violation,) = (each for each in FIELD_VIOLATIONS if each.name == "scalar-nullable")

    @st.composite
    def broken_schemas(draw: st.DrawFn) -> str:
        message = draw(drawn_messages(plain=True))
        return schema_text(broken(DrawnChoices(draw), violation, message.tree))

    least = find(
        broken_schemas(),
        lambda text: "uuid" in text,
        settings=settings(database=None, derandomize=True, deadline=None, max_examples=500),
    )
    spec, problems = read_message(least, "least")
    assert spec is not None
    assert [field.name for field in spec.fields] == ["Added"]
    assert [each.path for each in problems] == ["added"]
