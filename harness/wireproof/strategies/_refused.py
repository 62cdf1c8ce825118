"""Values that a version cannot hold: each must be refused, whole."""

from collections.abc import Iterator

from kafkawire.schema.layout import MessageLayout
from wireproof.strategies._instances import off_default_absent
from wireproof.strategies._places import places
from wireproof.strategies._scenarios import Scenario

__all__ = ["refused_values"]


def refused_values(layout: MessageLayout) -> Iterator[Scenario]:
    """Each field that this version lacks and may not ignore, off its default."""
    for place in places(layout):
        for absent in place.struct.absent:
            value = None if absent.ignorable else off_default_absent(absent)
            if value is not None:
                path = place.inside(absent.name)
                yield Scenario(f"{path}/refused", path, place.instance({absent.name: value}))
