"""Layouts as Hypothesis strategies: beside `_hypothesis_records` the only module that imports Hypothesis."""

from hypothesis import strategies as st

from kafkawire.schema.layout import MessageLayout
from kafkawire.values import StructValue
from wireproof.strategies._drawing import InstancePlan

__all__ = ["from_layout"]


def from_layout(
    layout: MessageLayout, *, unknown_tags: bool = True, max_elements: int = 3, large: bool = True
) -> st.SearchStrategy[StructValue]:
    """Valid instances of a message at one version, shrinking to the empty one.

    Every boundary value that `scenarios` enumerates is drawn too, in combinations, besides free values.
    Fields at their default are mostly left out. One choice an instance, whatever its size.

    Args:
        unknown_tags: whether flexible structs may hold unknown tagged fields.
        max_elements: the most elements in an array of structs, at least 1; arrays of 126 to 128
            elements, most of them at default, are drawn besides.
        large: whether one instance in a hundred is brought to 64 KiB, or to 1 MiB where the message
            has a field that can hold it.

    Parts of an instance are shared with others: a test must not change what it is given.
    """
    if max_elements < 1:
        raise ValueError(f"max_elements must be at least 1, not {max_elements}")
    plan = InstancePlan(layout, unknown_tags=unknown_tags, max_elements=max_elements, large=large)
    return st.binary(min_size=plan.tape_bytes, max_size=plan.tape_bytes).map(plan.build)
