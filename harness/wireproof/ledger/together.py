"""The ledgers of several codecs, each asked about its own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from wireproof.ledger.ledger import Ledger
from wireproof.model import Cell, Divergence

__all__ = ["Together"]


@dataclass(frozen=True, slots=True)
class Together:
    """What several codecs are known for, where they are under test side by side.

    Attributes:
        ledgers: by the name that a codec bears in the run: its ledger, and the name that it has there.
    """

    ledgers: Mapping[str, tuple[Ledger, str]]

    def explain(self, cell: Cell, divergences: Sequence[Divergence]) -> tuple[Divergence, ...]:
        """The divergences of a case, each with the entry that explains it, as ``NAME/ID``."""
        told = list(divergences)
        for name in {each.subject for each in divergences} & self.ledgers.keys():
            ledger, subject = self.ledgers[name]
            places = [index for index, each in enumerate(divergences) if each.subject == name]
            own = [replace(divergences[index], subject=subject) for index in places]
            for index, found in zip(places, ledger.explain(cell, own), strict=True):
                entry = f"{name}/{found.entry}" if found.entry else ""
                told[index] = replace(found, subject=name, entry=entry)
        return tuple(told)
