"""The enumerated boundary cases."""

import math
import re
import subprocess
import sys
from collections import defaultdict
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from kafkawire.compiler import interpret_layout
from kafkawire.errors import EncodeError
from kafkawire.schema import FieldLayout, MessageLayout, ScalarType
from tests.support.schemas import kitchen_sink, real_layouts
from wireproof.model.coverage.wire_sizes import FieldSizer
from wireproof.proof.strategies.cases.scenarios import scenarios
from wireproof.proof.strategies.layout_source import refused_values
from wireproof.proof.strategies.values.sized_values import DATA_SIZES, WIDE_COUNTS

LENGTHS = {0, 1, 126, 127, 128, 16382, 16383, 16384, 32767}
MUST_REACH: dict[ScalarType, set[Any]] = {
    ScalarType.BOOL: {False, True},
    ScalarType.INT8: {-128, -1, 0, 1, 127},
    ScalarType.INT16: {-32768, -999, -1, 0, 1, 999, 32767},
    ScalarType.UINT16: {0, 1, 32767, 32768, 65535},
    ScalarType.INT32: {-(2**31), -32769, -1, 0, 1, 32768, 2**31 - 1},
    ScalarType.UINT32: {0, 1, 2**31 - 1, 2**31, 2**32 - 1},
    ScalarType.INT64: {-(2**63), -(2**31) - 1, -1, 0, 1, 2**31, 2**63 - 1},
    ScalarType.UUID: {UUID(int=0), UUID(int=1), UUID(int=2**128 - 1)},
}


def values_at(value: Any, path: str) -> list[Any]:
    """Return the values of the field at a path, in every element on the way; absent ones are left out."""
    found = [value]
    for name in path.split("."):
        bare = name.removesuffix("[]")
        found = [each[bare] for each in found if isinstance(each, dict) and bare in each]
        if name != bare:
            found = [element for each in found for element in each or ()]
    return found


def values_by_path(layout: MessageLayout) -> dict[str, list[Any]]:
    """Return the values that each field's own scenarios give it."""
    values: dict[str, list[Any]] = defaultdict(list)
    for each in scenarios(layout):
        if each.path:
            values[each.path] += values_at(each.value, each.path)
    return values


def fields_of(layout: MessageLayout) -> dict[str, FieldLayout]:
    return {path: field for path, _, field in layout.walk()}


@pytest.fixture(params=kitchen_sink.VERSIONS)
def layout(request: pytest.FixtureRequest) -> MessageLayout:
    return kitchen_sink.layout(request.param)


def test_names_are_unique(layout: MessageLayout) -> None:
    """No two scenarios of a layout have the same name."""
    names = [each.name for each in scenarios(layout)]
    assert len(names) == len(set(names))


def test_order_and_values_are_fixed(layout: MessageLayout) -> None:
    """Two enumerations give the same names and the same values."""
    first, second = ([(each.name, repr(each.value)) for each in scenarios(layout)] for _ in range(2))
    assert first == second


def test_each_array_has_more_elements_than_a_byte_counts(layout: MessageLayout) -> None:
    """A writer that counts elements in one byte was right in every case of a single message."""
    values = values_by_path(layout)
    for path, field in fields_of(layout).items():
        if field.is_array:
            assert 256 in {len(each) for each in values[path] if each is not None}, path


def test_a_name_begins_with_its_path(layout: MessageLayout) -> None:
    """A scenario's name is its path and its case, or ``message`` and its case."""
    for each in scenarios(layout):
        assert each.name.startswith(f"{each.path or 'message'}/")


@pytest.mark.parametrize("version", kitchen_sink.VERSIONS)
def test_every_scalar_field_gets_the_boundaries_of_its_type(version: int) -> None:
    """Each field of a fixed-size type gets every boundary of the type."""
    layout = kitchen_sink.layout(version)
    values = values_by_path(layout)
    for path, field in fields_of(layout).items():
        if field.scalar in MUST_REACH:
            tried = [v for each in values[path] for v in (each if field.is_array else [each]) or ()]
            assert MUST_REACH[field.scalar] <= set(tried), path


