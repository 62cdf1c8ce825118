"""The slice of the mutations has each operator at each kind of field."""

import re

import pytest

from kafkawire.annotate import annotate
from kafkawire.compiler import interpret_layout
from kafkawire.schema.layout import FieldLayout, MessageLayout
from tests.support.schemas.kitchen_sink import VERSIONS
from tests.support.schemas.kitchen_sink import layout as kitchen_sink
from tests.support.schemas.real_layouts import real
from wireproof.model.case_source import RecordCase
from wireproof.model.divergence import without_indices
from wireproof.model.malformed_input import Mutation
from wireproof.proof.strategies.cases.scenarios import scenarios
from wireproof.proof.strategies.malformed.frame_mutations import frame_mutations
from wireproof.proof.strategies.malformed.message_mutations import mutations
from wireproof.proof.strategies.malformed.mutation_slice import Slice
from wireproof.proof.strategies.malformed.record_mutations import RECORD_BASES, record_mutations
from wireproof.proof.strategies.records.record_cases import record_cases

LAYOUTS = [
    *(kitchen_sink(version) for version in VERSIONS),
    real("FetchRequest", 12),
    real("MetadataRequest", 1),
    real("FetchResponse", 4),
]
BASES = ("message/default", "message/fullest", "message/nulls")


def bases(layout: MessageLayout) -> list[bytes]:
    codec = interpret_layout(layout)
    return [codec.encode(case.value) for case in scenarios(layout) if case.name in BASES]


def sliced(layout: MessageLayout) -> list[list[Mutation]]:
    part = Slice()
    return [list(mutations(layout, data, part)) for data in bases(layout)]


def operator(mutation: Mutation) -> str:
    return re.sub("-at-[0-9]+$", "", mutation.operator)


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: f"{layout.name}-{layout.version}")
def test_the_slice_is_a_part_of_all_mutations(layout: MessageLayout) -> None:
    """The slice has the same few mutations with the same names each time."""
    every = [list(mutations(layout, data)) for data in bases(layout)]
    chosen = sliced(layout)

    assert all(set(part) <= set(whole) for part, whole in zip(chosen, every, strict=True))
    assert chosen == sliced(layout)
    assert sum(map(len, chosen)) * 2 < sum(map(len, every))


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: f"{layout.name}-{layout.version}")
def test_each_operator_is_tried_on_each_type_of_field(layout: MessageLayout) -> None:
    """The kind of a field is its type, whether it is nullable, and whether it is compact."""
    forms = {path: (field.scalar, field.nullable, field.compact) for path, _, field in layout.walk()}

    def tried(every: list[list[Mutation]]) -> set[tuple[object, ...]]:
        found = set[tuple[object, ...]]()
        for each in (mutation for part in every for mutation in part):
            word = operator(each)
            if word.startswith(("text=", "tag")):
                found.add((word,))
            elif not word.startswith(("truncate", "append")):
                found.add((word, forms[without_indices(each.path).removesuffix("[]")]))
        return found

    assert tried(sliced(layout)) == tried([list(mutations(layout, data)) for data in bases(layout)])


def has_length(field: FieldLayout | None) -> bool:
    """Return whether a field is a string or bytes."""
    return field is not None and str(field.scalar) in ("string", "bytes")


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: f"{layout.name}-{layout.version}")
def test_the_largest_length_and_count_are_tried_at_each_field(layout: MessageLayout) -> None:
    """A large length or count can make a codec reserve memory."""
    wanted = {
        without_indices(span.path)
        for data in bases(layout)
        for span in annotate(layout, data).spans
        if span.role == "count" or (span.role == "value" and has_length(span.field))
    }
    found = {
        without_indices(each.path)
        for part in sliced(layout)
        for each in part
        if operator(each) in ("count=max", "length=max")
    }

    assert wanted <= found


def test_frames_have_a_slice() -> None:
    """The slice has all sizes, identities and other header versions, and two of the many cuts."""
    headers = {version: real("RequestHeader", version) for version in (1, 2)}
    layout = real("ApiVersionsRequest", 3)
    header = interpret_layout(headers[2]).encode({"requestApiKey": 18, "requestApiVersion": 3})
    every = list(frame_mutations(headers, layout, header, b""))
    chosen = list(frame_mutations(headers, layout, header, b"", Slice()))

    assert set(chosen) < set(every)
    assert {each.operator for each in chosen if each.operator != "frame-truncate"} >= {
        each.operator
        for each in every
        if each.operator.startswith(("frame-size", "frame-append", "identity"))
    }
    assert sum(each.operator == "frame-truncate" for each in chosen) == 2


def test_record_sets_have_a_slice() -> None:
    """Each operator of each field of each magic occurs once, with a right and a wrong checksum; each
    compression has a bomb."""
    bases = [case for case in record_cases() if case.name in RECORD_BASES]
    part = Slice()
    chosen = {case.name: list(record_mutations(case, part)) for case in bases}

    def every(case: RecordCase) -> list[Mutation]:
        return list(record_mutations(case))

    whole = {case.name: every(case) for case in bases}
    assert all(set(chosen[name]) <= set(whole[name]) for name in whole)
    assert sum(map(len, chosen.values())) * 5 < sum(map(len, whole.values()))
    bombs = [name for name, found in chosen.items() if any("bomb" in each.operator for each in found)]
    assert {name.split("/")[1] for name in bombs} == {"gzip", "snappy", "lz4", "zstd"}
    everywhere = {each.operator for found in whole.values() for each in found if "=" not in each.operator}
    tried = {each.operator for found in chosen.values() for each in found}
    numbered = re.compile("stream-(byte|cut)")
    assert {word for word in everywhere if not numbered.match(word)} <= tried
