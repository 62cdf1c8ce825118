"""The causes of a run: the deviations of its cells, each one thing to fix in the codec's source."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from wireproof.base.text.wording import ranges_text
from wireproof.model.cell import CaseId, Cell, Phase
from wireproof.model.divergence import without_indices
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.deviations.deviation_words import deviation_sentence, listed
from wireproof.proof.deviations.search.cell_diagnosis import CellCause, CellDiagnosis
from wireproof.verdict.ledger.known_causes import cause_id
from wireproof.verdict.report.findings import CauseFinding

_NAMED: Final = 2
"""Messages and fields of a cause that are named."""


@dataclass(slots=True)
class Cause:
    """One deviation of the codec, with all that it predicts.

    Attributes:
        key: the same for the same cause in every run.
        deviation: with the types, the fields and the messages that showed it.
        predicted: the number of failed cases that it predicts, alone or with others.
        shortest: the exchange that showed it with the fewest bytes.
        ordinary: whether a right value, or Kafka's own bytes, showed it.
        divergences: the check, the field and the kind of the failures.
        cells: the cells that showed it.
        phases: the phases of the shortest case of each cell.
        id: its name for ``wireproof run --cause``; a ledger that accepts it uses the same id.
    """

    key: tuple[str, ...]
    deviation: Deviation
    predicted: int
    shortest: CellCause
    ordinary: bool
    divergences: set[tuple[str, ...]] = field(default_factory=set)
    cells: set[Cell] = field(default_factory=set)
    phases: set[Phase] = field(default_factory=set)
    id: str = ""

    @property
    def sentence(self) -> str:
        """The sentence that says what the codec does."""
        return deviation_sentence(self.deviation)

    @property
    def message(self) -> str:
        """The message of the shortest case."""
        return CaseId.parse(self.shortest.case_id).cell.message

    @property
    def places(self) -> tuple[tuple[str, str], ...]:
        """Each message with its versions, that of the shortest case first: ``("FetchRequest", "4-11")``."""
        found = self._versions
        order = sorted(found, key=lambda name: (name != self.message, name))
        return tuple((name, ranges_text(found[name])) for name in order)

    @property
    def where(self) -> str:
        """The places in short: ``FetchRequest 4-11 and 2 more messages (field topics[].name)``."""
        places = listed([" ".join(place) for place in self.places], "message", _NAMED)
        fields = sorted(self.deviation.fields) if self.deviation.trigger != "value" else []
        if self.deviation.trigger == "absent" and not fields:  # the sentence says "a field"
            fields = sorted({path for _, path, _ in self.divergences if path})
        noun = "field" if len(fields) == 1 else "fields"
        return f"{places} ({noun} {listed(fields, 'field', _NAMED)})" if fields else places

    @property
    def kafka(self) -> str:
        """The words for what Kafka does at the trigger."""
        return self.deviation.row.kafka

    @property
    def _versions(self) -> dict[str, set[int]]:
        found: dict[str, set[int]] = {}
        for cell in self.cells:
            found.setdefault(cell.message, set()).add(cell.version)
        return found


class Causes:
    """Merges the causes of cells: one deviation is one cause, wherever it shows.

    Attributes:
        taken: ids of the run's ledger, which no cause gets.
        failed: the number of failed cases; no cause predicts `rest` of them.
        exhausted: cells in which the search for causes reached its bound.
        errors: errors that ended a search, with the number of cells.
        flaky: by cell, a question that the codec answers in two ways, and both answers.
        constant: by cell, the one answer of the codec to all questions.
        stale: by cell, a question that the codec answers like the question before, and that answer.
    """

    def __init__(self) -> None:
        self.taken: frozenset[str] = frozenset()
        self._by_key: dict[tuple[object, ...], Cause] = {}
        self._left: dict[tuple[str, ...], set[Cell]] = {}
        self._predicted: dict[tuple[str, ...], set[Cell]] = {}
        self.failed = 0
        self.rest = 0
        self.exhausted = 0
        self.errors: Counter[str] = Counter()
        self.flaky: dict[Cell, tuple[str, ...]] = {}
        self.constant: dict[Cell, str] = {}
        self.stale: dict[Cell, tuple[str, ...]] = {}

    def add(self, cell: Cell, diagnosis: CellDiagnosis) -> None:
        self.failed += diagnosis.failed
        self.rest += diagnosis.rest
        self.exhausted += diagnosis.exhausted and not diagnosis.error
        self.errors.update([diagnosis.error] if diagnosis.error else [])
        if diagnosis.two_answers:
            self.flaky[cell] = diagnosis.two_answers
        if diagnosis.constant:
            self.constant[cell] = diagnosis.constant
        if diagnosis.stale:
            self.stale[cell] = diagnosis.stale
        for key, _ in diagnosis.rest_causes:
            self._left.setdefault((cell.message, *key), set()).add(cell)
        for cause in diagnosis.causes:
            self._add(cell, cause)
            for key in cause.divergences:
                self._predicted.setdefault((cell.message, *key), set()).add(cell)

    def _add(self, cell: Cell, cause: CellCause) -> None:
        deviation = cause.deviation.shown_in(cell.message, cell.version)
        key = deviation.mistake(cell.message)
        phase = CaseId.parse(cause.case_id).phase
        ordinary = phase is not Phase.MUTATIONS
        known = self._by_key.get(key)
        if known is None:
            words = tuple(map(str, key))
            known = self._by_key[key] = Cause(words, deviation, cause.predicted, cause, ordinary)
        else:
            known.predicted += cause.predicted
            known.ordinary = known.ordinary or ordinary
            if cause.size < known.shortest.size:
                known.shortest = cause
            known.deviation = known.deviation.joined(deviation)
        known.divergences |= cause.divergences
        known.cells.add(cell)
        known.phases.add(phase)

    def __len__(self) -> int:
        return len(self._by_key)

    def ranked(self) -> list[Cause]:
        """Return the causes with ids. Causes that right messages show come first."""
        ranked = sorted(
            self._by_key.values(), key=lambda each: (not each.ordinary, -each.predicted, each.sentence)
        )
        taken = set(self.taken)
        for each in ranked:
            each.id = cause_id(each.deviation, taken)
            taken.add(each.id)
        return ranked

    def predicts(self, finding: CauseFinding) -> bool:
        """Test if the causes predict every case of a finding."""
        divergence = finding.first.divergences[0]
        path = without_indices(divergence.path)
        key = finding.message, str(divergence.check), path, divergence.kind
        left, predicted = self._left.get(key, set()), self._predicted.get(key, set())
        return not left & finding.cells and finding.cells <= predicted

    def unpredicted(self, findings: Iterable[CauseFinding]) -> Sequence[CauseFinding]:
        """Return the findings of which no cause predicts every case."""
        return [each for each in findings if not self.predicts(each)]