def test_every_float_gets_the_odd_ones(layout: MessageLayout) -> None:
    """The values are negative zero, infinities, the least number and NaNs of several kinds."""
    bits = [value.hex() if not math.isnan(value) else "nan" for value in values_by_path(layout)["quota"]]
    assert {"-0x0.0p+0", "0x0.0p+0", "inf", "-inf", "0x0.0000000000001p-1022"} <= set(bits)
    assert bits.count("nan") == 3


def test_every_string_and_bytes_field_gets_the_lengths(layout: MessageLayout) -> None:
    """Each text and each blob gets every length in bytes; texts have wide characters too."""
    values = values_by_path(layout)
    for path, field in fields_of(layout).items():
        tried = [v for each in values[path] for v in (each if field.is_array else [each]) or ()]
        match field.scalar:
            case ScalarType.STRING:
                assert {len(text.encode()) for text in tried if text is not None} >= LENGTHS, path
                widths = {max((len(char.encode()) for char in text), default=0) for text in tried if text}
                assert widths == {1, 2, 3, 4}, path
            case ScalarType.BYTES | ScalarType.RECORDS:
                assert {len(data) for data in tried if data is not None} >= LENGTHS | {32768}, path


def test_every_array_gets_the_counts(layout: MessageLayout) -> None:
    """Each array gets 0, 1, 126, 127 and 128 elements."""
    values = values_by_path(layout)
    for path, field in fields_of(layout).items():
        if field.is_array:
            assert {len(each) for each in values[path] if each is not None} >= {0, 1, 126, 127, 128}, path


def test_null_is_tried_exactly_where_it_is_allowed(layout: MessageLayout) -> None:
    """A field has a null scenario if and only if this version allows null."""
    values = values_by_path(layout)
    for path, field in fields_of(layout).items():
        assert (None in values[path]) == field.nullable, path


def test_every_flexible_struct_gets_unknown_tags() -> None:
    """Unknown tags are at the root, in elements, in nullable structs and in tagged ones."""
    values = values_by_path(kitchen_sink.layout(2))
    levels = {path.removesuffix("_tags") for path in values if path.endswith("_tags")}
    assert levels == {
        "",
        "topics[].",
        "topics[].partitions[].",
        "topics[].partitions[].diverging.",
        "nodes[].",
        "cursor.",
        "owner.",
        "replica.",
        "classic.",
        "endpoints[].",
    }
    for path, tried in values.items():
        if path.endswith("_tags"):
            sizes = {len(data) for tags in tried for data in tags.values()}
            assert {0, 127, 128} <= sizes
            assert {1, 2} <= {len(tags) for tags in tried}
            assert 2**31 - 2 in {tag for tags in tried for tag in tags}


def test_unknown_tags_use_the_free_numbers() -> None:
    """If a struct has free numbers below and between its tags, unknown tags use them too."""
    layout = kitchen_sink.layout(2)
    tagged = tuple(field for field in layout.root.tagged if field.tag in (2, 4))
    root = replace(layout.root, tagged=tagged, absent=())
    tried = values_by_path(replace(layout, root=root))["_tags"]
    assert {1, 3, 5} <= {tag for tags in tried for tag in tags}
    assert any(set(tags) == {1, 3, 5} for tags in tried)


def test_every_scenario_is_valid(layout: MessageLayout) -> None:
    """The codec accepts every scenario, and the field at its path is encoded and decoded unchanged."""
    codec = interpret_layout(layout)
    fields = fields_of(layout)
    for each in scenarios(layout):
        decoded = codec.decode(codec.encode(each.value))
        if each.path in fields and fields[each.path].struct is None:
            given, read = values_at(each.value, each.path), values_at(decoded, each.path)
            assert repr(read[: len(given)]) == repr(given), each.name


