"""Cases of other versions and of future releases."""

import pytest

from kafkawire.compiler import interpret_layout
from kafkawire.errors import DecodeError, EncodeError, Fault
from kafkawire.schema import MessageLayout, absences, compare_layouts, resolve
from kafkawire.schema.comparison import Effect
from kafkawire.values import TAGS
from tests.support.environments import small_environment
from tests.support.schemas.real_layouts import all_layouts, real
from wireproof.proof.strategies.cases.absent_fields import absent_cases
from wireproof.proof.strategies.cases.future_tags import grow, grown_cases, reserved_tag_cases

LAYOUTS = [
    real("FetchRequest", 4),
    real("FetchRequest", 12),
    real("FetchRequest", 17),
    real("ApiVersionsResponse", 4),
    real("BrokerHeartbeatRequest", 0),
    real("ConsumerGroupMemberMetadataValue", 0),
    real("StreamsGroupHeartbeatRequest", 0),
]

PING = [resolve(small_environment.schemas().find("PingRequest")[1], version) for version in range(4)]


def test_each_absent_field_is_set() -> None:
    """Each absent field is set off its default and at it; a field that is not ignorable is refused."""
    cases = {case.name: (case.value, case.refused_at) for case in absent_cases(PING[0])}
    assert cases == {
        "hops/off-default": ({"hops": [0]}, ""),
        "hops/at-default": ({"hops": []}, ""),
        "note/off-default": ({"note": "x"}, "note"),
        "note/at-default": ({"note": ""}, ""),
    }


def test_every_absent_field_has_a_case() -> None:
    """A case sets each field that a layout of 4.4.0 lacks, and our codec ignores or refuses it as the case
    says."""
    for layout in all_layouts():
        assert _tried(layout) == {absence.path for absence in absences(layout)}


def _tried(layout: MessageLayout) -> set[str]:
    codec, tried = interpret_layout(layout), set()
    for case in absent_cases(layout):
        tried.add(case.name.rpartition("/")[0])
        if case.refused_at:
            with pytest.raises(EncodeError) as refused:
                codec.encode(case.value)
            assert refused.value.fault is Fault.NOT_IN_VERSION
        else:
            assert codec.decode(codec.encode(case.value)).keys() <= {
                *(field.name for field in layout.root.all_fields)
            }
    return tried


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: f"{layout.name}-{layout.version}")
def test_a_grown_layout_differs_by_tagged_fields(layout: MessageLayout) -> None:
    """Each flexible struct has one more tagged field; without tag sections the layout is not grown."""
    grown = grow(layout)
    if grown is None:
        assert not layout.flexible
        return
    changes = compare_layouts(layout, grown)
    assert {change.effect for change in changes} == {Effect.TAGGED}
    codec, older = interpret_layout(grown), interpret_layout(layout)
    unknown = 0
    for _, value in grown_cases(grown):
        body = codec.encode(value)
        read = older.decode(body)
        unknown += TAGS in repr(read)
        assert older.encode(read) == body
    assert unknown > 1


def test_reserved_tags_are_refused() -> None:
    """Tags of other versions are reserved: their bytes are refused for that reason."""
    names = []
    for layout in LAYOUTS:
        for name, carrier, value in reserved_tag_cases(layout):
            names.append(name)
            with pytest.raises(DecodeError) as refused:
                interpret_layout(layout).decode(interpret_layout(carrier).encode(value))
            assert refused.value.fault is Fault.TAG_VERSION
    assert "_tags/reserved-1" in names
