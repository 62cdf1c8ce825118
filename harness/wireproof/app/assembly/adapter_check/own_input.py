"""The questions of ``wireproof testee check`` that show if an adapter answers from its own input."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from kafkawire.compiler import compile_layout
from kafkawire.schema.layout import MessageLayout
from wireproof.model import Cell, Decode, Encode, Reply, Request
from wireproof.proof.adapters.testee import TesteeAdapter
from wireproof.proof.adapters.testee.testee_adapter import UNCLAIMED
from wireproof.proof.checks.state.echoed_input import EncodedForms, judge_order, judge_own_input, questions
from wireproof.proof.run import Layouts
from wireproof.proof.strategies.layout_source import LayoutSource

__all__ = ["InputSurvey"]

_SOURCE: Final = LayoutSource(lambda cell: "")

Replies = Mapping[tuple[str, type], Reply]


@dataclass(slots=True)
class InputSurvey:
    """Answers that a library cannot have given.

    Attributes:
        warnings: by their text, with the cells.
    """

    warnings: dict[str, list[str]] = field(default_factory=dict)
    _before: dict[Cell, Replies] = field(default_factory=dict)

    def ask(self, adapter: TesteeAdapter, layouts: Layouts, cell: Cell) -> None:
        """Ask about the cell of a message."""
        layout = layouts.of(cell)
        forms = _forms(layout)
        replies = _replies(adapter, cell, layout, list(questions(forms)))
        self._warn(cell, judge_own_input(forms, replies))
        self._before[cell] = replies

    def ask_afresh(self, adapter: TesteeAdapter, layouts: Layouts) -> None:
        """Ask a new process the same, decoding before encoding, and compare the answers."""
        for cell, before in self._before.items():
            forms = _forms(layouts.of(cell))
            known: list[tuple[str, Request]] = [
                ("full", Decode(forms.full)),
                ("small", Decode(forms.small)),
                ("full", Encode(dict(forms.full_value))),
                ("small", Encode(dict(forms.small_value))),
            ]
            self._warn(cell, judge_order(before, _replies(adapter, cell, layouts.of(cell), known)))

    def _warn(self, cell: Cell, found: Iterable[str]) -> None:
        for words in dict.fromkeys(found):
            self.warnings.setdefault(words, []).append(cell.id)


def _forms(layout: MessageLayout) -> EncodedForms:
    """The default instance, and the fullest one without unknown tags."""
    values = dict(_SOURCE.whole(layout))
    full = values.get("message/fullest-known", values["message/fullest"])
    codec = compile_layout(layout)
    small = codec.encode({})
    # The default instance of a flexible version ends with its count of tags: 0, also as a longer varint.
    lax = small[:-1] + b"\x80\x00" if layout.flexible and small.endswith(b"\x00") else None
    return EncodedForms({}, small, full, codec.encode(full), lax)


def _replies(
    adapter: TesteeAdapter, cell: Cell, layout: MessageLayout, asked: list[tuple[str, Request]]
) -> Replies:
    replies = adapter.ask(cell, layout, [request for _, request in asked])
    return {
        (name, type(request)): reply
        for (name, request), reply in zip(asked, replies, strict=True)
        if reply is not UNCLAIMED
    }
