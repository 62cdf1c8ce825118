"""All differences of two encodings, or of two values, each cause once and in order."""

from dataclasses import replace

import pytest

from kafkawire.canonical import canonical
from kafkawire.compiler import interpret_layout
from tests.support.environments import small_environment
from wireproof.proof.checks.check_table import Check, considered
from wireproof.proof.checks.comparing.divergences import byte_differences, value_differences
from wireproof.proof.run.core.environment import Layouts

LAYOUT = Layouts({small_environment.RELEASE: small_environment.schemas()}).of(
    small_environment.cell("PingRequest", 3)
)
CODEC = interpret_layout(LAYOUT)
VALUE = {"name": "n", "count": 5, "hops": [1, 2], "note": "x", "_tags": {9: b"u", 11: b"vw"}}
DATA = CODEC.encode(VALUE)


def in_bytes(codec: bytes, oracle: bytes = DATA) -> list[tuple[str, str]]:
    found = byte_differences(LAYOUT, Check.BYTES, "codec", "", codec, oracle)
    return [(each.path, each.kind) for each in found]


def in_values(**other: object) -> list[tuple[str, str]]:
    binaries = (canonical(LAYOUT).to_binary(value) for value in ({**VALUE, **other}, VALUE))
    found = value_differences(LAYOUT, Check.DECODE, "codec", "", *binaries)
    return [(each.path, each.kind) for each in found]


@pytest.mark.parametrize(
    ("other", "places"),
    [
        ({"name": None, "count": 6}, [("name", "differs"), ("count", "differs")]),
        ({"name": "longer", "hops": [1, 3]}, [("name", "differs"), ("hops[1]", "differs")]),
        ({"hops": [1], "note": "y"}, [("hops", "differs"), ("note", "differs")]),
        ({"hops": [1, 2, 3], "note": "yy"}, [("hops", "differs"), ("note", "differs")]),
        ({"hops": [8, 9], "count": 6}, [("count", "differs"), ("hops[0]", "differs")]),
        ({"_tags": {9: b"x"}}, [("_tags", "tags-lost"), ("_tags[9]", "differs")]),
        ({"_tags": {}, "note": ""}, [("_tags", "tags-lost")]),
        (
            {"name": None, "_tags": {8: b"u", 9: b"u"}},
            [("name", "differs"), ("_tags", "tags-added"), ("_tags", "tags-lost")],
        ),
    ],
)
def test_each_field_that_differs_is_a_divergence(other: dict, places: list) -> None:
    """Elements of an array and tagged fields are compared as far as both sides have them."""
    assert in_bytes(CODEC.encode({**VALUE, **other})) == places


@pytest.mark.parametrize(
    ("codec", "places"),
    [
        (DATA + b"\x00", [("", "differs")]),
        (CODEC.encode({**VALUE, "_tags": {}}) + b"\x07", [("_tags", "tags-lost"), ("_tags", "extra-bytes")]),
        (
            CODEC.encode({**VALUE, "name": "other"}).replace(bytes([0, 0, 0, 5]), bytes([0, 0, 0, 0, 5])),
            [("name", "differs"), ("name", "extra-bytes")],
        ),
    ],
)
def test_extra_bytes_after_a_difference_are_a_divergence(codec: bytes, places: list) -> None:
    """The path is that of the last field before them."""
    assert in_bytes(codec) == places


def test_a_field_of_another_width_is_one_divergence_at_any_place() -> None:
    """Each number of an array takes two more bytes; the bytes after them are right."""
    plain = CODEC.encode({**VALUE, "hops": [0x0102, 0x0304]})
    wide = plain.replace(b"\x01\x02", b"\xff\x01\x02\x00").replace(b"\x03\x04", b"\xff\x03\x04\x00")
    assert in_bytes(wide, plain) == [("hops[0]", "differs"), ("hops[0]", "extra-bytes")]


@pytest.mark.parametrize(
    ("other", "places"),
    [
        ({"name": None, "hops": []}, [("name", "differs"), ("hops", "differs")]),
        ({"hops": [3, 4, 5]}, [("hops[0]", "differs"), ("hops", "differs")]),
        ({"_tags": {9: b"x"}}, [("_tags", "tags-lost"), ("_tags", "differs")]),
        ({"_tags": {9: b"u", 12: b""}}, [("_tags", "tags-lost"), ("_tags", "tags-added")]),
        ({"_tags": {9: b"u"}}, [("_tags", "tags-lost")]),
    ],
)
def test_values_differ_at_each_field(other: dict, places: list) -> None:
    """Elements are compared before lengths, and lost tags are reported before added ones."""
    assert in_values(**other) == places


def test_only_differences_after_the_excused_ones_are_considered() -> None:
    """Each comparison is considered by itself."""
    first, second = value_differences(
        LAYOUT, Check.DECODE, "codec", "",
        canonical(LAYOUT).to_binary({**VALUE, "count": 1, "hops": []}), canonical(LAYOUT).to_binary(VALUE),
    )  # fmt: skip
    other = replace(first, check=Check.SIZE)
    assert considered([first, second, other]) == (first, other)
    known = replace(first, entry="known")
    later = considered([known, second, other])[1]
    assert (later.path, later.near) == ("hops", "known explains only what comes before it")


@pytest.mark.parametrize(
    ("hops", "places"),
    [
        ([2, 1], [("hops", "reordered")]),
        ([2, 2], [("hops[0]", "differs")]),
        ([2, 1, 1], [("hops[0]", "differs"), ("hops", "differs")]),
        ([3, 1], [("hops[0]", "differs")]),
    ],
)
def test_the_same_elements_in_another_order_are_a_separate_kind(hops: list, places: list) -> None:
    """The array has one difference; with another element it has differences of elements."""
    assert in_values(hops=hops) == places
