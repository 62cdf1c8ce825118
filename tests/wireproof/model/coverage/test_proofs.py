"""Reasons for unreachable classes: true reasons hold, false reasons are detected."""

import pytest

from kafkawire.schema import MessageLayout, VersionRange
from tests.support.schemas import kitchen_sink, real_layouts
from wireproof.model.coverage.layout_model import coverage_model, frame_coverage_model
from wireproof.model.coverage.proofs import disproof, record_disproof
from wireproof.model.coverage.reasons import (
    AlwaysInFrame,
    NoBatch,
    NoFreeTag,
    NoSuchCompression,
    NoSuchSize,
    OfOtherVersions,
    Reason,
    TooLarge,
    TooSmall,
)
from wireproof.model.coverage.record_set_model import record_coverage_model

TEXT = """{ "type": "data", "name": "All", "validVersions": "0-1", "flexibleVersions": "1+", "fields": [
    { "name": "Number", "type": "int64", "versions": "0+" },
    { "name": "Text", "type": "string", "versions": "0+" },
    { "name": "Older", "type": "int8", "versions": "0" },
    { "name": "Newer", "type": "int8", "versions": "1+", "taggedVersions": "1+", "tag": 0 },
    { "name": "Many", "type": "[]int32", "versions": "1+", "taggedVersions": "1+", "tag": 1 },
    { "name": "Names", "type": "[]string", "versions": "1+", "taggedVersions": "1+", "tag": 2 },
    { "name": "Owner", "type": "Owner", "versions": "1+", "taggedVersions": "1+", "tag": 3, "fields": [
      { "name": "Id", "type": "int8", "versions": "1+" } ] },
    { "name": "Note", "type": "string", "versions": "1+", "taggedVersions": "1+", "tag": 4 }
] }"""

OTHER = OfOtherVersions(VersionRange(0, 0))
LARGE = TooLarge(2**28 - 1, 64 << 20)

TRUE: list[tuple[int, str, str, Reason]] = [
    (0, "message", "over-64KiB", TooSmall(8 + 2 + 32767 + 1)),
    (1, "older", "present", OTHER),
    (1, "newer", "data-127", NoSuchSize(127)),
    (1, "many", "data-128", NoSuchSize(128)),
    (1, "note", "data-128", NoSuchSize(128)),
    (1, "_tags", "below", NoFreeTag(0, -1)),
    (1, "_tags", "between", NoFreeTag(1, 3)),
    (1, "note", "prefix-5", LARGE),
]

FALSE: list[tuple[int, str, str, Reason]] = [
    (1, "message", "over-64KiB", TooSmall(100)),
    (0, "text", "length-32767", TooSmall(100)),
    (0, "newer", "present", OfOtherVersions(VersionRange(0, 1))),
    (1, "number", "present", OTHER),
    (1, "nowhere.at.all", "present", OTHER),
    (1, "note", "data-127", NoSuchSize(127)),
    (1, "newer", "data-1", NoSuchSize(1)),
    (1, "newer", "data-2", NoSuchSize(3)),
    (1, "many", "data-129", NoSuchSize(129)),
    (1, "names", "data-128", NoSuchSize(128)),
    (1, "owner", "data-127", NoSuchSize(127)),
    (1, "number", "data-127", NoSuchSize(127)),
    (1, "_tags", "above", NoFreeTag(5, 2**31 - 2)),
    (1, "_tags", "below", NoFreeTag(0, 3)),
    (1, "note", "between", NoFreeTag(1, 3)),
    (1, "note", "length-16384", LARGE),
    (1, "note", "length-16384", TooLarge(16384, 512)),
    (1, "note", "nul", LARGE),
    (1, "number", "max", AlwaysInFrame(0)),
    (1, "number", "max", NoBatch(0)),
]


def layout(version: int) -> MessageLayout:
    return kitchen_sink.layout(version, TEXT)


@pytest.mark.parametrize(("version", "path", "name", "reason"), TRUE)
def test_a_true_reason_holds(version: int, path: str, name: str, reason: Reason) -> None:
    """The coverage model gives the reason, and the second method agrees."""
    of = coverage_model(layout(version))
    points = {str(point): bit for bit, point in enumerate(of.points)}
    if name != "prefix-5":  # texts have no such class
        assert str(of.unreachable[points[f"{path}/{name}"]]) == str(reason)
    assert disproof(layout(version), None, path, name, reason) == ""


@pytest.mark.parametrize(("version", "path", "name", "reason"), FALSE)
def test_a_false_reason_is_detected(version: int, path: str, name: str, reason: Reason) -> None:
    """A sentence names the value, field, number or size that contradicts the reason."""
    assert disproof(layout(version), None, path, name, reason)


def test_tags_of_other_versions_are_taken() -> None:
    """A number that only another version defines is not free."""
    newer = '"name": "Newer", "type": "int8", "versions": "1+", "taggedVersions": "1+"'
    assert newer in TEXT
    earlier = kitchen_sink.layout(1, TEXT.replace(newer, newer.replace("1+", "2+")).replace('"0-1"', '"0-2"'))
    assert [field.tag for field in earlier.root.tagged] == [1, 2, 3, 4]
    assert disproof(earlier, None, "_tags", "below", NoFreeTag(0, 0)) == ""
    assert disproof(earlier, None, "_tags", "between", NoFreeTag(1, 3))


@pytest.mark.parametrize(
    ("path", "name", "number", "holds"),
    [
        ("requestApiKey", "max", 1, True),
        ("requestApiKey", "1", 1, False),
        ("requestApiKey", "max", 2, False),
        ("requestApiVersion", "over-int8", 12, True),
        ("requestApiVersion", "0", 12, True),
        ("correlationId", "max", 0, False),
    ],
)
def test_a_frame_names_its_message(path: str, name: str, number: int, holds: bool) -> None:
    """Key and version are fixed in a frame of FetchRequest 12, all other fields vary."""
    header = real_layouts.real("RequestHeader", 2)
    frame = {"requestApiKey": 1, "requestApiVersion": 12}
    found = disproof(header, frame, f"header.{path}", name, AlwaysInFrame(number))
    assert (found == "") is holds


def test_every_reason_of_a_header_holds() -> None:
    """This holds for all header versions, before requests of any key and version."""
    for header in (real_layouts.real("RequestHeader", 1), real_layouts.real("ResponseHeader", 1)):
        for version in (0, 1, 200):
            of = frame_coverage_model(header, 1, version)
            assert [of.disproof(bit) for bit in of.unreachable] == [""] * len(of.unreachable)


def test_every_reason_of_record_sets_holds() -> None:
    """Old magics have no zstd, and a set without a batch counts as magic 2."""
    for magic in (0, 1):
        of = record_coverage_model(magic)
        said = {str(of.points[bit]): of.disproof(bit) for bit in of.unreachable}
        assert said == {"batches/count-0": "", "batches[zstd]/any": ""}
    assert not record_coverage_model(2).unreachable


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("batches[zstd]", NoSuchCompression(2)),
        ("batches[gzip]", NoSuchCompression(0)),
        ("batches", NoBatch(2)),
        ("tail", NoBatch(0)),
        ("batches", LARGE),
    ],
)
def test_a_false_reason_of_record_sets_is_detected(path: str, reason: Reason) -> None:
    """A class of a set that can be encoded is reachable."""
    assert record_disproof(path, reason)
