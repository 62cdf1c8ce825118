"""All that is different in two encodings, or two values, each cause once and in order."""

from dataclasses import replace

import pytest

from kafkawire.canonical import canonical
from kafkawire.compiler import interpret_layout
from tests.support.environments import small_environment
from wireproof.checks import Check, considered
from wireproof.checks.comparing.divergences import byte_differences, value_differences
from wireproof.run import Layouts

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
def test_each_field_that_differs_is_a_place(other: dict, places: list) -> None:
    """What an array or a section of tags holds is compared as far as both sides have it."""
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
def test_bytes_too_many_behind_a_difference_are_a_place(codec: bytes, places: list) -> None:
    """They stand at the last field before them."""
    assert in_bytes(codec) == places


def test_a_field_of_another_width_is_one_place_wherever_it_stands() -> None:
    """Each number of an array takes two bytes more; what comes behind them is as it should be."""
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
    """Elements before lengths; lost tags before added ones, and these before others."""
    assert in_values(**other) == places


def test_only_what_comes_behind_excused_differences_is_considered() -> None:
    """Each comparison by itself."""
    first, second = value_differences(
        LAYOUT, Check.DECODE, "codec", "",
        canonical(LAYOUT).to_binary({**VALUE, "count": 1, "hops": []}), canonical(LAYOUT).to_binary(VALUE),
    )  # fmt: skip
    other = replace(first, check=Check.SIZE)
    assert considered([first, second, other]) == (first, other)
    known = replace(first, entry="known")
    behind = considered([known, second, other])[1]
    assert (behind.path, behind.near) == ("hops", "known explains only what comes before it")


@pytest.mark.parametrize(
    ("hops", "places"),
    [
        ([2, 1], [("hops", "reordered")]),
        ([2, 2], [("hops[0]", "differs")]),
        ([2, 1, 1], [("hops[0]", "differs"), ("hops", "differs")]),
        ([3, 1], [("hops[0]", "differs")]),
    ],
)
def test_the_same_elements_in_another_order_are_a_kind_of_their_own(hops: list, places: list) -> None:
    """One difference of the whole array; another element makes it a difference of elements."""
    assert in_values(hops=hops) == places