def test_a_field_of_a_tagged_struct_is_written_even_at_its_default() -> None:
    """A tagged struct equal to its default would be omitted, and the field's case with it."""
    codec = interpret_layout(kitchen_sink.layout(2))
    sparse = codec.encode({"snapshot": b""})
    named = {each.name: each.value for each in scenarios(kitchen_sink.layout(2))}
    for name in ("replica.replicaId/0", "replica.replicaName/length-0", "classic.sessionMs/1"):
        assert len(codec.encode(named[name])) > len(sparse), name


@pytest.mark.parametrize("field", ["cluster", "replica", "classic", "endpoints", "extra"])
def test_tagged_data_has_the_size_in_the_name(field: str) -> None:
    """``data-N`` makes the data of a tagged field exactly N bytes long."""
    codec = interpret_layout(kitchen_sink.layout(2))
    sparse = len(codec.encode({"snapshot": b""}))
    sizes = []
    for each in scenarios(kitchen_sink.layout(2)):
        if match := re.fullmatch(rf"{field}/data-(\d+)", each.name):
            size = int(match[1])
            sizes.append(size)
            tag_and_size = 2 if size < 128 else 3
            assert len(codec.encode(each.value)) == sparse + tag_and_size + size
    # No compact string or bytes takes 128 bytes: its length prefix grows by a byte there.
    assert sizes == ([126, 127, 129] if field in ("cluster", "extra") else [126, 127, 128, 129])


def test_a_sparse_default_has_the_bytes_of_the_default() -> None:
    """The message at default, with or without its keys, has the same bytes; the fullest message has every
    field."""
    layout = kitchen_sink.layout(2)
    codec = interpret_layout(layout)
    named = {each.name: each.value for each in scenarios(layout)}
    assert codec.encode(named["message/default"]) == codec.encode(named["message/sparse"])
    assert named["message/sparse"] == {"snapshot": b""}
    for path, field in fields_of(layout).items():
        (first, *_) = values_at(named["message/fullest"], path)
        assert first is not None
        assert first != field.default, path
    assert "_tags" not in named["message/fullest-known"]


def test_all_nulls_are_tried_at_once() -> None:
    """One scenario has all nulls, another has all nulls of leaves with every container present."""
    named = {each.name: each.value for each in scenarios(kitchen_sink.layout(2))}
    assert named["message/nulls"]["topics"] is None
    assert named["message/nulls"]["cursor"] is None
    assert named["message/leaf-nulls"]["topics"] == [{"partitions": [{"diverging": {}}]}]
    assert named["message/leaf-nulls"]["nodes"] == [{"rack": None}]
    assert named["message/leaf-nulls"]["names"] is None


def test_large_messages_are_tried() -> None:
    """Each version has a message of 64 KiB, and the newest one of 1 MiB."""
    for version in kitchen_sink.VERSIONS:
        layout = kitchen_sink.layout(version)
        sizes = {
            each.name: interpret_layout(layout).size(each.value)
            for each in scenarios(layout)
            if each.name.startswith("message/around")
        }
        assert 65536 < sizes.pop("message/around-64KiB") < 70000
        assert (sizes.pop("message/around-1MiB", 0) > 2**20) == (version == 2)
        assert not sizes


def test_many_small_elements_are_tried() -> None:
    """The newest version has more than 64 KiB of distinct elements of some dozen bytes each."""
    for version in kitchen_sink.VERSIONS:
        layout = kitchen_sink.layout(version)
        found = [each.value for each in scenarios(layout) if each.name == "message/many-elements"]
        assert len(found) == (version == 2)
    (value,) = found
    assert 65536 < interpret_layout(layout).size(value) < 70000
    (elements,) = (item for item in value.values() if isinstance(item, list) and len(item) > 1)
    assert 1000 < len(elements) == len({str(each) for each in elements})


