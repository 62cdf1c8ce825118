"""The observers of codecs that are compared, and the known causes that predict their deviations."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from wireproof.model.cell import Cell
from wireproof.model.divergence import Divergence, without_indices
from wireproof.proof.deviations.search.cell_diagnosis import KnownCause
from wireproof.proof.deviations.search.observing import AnswerObserver
from wireproof.proof.deviations.search.other_forms import Ask


class SideObservers:
    """Observes codecs that are compared with each other, and changes no answer. It searches for no cause."""

    used: Mapping[str, int] = {}
    contradicted: Mapping[str, str] = {}

    def __init__(self, names: Sequence[str]) -> None:
        self._observers = {name: AnswerObserver() for name in names}

    def of(self, name: str) -> AnswerObserver:
        """Return the observer of one codec."""
        return self._observers[name]

    def begin(self, cell: Cell, known: Sequence[KnownCause], *, sets: bool = False) -> None:
        """Begin a cell: each observer gets the known causes of its codec; `sets` is as `AnswerObserver.begin`
        takes it."""
        for name, observer in self._observers.items():
            own = [each for each in known if each.subject == name]
            observer.begin(cell, own, settles=False, sets=sets)

    def explained(
        self, divergences: tuple[Divergence, ...], value: Any, data: bytes | None
    ) -> tuple[Divergence, ...]:
        """Return the divergences of a case, each with the known cause that explains it, as ``NAME/ID``."""
        left = [each for each in divergences if not (each.excused or each.unsupported)]
        ids: dict[str, str] = {}
        for name in {each.subject for each in left} & self._observers.keys():
            keys = frozenset(
                (str(each.check), without_indices(each.path), each.kind)
                for each in left
                if each.subject == name
            )
            ids[name] = self._observers[name].explanation(keys, value, data)
        return tuple(
            replace(each, entry=f"{each.subject}/{ids[each.subject]}", near="")
            if each in left and ids.get(each.subject)
            else each
            for each in divergences
        )

    def excused(self, value: Any) -> bool:
        """Return False: no answer was replaced."""
        return False

    def excused_bytes(self, data: bytes) -> bool:
        """Return False: no answer was replaced."""
        return False

    def failed(self, case_id: str, keys: frozenset[tuple[str, ...]], value: Any, data: bytes | None) -> None:
        """Leave a failed case to the findings."""

    def finish(self, ask: Ask) -> None:
        """Return no diagnosis."""
