"""Cells with the same layout in several releases: the codec is asked for the first of them alone.

A judgement is a pure function of the questions and the answers, and the codec's answers depend on the layout.
So if another release has the same layout, and its classes answer the same questions with the same bytes and
values, the judgement would be the same. The classes of every release are asked all questions. If they answer
otherwise, or the first cell was not proven whole, nothing is reused.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from kafkawire.schema import MessageLayout, StructLayout, VersionRange
from wireproof.model.malformed_input import Answer
from wireproof.proof.config.selection import MutationSet
from wireproof.proof.run.core.prepared_cases import MutatedCase, ProvenBatch


@dataclass(frozen=True, slots=True)
class ProvenLayout:
    """The proof of a layout with one release; it holds for another release whose classes answer alike.

    Attributes:
        batches: the batches, each with the classes of values that it was the first to meet.
        refused: the classes that refused values met; only the codec is asked for these, in any release.
    """

    batches: Sequence[tuple[ProvenBatch, int]]
    refused: int


@dataclass(slots=True)
class SharedLayoutMemory:
    """The proof of the latest layout; older ones are dropped, so memory stays that of one cell."""

    _layout: MessageLayout | None = None
    _proven: ProvenLayout | None = None

    def recall(self, layout: MessageLayout) -> ProvenLayout | None:
        """The proof of a layout with the same bytes and cases; None if it is not the latest."""
        return self._proven if self._layout == without_versions(layout) else None

    def keep(self, layout: MessageLayout, proven: ProvenLayout) -> None:
        """Remember a layout that was proven whole, in place of the one before."""
        self._layout, self._proven = without_versions(layout), proven

    def forget(self) -> None:
        """Drop the latest layout, before another one takes up memory."""
        self._layout, self._proven = None, None


@dataclass(slots=True)
class MutationMemory:
    """The mutations of the latest layout, with the answers of each codec."""

    _key: tuple[MessageLayout, MutationSet] | None = None
    _held: tuple[Sequence[MutatedCase], list[Sequence[Answer]]] | None = field(default=None)

    def recall(
        self, layout: MessageLayout, which: MutationSet
    ) -> tuple[Sequence[MutatedCase], list[Sequence[Answer]]] | None:
        """The mutations and answers of a layout with the same bytes; None if another was the latest."""
        return self._held if self._key == (without_versions(layout), which) else None

    def keep(
        self,
        layout: MessageLayout,
        which: MutationSet,
        mutated: Sequence[MutatedCase],
        answers: list[Sequence[Answer]],
    ) -> None:
        """Keep the mutations of this layout, in place of those of the layout before."""
        self._key, self._held = (without_versions(layout), which), (mutated, answers)


def without_versions(layout: MessageLayout) -> MessageLayout:
    """The layout without its version ranges and API key: these differ between releases and change no byte."""
    return replace(layout, versions=VersionRange.NONE, api_key=None, root=_bare_struct(layout.root))


def _bare_struct(struct: StructLayout) -> StructLayout:
    fields, tagged = (
        tuple(
            replace(
                each,
                versions=VersionRange.NONE,
                entity_type="",
                struct=None if each.struct is None else _bare_struct(each.struct),
            )
            for each in group
        )
        for group in (struct.fields, struct.tagged)
    )
    absent = tuple(
        replace(
            each,
            versions=VersionRange.NONE,
            struct=None if each.struct is None else _bare_struct(each.struct),
        )
        for each in struct.absent
    )
    return replace(struct, fields=fields, tagged=tagged, absent=absent)