def test_a_message_without_an_array_has_no_case_of_many_elements() -> None:
    """The message has no field with many elements."""
    layout = kitchen_sink.message('{"name": "A", "type": "bytes", "versions": "0+"}', flexible="none")
    assert not [each for each in scenarios(layout) if each.name == "message/many-elements"]


@pytest.mark.parametrize(
    ("fields", "kib", "mib"),
    [
        ('{"name": "A", "type": "[]int32", "versions": "0+"}', True, False),
        ('{"name": "A", "type": "[]string", "versions": "0+"}', True, True),
        ('{"name": "A", "type": "[]float64", "versions": "0+"}', True, False),
        (
            '{"name": "A", "type": "[]S", "versions": "0+", "fields": ['
            '{"name": "K", "type": "uuid", "versions": "0+", "mapKey": true}]}',
            True,
            False,
        ),
        ('{"name": "A", "type": "string", "versions": "0+"}', False, False),
        (
            '{"name": "A", "type": "string", "versions": "0+"}, '
            '{"name": "B", "type": "string", "versions": "0+"}',
            True,
            False,
        ),
        ('{"name": "A", "type": "int32", "versions": "0+"}', False, False),
    ],
)
def test_large_messages_are_filled_by_arrays_or_strings(fields: str, kib: bool, mib: bool) -> None:
    """Messages without bytes are filled by arrays or strings; a message that cannot take 64 KiB is left
    out."""
    layout = kitchen_sink.message(fields, flexible="none")
    codec = interpret_layout(layout)
    sizes = {each.name: codec.size(each.value) for each in scenarios(layout) if "message/around" in each.name}
    assert (sizes.get("message/around-64KiB", 0) > 65536) == kib
    assert (sizes.get("message/around-1MiB", 0) > 2**20 - 100) == mib


def test_each_field_is_left_out_alone() -> None:
    """For every field with a default and without a tag, one case omits that field alone."""
    for layout in (kitchen_sink.layout(2), *real_layouts.all_layouts()[::5]):
        named = {each.path: each for each in scenarios(layout) if each.omits}
        for path, struct, field in layout.walk():
            if field.default is None and not field.nullable:
                assert path not in named  # null is refused: it has no default
            elif path in named:
                holders = values_at(named[path].value, path.rpartition(".")[0]) if "." in path else []
                for held in holders or [named[path].value]:
                    assert set(held) == {each.name for each in struct.fields} - {field.name}
            else:  # a struct with a field without default must be present
                assert field.tag is not None or field.struct is not None, path


def test_equal_map_keys_are_tried() -> None:
    """Two elements have the same key and differ elsewhere."""
    (topics,) = [
        each.value["topics"] for each in scenarios(kitchen_sink.layout(2)) if each.name == "topics/equal-keys"
    ]
    assert topics == [{"topic": "x"}, {"topic": "x", "partitions": [{}]}]


def test_the_same_element_is_repeated_in_each_array_of_structs() -> None:
    """It is off its defaults, stands twice in a row, and again after another one."""
    layout = kitchen_sink.layout(2)
    named = {each.name: each for each in scenarios(layout)}
    arrays = [path for path, _, field in layout.walk() if field.is_array and field.struct is not None]
    assert arrays
    for path in arrays:
        (elements,) = values_at(named[f"{path}/repeated"].value, path)
        first, second, other, last = elements
        assert first == second == last != other, path


def test_a_tagged_nullable_struct_is_as_long_as_its_size_grows() -> None:
    """Its data takes 126 to 129 bytes, the marker of its presence included."""
    layout = kitchen_sink.layout(1)
    (field,) = (each for each in layout.root.tagged if each.name == "classic")
    named = {each.name: each.value for each in scenarios(layout)}
    sizes = [FieldSizer(field).data_bytes(named[f"classic/data-{size}"]["classic"]) for size in DATA_SIZES]
    assert sizes == [126, 127, 128, 129]


