"""Fields that have another name in the release whose names a testee uses.

Names are not on the wire, and Kafka changes them now and then. A testee names the release of its names;
values are renamed in requests and in answers, by the positions of their fields.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from kafkawire.schema.layout import FieldLayout, MessageLayout, StructLayout

__all__ = ["LayoutLookup", "Renaming", "RenamingCache", "renaming"]

LayoutLookup: TypeAlias = Callable[[str, str, int], MessageLayout | None]
"""(release, message, version) -> layout."""

_MAX_LAYOUTS: Final = 64


@dataclass(frozen=True, slots=True)
class Renaming:
    """The new names of a struct's fields, and the renaming within each field, by the old name."""

    names: Mapping[str, str]
    within: Mapping[str, "Renaming"] = field(default_factory=dict)

    def apply(self, tree: Any) -> Any:
        """Return the value with the new names; values that are not structs stay."""
        if isinstance(tree, list):
            return [self.apply(each) for each in tree]
        if not isinstance(tree, Mapping):
            return tree
        return {
            self.names.get(name, name): self.within[name].apply(item) if name in self.within else item
            for name, item in tree.items()
        }


def renaming(old: StructLayout, new: StructLayout) -> Renaming | None:
    """Return the renaming from one struct to another; None if they do not differ, or not in names only."""
    pairs = [*_pairs(old, new)]
    if len(pairs) != len(old.all_fields) or len(pairs) != len(new.all_fields):
        return None
    names = {before.name: after.name for before, after in pairs if before.name != after.name}
    within = {}
    for before, after in pairs:
        inner = (
            None if before.struct is None or after.struct is None else renaming(before.struct, after.struct)
        )
        if inner is not None:
            within[before.name] = inner
    return Renaming(names, within) if names or within else None


class RenamingCache:
    """The renamings between the layouts of requests and those of the release whose names a testee uses.

    Args:
        layout_in: returns a message's layout in that release; None if the release lacks it.
    """

    def __init__(self, layout_in: LayoutLookup) -> None:
        self._layout_in = layout_in
        self._known: dict[MessageLayout, tuple[Renaming | None, Renaming | None]] = {}

    def both(self, release: str, layout: MessageLayout) -> tuple[Renaming | None, Renaming | None]:
        """Return the renaming to the names of the release, and the one back."""
        if layout not in self._known:
            if len(self._known) >= _MAX_LAYOUTS:
                self._known.clear()
            other = self._layout_in(release, layout.name, layout.version)
            self._known[layout] = (
                (None, None)
                if other is None
                else (renaming(layout.root, other.root), renaming(other.root, layout.root))
            )
        return self._known[layout]


def _pairs(old: StructLayout, new: StructLayout) -> list[tuple[FieldLayout, FieldLayout]]:
    """Return the fields that have the same position, or the same tag, and the same encoding."""
    tagged = {each.tag: each for each in new.tagged}
    pairs = [*zip(old.fields, new.fields, strict=False)]
    pairs += [(each, tagged[each.tag]) for each in old.tagged if each.tag in tagged]
    return [(before, after) for before, after in pairs if _kind(before) == _kind(after)]


def _kind(each: FieldLayout) -> object:
    return each.is_array, each.scalar, each.struct is None
