"""Cells with the same layout in several releases: the codec is asked for the first of them alone.

A judgement is a pure function of the questions and the answers, and the codec's answers depend on the layout.
So if another release has the same layout, and its classes answer the same questions with the same bytes and
values, the judgement would be the same. The classes of every release are asked all questions. If they answer
otherwise, or the first cell was not proven whole, nothing is reused.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeAlias, TypeVar

from kafkawire.schema import MessageLayout, StructLayout, VersionRange
from kafkawire.schema.layout import AbsentField, FieldLayout
from wireproof.model.malformed_input import Answer
from wireproof.proof.run.core.prepared_cases import MutatedCase, ProvenBatch

_Field = TypeVar("_Field", FieldLayout, AbsentField)
_T = TypeVar("_T")

Mutations: TypeAlias = tuple[Sequence[MutatedCase], list[Sequence[Answer]]]
"""The mutations of a layout, with the answers of each codec."""


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
class LayoutMemory(Generic[_T]):
    """Knowledge of the latest layout; older ones are dropped, so memory stays that of one cell."""

    _key: tuple[object, ...] | None = None
    _held: _T | None = None

    def recall(self, layout: MessageLayout, *options: object) -> _T | None:
        """Return what was kept of a layout with the same bytes and cases; None if it is not the latest."""
        return self._held if self._key == (without_versions(layout), *options) else None

    def keep(self, layout: MessageLayout, held: _T, *options: object) -> None:
        """Remember a layout, in place of the one before."""
        self._key, self._held = (without_versions(layout), *options), held

    def forget(self) -> None:
        """Drop the latest layout, before another one takes up memory."""
        self._key, self._held = None, None


def without_versions(layout: MessageLayout) -> MessageLayout:
    """The layout without its version ranges and API key: these differ between releases and change no byte."""
    return replace(layout, versions=VersionRange.NONE, api_key=None, root=_bare_struct(layout.root))


def _bare_struct(struct: StructLayout) -> StructLayout:
    return replace(
        struct,
        fields=tuple(_bare_field(each, entity_type="") for each in struct.fields),
        tagged=tuple(_bare_field(each, entity_type="") for each in struct.tagged),
        absent=tuple(map(_bare_field, struct.absent)),
    )


def _bare_field(field: _Field, **more: Any) -> _Field:
    inner = None if field.struct is None else _bare_struct(field.struct)
    return replace(field, versions=VersionRange.NONE, struct=inner, **more)
