"""Fields that bear another name in the release that a testee takes its names from.

Names do not stand on the wire, and Kafka changes them now and then. A testee says which release its names are
of; values are renamed on their way, both ways, by the position of their fields.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kafkawire.schema.layout import FieldLayout, StructLayout

__all__ = ["Renaming", "renaming"]


@dataclass(frozen=True, slots=True)
class Renaming:
    """Of one struct: old name to new name, and what is renamed within each field, by its old name."""

    names: Mapping[str, str]
    within: Mapping[str, "Renaming"] = field(default_factory=dict)

    def apply(self, tree: Any) -> Any:
        """The value with the new names; whatever is no struct is left alone."""
        if isinstance(tree, list):
            return [self.apply(each) for each in tree]
        if not isinstance(tree, Mapping):
            return tree
        return {
            self.names.get(name, name): self.within[name].apply(item) if name in self.within else item
            for name, item in tree.items()
        }


def renaming(old: StructLayout, new: StructLayout) -> Renaming | None:
    """What has to be renamed; None where nothing has, or the two differ in more than names."""
    pairs = [*_pairs(old, new)]
    if len(pairs) != len(old.all_fields) or len(pairs) != len(new.all_fields):
        return None
    names = {one.name: other.name for one, other in pairs if one.name != other.name}
    within = {}
    for one, other in pairs:
        inner = None if one.struct is None or other.struct is None else renaming(one.struct, other.struct)
        if inner is not None:
            within[one.name] = inner
    return Renaming(names, within) if names or within else None


def _pairs(old: StructLayout, new: StructLayout) -> list[tuple[FieldLayout, FieldLayout]]:
    """The fields that stand at the same place, or under the same tag, and are written alike."""
    tagged = {each.tag: each for each in new.tagged}
    pairs = [*zip(old.fields, new.fields, strict=False)]
    pairs += [(each, tagged[each.tag]) for each in old.tagged if each.tag in tagged]
    return [(one, other) for one, other in pairs if _kind(one) == _kind(other)]


def _kind(each: FieldLayout) -> object:
    return each.is_array, each.scalar, each.struct is None
