"""The diagnosis of Kafka's own messages: wrong layouts, versions and fields that are planted come out."""

from dataclasses import replace

import pytest

from kafkawire.bundled import layout as bundled_layout
from tests.support.codecs.planted_deviations import (
    READ,
    WRITE,
    asked_of,
    assert_all_predicted,
    operators,
    planted,
    searched,
    small_asked,
)
from wireproof.model.adapter import NO_VALUE, Crashed, Decode, Encode, Refused
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.deviations.prediction import CodecExchange, Model, right_reply
from wireproof.proof.deviations.wrong_layouts import inflexible


def test_two_versions_of_a_message_can_crash_each_with_its_error() -> None:
    """A cell asks for other versions of its message, too."""
    codec = [
        Deviation(READ, "message", "crash", f"Error{version}", scope={"SmallRequest": frozenset({version})})
        for version in (1, 2)
    ]
    asked = [pair for version in (1, 2) for pair in small_asked("SmallRequest", version)]
    found, differing = searched(planted(*codec), asked)
    assert sorted(found.found, key=repr) == sorted(codec, key=repr)
    assert_all_predicted(found, differing)


def test_a_message_that_is_read_as_inflexible_has_a_header_that_is_not() -> None:
    """The header is another message; its right answers do not contradict what the body shows."""
    codec = [Deviation(each, "message", "inflexible") for each in (READ, WRITE)]
    of_header = CodecExchange(bundled_layout("ResponseHeader", 1), None, Decode(bytes(5)), Refused("", ""))
    right = right_reply(of_header)
    answer = planted(*codec)
    found, differing = searched(
        lambda each: right if each.request == of_header.request else answer(each),
        [*asked_of(bundled_layout("DescribeAclsResponse", 2), 11), (of_header, right)],
    )
    assert operators(found.found) == operators(codec)
    assert_all_predicted(found, differing)


@pytest.mark.parametrize(("name", "version"), [("MetadataRequest", 8), ("FetchResponse", 11)])
def test_a_message_that_is_flexible_a_version_too_early(name: str, version: int) -> None:
    """Both directions of the version have tag sections and compact lengths."""
    codec = [Deviation(each, "message", "flexible") for each in (READ, WRITE)]
    found, differing = searched(planted(*codec), asked_of(bundled_layout(name, version), 11))
    assert operators(found.found) == operators(codec)
    assert_all_predicted(found, differing)


def test_a_message_that_is_written_as_inflexible_has_no_unknown_tags() -> None:
    """Its layout has no section for them: that is not a second cause."""
    of_version = bundled_layout("DescribeAclsResponse", 2)
    asked = CodecExchange(of_version, None, Encode({"_tags": {5: b"x"}}), Refused("", ""))
    prediction = Model([Deviation(WRITE, "message", "inflexible")]).predict(asked)
    assert prediction.reply == right_reply(replace(asked, layout=inflexible(of_version), request=Encode({})))
    assert {each.trigger for each in prediction.deviations} == {"message"}


@pytest.mark.parametrize("action", ["first-alone", "last-alone", "last-lost"])
def test_a_reader_that_loses_elements_of_arrays_in_arrays_is_one_cause(action: str) -> None:
    """The outer array differs in its elements, too, and two equal elements do not say which one is kept."""
    codec = planted(Deviation(READ, "value", action, types=frozenset({"compact array"})))
    found, _ = searched(codec, asked_of(bundled_layout("ConsumerGroupHeartbeatResponse", 1), 3))
    assert [(each.action, each.fields) for each in found.found] == [(action, frozenset())]


@pytest.mark.parametrize(
    ("version", "path", "kind", "after"),
    [
        (8, "topics[].partitions[].currentLeaderEpoch", "int32", "partition"),
        (10, "rackId", "string", "forgottenTopicsData"),
        (13, "topics[].topic", "compact string", ""),
        (15, "replicaId", "int32", ""),
    ],
)
def test_a_field_that_begins_too_early_or_ends_too_late(
    version: int, path: str, kind: str, after: str
) -> None:
    """All answers of the version are predicted, and no type of a field or array is blamed."""
    types, fields = frozenset({kind}), frozenset({path})
    codec = [
        Deviation(each, "added", "after", value=after, types=types, fields=fields) for each in (READ, WRITE)
    ]
    found, differing = searched(planted(*codec), asked_of(bundled_layout("FetchRequest", version), 5))
    assert {(each.direction, each.trigger, each.value) for each in found.found} == {
        (each, "added", after) for each in (READ, WRITE)
    }
    assert_all_predicted(found, differing)


def test_a_number_that_is_read_as_a_bool_is_no_value_of_its_field() -> None:
    """The reply names the field, so that other ways to make a wrong value are not causes."""
    field = frozenset({"isolationLevel"})
    codec = [Deviation(each, "layout", "bool", fields=field) for each in (READ, WRITE)]
    found, differing = searched(planted(*codec), asked_of(bundled_layout("FetchRequest", 5), 7))
    assert any(isinstance(each.reply, Crashed) and each.reply.error == NO_VALUE for each in differing)
    assert operators(found.found) == operators(codec)


def test_a_tagged_struct_that_is_refused_and_left_at_its_default_is_two_deviations() -> None:
    """Kafka reads unknown tagged fields in it: nothing but the default says that the codec refuses them."""
    inside = frozenset({"supportedFeatures[]._tags"})
    codec = Deviation(READ, "tagged", "default"), Deviation(READ, "unknown-tag", "refuse", fields=inside)
    asked = asked_of(bundled_layout("ApiVersionsResponse", 4), 17, Decode)
    found, differing = searched(planted(*codec), asked)
    assert operators(found.found) == operators(codec)
    assert_all_predicted(found, differing)


def test_a_tagged_field_that_is_written_in_versions_that_lack_it() -> None:
    """The struct of the codec has the field in all versions, and Kafka drops or refuses it."""
    deviation = Deviation(WRITE, "tag-of-other-version", "write")
    found, differing = searched(planted(deviation), asked_of(bundled_layout("FetchRequest", 12), 1, Encode))
    assert operators(found.found) == operators([deviation])
    assert_all_predicted(found, differing)
