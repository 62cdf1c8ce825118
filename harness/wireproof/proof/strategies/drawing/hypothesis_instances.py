"""Layouts as Hypothesis strategies: beside `_hypothesis_records` the only module that imports Hypothesis."""

from typing import Final

from hypothesis import strategies as st

from kafkawire.schema.layout import MessageLayout
from kafkawire.values import StructValue
from wireproof.proof.strategies.drawing.instance_plan import InstancePlan

_GROUP: Final = 10
"""Instances in a group."""
_GROUP_BYTES: Final = 4096
"""Bytes that a group draws at most: half of what Hypothesis allows an example."""


def from_layout(
    layout: MessageLayout, *, unknown_tags: bool = True, max_elements: int = 3, large: bool = True
) -> st.SearchStrategy[StructValue]:
    """Valid instances of a message at one version, shrinking to the empty one.

    It also draws every boundary value that `scenarios` enumerates, in combinations with free values. Fields
    at their defaults are mostly left out. An instance of any size is one choice.

    Args:
        unknown_tags: whether flexible structs may hold unknown tagged fields.
        max_elements: the most elements in an array of structs, at least 1; a few arrays have 126 to 128
            elements, most of them at their defaults.
        large: whether one instance in a hundred gets 64 KiB, or 1 MiB if the message has a field that can
            hold it.

    Instances share parts: a test must not change them.
    """
    if max_elements < 1:
        raise ValueError(f"max_elements must be at least 1, not {max_elements}")
    plan = InstancePlan(layout, unknown_tags=unknown_tags, max_elements=max_elements, large=large)
    return st.binary(min_size=plan.tape_bytes, max_size=plan.tape_bytes).map(plan.build)


def instance_groups(layout: MessageLayout) -> tuple[st.SearchStrategy[list[StructValue]], int]:
    """Return a strategy for several instances of `from_layout` in one example, and their number.

    Hypothesis spends some 100 microseconds on each example in addition to drawing it, which is more than the
    judgement of a small instance. A group is one choice: Hypothesis would copy one of several to another.
    """
    plan = InstancePlan(layout)
    length = plan.tape_bytes
    size = max(1, min(_GROUP, _GROUP_BYTES // max(length, 1)))

    def build(tapes: bytes) -> list[StructValue]:
        count = size if any(tapes) else 1  # the simplest group is the empty instance alone
        return [plan.build(tapes[index * length : (index + 1) * length]) for index in range(count)]

    return st.binary(min_size=size * length, max_size=size * length).map(build), size
