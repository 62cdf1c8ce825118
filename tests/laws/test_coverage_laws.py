"""Coverage over layouts of every shape: sizes are those of the codec, and what is out of reach is not met."""

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kafkawire.compiler import interpret_layout
from kafkawire.errors import DecodeError, EncodeError
from kafkawire.schema import MessageLayout
from tests.support.schemas.random_layouts import layouts, values
from wireproof.model.coverage.layout_model import PRINTED_AFTER, coverage_model
from wireproof.model.coverage.wire_sizes import StructWireSizer

LAW = settings(
    max_examples=150,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)


@st.composite
def encoded(draw: st.DrawFn) -> tuple[MessageLayout, dict[str, Any], bytes | None]:
    """A layout, a value of it and its bytes; None where an absent field refuses it."""
    layout = draw(layouts())
    value = draw(values(layout))
    try:
        return layout, value, interpret_layout(layout).encode(value)
    except EncodeError:
        return layout, value, None


@LAW
@given(encoded())
def test_sizes_are_those_of_the_wire(drawn: tuple[MessageLayout, dict[str, Any], bytes | None]) -> None:
    """The bytes of a value, worked out from the layout alone, are as many as the codec writes."""
    layout, value, data = drawn
    if data is not None:
        assert StructWireSizer(layout.root).value_bytes(value) == len(data)


@LAW
@given(encoded())
def test_nothing_out_of_reach_is_met(drawn: tuple[MessageLayout, dict[str, Any], bytes | None]) -> None:
    """No value meets a class that is said to be out of reach; every reason holds the other way round, too."""
    layout, value, data = drawn
    of = coverage_model(layout)
    if data is not None:
        assert of.names(of.look(value) & of.doubtful) == ()
    assert {of.disproof(bit) for bit in of.unreachable} <= {""}


@LAW
@given(encoded())
def test_what_is_wanted_is_found(drawn: tuple[MessageLayout, dict[str, Any], bytes | None]) -> None:
    """A look for some classes finds those of them that a look for all finds."""
    layout, value, _ = drawn
    of = coverage_model(layout)
    every = of.look(value)
    for wanted in (of.reachable, every, 0x5555 << 3, 1 << len(of.points) // 2):
        assert of.look(value, wanted) & wanted == every & wanted


@LAW
@given(encoded())
def test_the_generated_look_sees_what_the_nodes_see(
    drawn: tuple[MessageLayout, dict[str, Any], bytes | None],
) -> None:
    """Of a value with some keys, and of the same with all of them as it comes off the wire."""
    layout, value, data = drawn
    of = coverage_model(layout)
    for _ in range(PRINTED_AFTER):
        of.look({})
    every = (1 << len(of.points)) - 1
    assert of.look(value) == of.look(value, every)
    if data is None:
        return
    try:
        read = interpret_layout(layout).decode(data)
    except DecodeError:  # elements that take no bytes are written, but none can be read
        return
    assert of.look(read) == of.look(read, every)