@pytest.mark.parametrize(
    ("message", "path"),
    [
        ("ElectLeadersRequest", "topicPartitions[].partitions"),
        ("DescribeGroupsRequest", "groups"),
        ("OffsetDeleteRequest", "topics[].partitions"),
    ],
)
def test_an_array_of_each_kind_has_more_elements_than_16_bits_count(message: str, path: str) -> None:
    """The newest version has 65,536 different elements, the numbers also 131,071."""
    newest = max(
        (each for each in real_layouts.all_layouts() if each.name == message), key=lambda at: at.version
    )
    found = {
        each.name: values_at(each.value, path)[0]
        for each in scenarios(newest)
        if each.name.startswith("message/elements-")
    }
    counts = WIDE_COUNTS if newest.name == "ElectLeadersRequest" else WIDE_COUNTS[:1]
    assert {name: len(elements) for name, elements in found.items()} == {
        f"message/elements-{count}": count for count in counts
    }
    assert all(len(set(map(str, elements))) == len(elements) for elements in found.values())


def test_ignorable_fields_of_other_versions_are_dropped() -> None:
    """The bytes do not change if a value has an ignorable field of another version."""
    layout = kitchen_sink.layout(0)
    codec = interpret_layout(layout)
    ignored = {each.path: each.value for each in scenarios(layout) if each.name.endswith("/ignored")}
    assert set(ignored) == {"keys", "cluster", "later", "nodes[].rack"}
    for path, value in ignored.items():
        without = {"snapshot": b"", "nodes": [{}]} if path.startswith("nodes") else {"snapshot": b""}
        assert value != without
        assert codec.encode(value) == codec.encode(without)


def test_names_of_fields_are_free() -> None:
    """Fields may have the names of our own scenarios."""
    text = ", ".join(
        f'{{"name": "{name}", "type": "S{name}", "versions": "0+", "nullableVersions": "0+", "fields": []}}'
        for name in ("message", "self", "fields", "value")
    )
    layout = kitchen_sink.message(text)
    names = [each.name for each in scenarios(layout)]
    assert len(names) == len(set(names))
    assert {"message/null", "self/present"} <= set(names)


def test_refused_values_are_refused(layout: MessageLayout) -> None:
    """The codec refuses each such value, and the path of the error is the scenario's."""
    codec = interpret_layout(layout)
    cases = 0
    for each in refused_values(layout):
        with pytest.raises(EncodeError) as refusal:
            codec.encode(each.value)
        path = re.sub(r"\[\d+\]", "[]", refusal.value.path)
        assert path.removesuffix("[]") == each.path, each.name
        cases += 1
    assert cases > 60


def test_enumerating_does_not_import_hypothesis() -> None:
    """Hypothesis is only needed for random cases."""
    code = (
        "import sys; from wireproof.proof.strategies.cases.scenarios import scenarios; "
        "from wireproof.proof.strategies.layout_source import refused_values; "
        "sys.exit('hypothesis' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_tagged_nullable_struct_of_a_release_grows_by_its_own_fields() -> None:
    """No case needs an unknown tag, which many codecs drop: then the size is another one."""
    found = []
    for layout in real_layouts.all_layouts():
        named = {each.name: each.value for each in scenarios(layout)}
        for path, _, field in layout.walk():
            if field.tag is not None and field.nullable and field.struct is not None:
                values = [values_at(named[f"{path}/data-{size}"], path) for size in DATA_SIZES]
                assert [FieldSizer(field).data_bytes(value) for (value,) in values] == list(DATA_SIZES), path
                assert "_tags" not in repr(values), path
                found.append(f"{layout.name}.{path}")
    assert found == [
        "ConsumerGroupMemberMetadataValue.classicMemberMetadata",
        "StreamsGroupMetadataValue.lastAssignmentConfigs",
    ]
