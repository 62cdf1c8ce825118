"""Writing entries and evidence from the causes in event files."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Final

from wireproof.base.grouping import grouped
from wireproof.model.agreement import ObservedCause
from wireproof.model.cell import CaseId, Cell, Phase, part_of_module
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.deviations.deviation_words import deviation_sentence
from wireproof.proof.deviations.search.cell_diagnosis import CellCause
from wireproof.verdict.ledger.cause_groups import (
    by_subject,
    location_of,
    place_of,
    primitive_of,
    steady_and_random,
)
from wireproof.verdict.ledger.entry import (
    ANY_MESSAGE,
    NOT_THE_CODECS,
    Entry,
    ReasonKind,
    Symptom,
    free_id,
    generated_id,
    hangs,
)
from wireproof.verdict.ledger.evidence import Evidence
from wireproof.verdict.ledger.files.event_reading import CauseInCell, ObservedCauses
from wireproof.verdict.ledger.known_causes import (
    LedgerCause,
    beside,
    cause_id,
    is_same,
    merged_deviations,
    widened,
)
from wireproof.verdict.ledger.ledger import Ledger
from wireproof.verdict.ledger.repairs import Catalogue
from wireproof.verdict.ledger.spans import Extent, Releases, Versions

_MANY: Final = 3
"""The least number of messages with a primitive's cause for one entry about all messages."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The reason, owner and dates of accepted causes. An empty reason means the summary of each cause."""

    reason_kind: ReasonKind
    owner: str
    since: date
    expires: date
    reason: str = ""
    link: str = ""


@dataclass(slots=True)
class Acceptance:
    """The entries that `accept` makes or changes.

    Attributes:
        new: entries to add.
        causes: entries to add for deviations that predict the codec's answers.
        widened: existing entries with their new contents, by id.
        widened_causes: existing causes with their new contents, by id; some only get more exceptions.
        left: causes whose subject is not the codec: a ledger has no entries for them.
    """

    new: list[Entry] = field(default_factory=list)
    causes: list[LedgerCause] = field(default_factory=list)
    widened: dict[str, Entry] = field(default_factory=dict)
    left: list[CauseInCell] = field(default_factory=list)
    widened_causes: dict[str, LedgerCause] = field(default_factory=dict)

    @property
    def any(self) -> bool:
        """Return whether anything is to be written."""
        return bool(self.new or self.causes or self.widened or self.widened_causes)

    def applied(self, ledger: Ledger) -> Ledger:
        """Return a ledger with these entries and causes."""
        entries = (self.widened.get(each.id, each) for each in ledger.entries)
        causes = (self.widened_causes.get(each.id, each) for each in ledger.causes)
        return replace(ledger, entries=(*entries, *self.new), causes=(*causes, *self.causes))


def accept(
    ledger: Ledger,
    seen: ObservedCauses,
    terms: Terms,
    catalogue: Catalogue,
    *,
    wanted: Callable[[Cell, ObservedCause], bool] = lambda cell, cause: True,
    primitives: bool = False,
) -> Acceptance:
    """Make entries for the causes that no entry explains.

    If an entry for all messages is about such a cause, its evidence grows by the places that show it.

    Args:
        wanted: selects the causes to accept.
        primitives: allow one entry for all messages if several messages show a cause in a primitive.
    """
    return _Accepting(ledger, seen, terms, catalogue).all(wanted, primitives)


@dataclass(slots=True)
class _Accepting:
    ledger: Ledger
    seen: ObservedCauses
    terms: Terms
    catalogue: Catalogue
    result: Acceptance = field(default_factory=Acceptance)

    def all(self, wanted: Callable[[Cell, ObservedCause], bool], primitives: bool) -> Acceptance:
        met: list[CauseInCell] = []
        for cell, cause in (*self.seen.causes, *self._accept_deviations(wanted)):
            if not wanted(cell, cause) or self.ledger.explanation(Symptom.of_cause(cell, cause)):
                continue
            (self.result.left if cause.subject in NOT_THE_CODECS else met).append((cell, cause))
        left = self._primitives(met, primitives)
        for group in grouped((place_of(*each), each) for each in left).values():
            self._accept_group(group)
        self._note_tried()
        return self.result

    @property
    def _present(self) -> list[LedgerCause]:
        """The causes of the ledger that are about a codec of the run."""
        subjects = self._subjects
        return [each for each in self.ledger.causes if not subjects or each.known.concerns(*subjects)]

    @property
    def _subjects(self) -> list[str]:
        """The codecs that differ in the run, as they name themselves."""
        names = {each.subject for _, each in (*self.seen.causes, *self.seen.predicted)}
        return sorted(names - {*NOT_THE_CODECS})

    def _accept_deviations(self, wanted: Callable[[Cell, ObservedCause], bool]) -> list[CauseInCell]:
        """Accept each deviation that predicts a wanted cause.

        Returns:
            the predicted causes whose deviation contradicts another deviation in the same cell.
        """
        shown = [(cell, each) for cell, each in self.seen.deviations if _shows_wanted(cell, each, wanted)]
        held: set[tuple[Cell, tuple[str, ...]]] = set()
        merged = merged_deviations(shown)
        for found, shortest in merged:
            self._give_way(found)
            deviation = beside(found, (each.deviation for each in (*self._known, *self.result.causes)))
            held |= {
                (cell, place)
                for cell, each in shown
                if is_same(found, each.deviation.shown_in(cell.message, cell.version))
                and not (deviation and deviation.covers(cell.message, cell.version))
                for place in each.divergences
            }
            if deviation is None:
                continue
            known = next((each for each in self._known if is_same(each.deviation, deviation)), None)
            if known is not None:
                joined = self._widened(known.deviation.joined(deviation), known.id, merged, shortest)
                wide = replace(known, deviation=joined)
                self.result.widened_causes[known.id] = wide
                continue
            deviation = self._widened(deviation, "", merged, shortest)
            taken = [entry.id for entry in self.ledger.entries]
            taken += [cause.id for cause in (*self.ledger.causes, *self.result.causes)]
            terms = self.terms
            self.result.causes.append(
                LedgerCause(
                    cause_id(deviation, taken),
                    deviation,
                    terms.reason_kind,
                    terms.reason or deviation_sentence(deviation),
                    terms.owner,
                    terms.since,
                    terms.expires,
                    shortest.case_id,
                    terms.link,
                    self._variant(deviation),
                )
            )
        return [
            (cell, cause)
            for cell, cause in self.seen.predicted
            if (cell, (cause.check, cause.field, cause.kind)) in held
        ]

    @property
    def _known(self) -> list[LedgerCause]:
        """The causes of the ledger that are about a codec of the run, as they are now."""
        return [self.result.widened_causes.get(each.id, each) for each in self._present]

    def _give_way(self, found: Deviation) -> None:
        """Exclude the cells that show a deviation from those causes of every message that contradict it."""
        for each in (known for known in self._known if not known.deviation.scope):
            left = beside(each.deviation, [found])
            if left is not None and left != each.deviation:
                self.result.widened_causes[each.id] = replace(each, deviation=left)

    def _variant(self, deviation: Deviation) -> str:
        """Return the subject of a new cause: the run's codec if another variant has the cause; else empty."""
        others = (each for each in self.ledger.causes if each not in self._present)
        apart = any(is_same(each.deviation, deviation) for each in others)
        return self._subjects[0] if apart else ""

    def _widened(
        self,
        deviation: Deviation,
        own: str,
        found: Iterable[tuple[Deviation, CellCause]],
        shortest: CellCause,
    ) -> Deviation:
        """Return a deviation, widened to every message if enough messages show it.

        Args:
            own: the id of its cause; empty for a new one.
            found: the deviations of the run.
            shortest: the cause with the shortest case.
        """
        causes = (*self._known, *self.result.causes)
        known = (each.deviation for each in causes if each.id != own)
        return widened(
            deviation,
            (*known, *(each for each, _ in found)),
            self.seen.done,
            CaseId.parse(shortest.case_id).phase,
        )

    def _note_tried(self) -> None:
        """Record the releases in which entries without a last release explained a failure."""
        for entry in self.ledger.entries:
            shown = {release for name, release in self.seen.known if self.ledger.resolved(name) == entry.id}
            known = self.result.widened.get(entry.id, entry)
            if known.tried.spans and not all(release in known.tried for release in shown):
                tried = self._joined(known.tried, shown)
                self.result.widened[entry.id] = replace(known, tried=tried)

    def _joined(self, tried: Releases, more: Iterable[str]) -> Releases:
        """Return the tried releases, with more added. Releases that the catalogue no longer knows stay."""
        known = self.catalogue.releases
        spans = tuple(span for span in tried.spans if not set(span) <= set(known))
        return Releases((*spans, *Releases.of(tried.named(known) | set(more), known).spans))

    def _primitives(self, met: list[CauseInCell], primitives: bool) -> list[CauseInCell]:
        """Add the places of causes in primitives to entries for all messages; return the other causes."""
        left: list[CauseInCell] = []
        order = {(cell, id(cause)): index for index, (cell, cause) in enumerate(met)}
        groups = grouped(((each[1].check, each[1].kind, primitive_of(each[1])), each) for each in met)
        for (_, _, primitive), group in groups.items():
            for part in steady_and_random(group) if primitive is not None else ():
                for same in by_subject(part):
                    if not self._extend(same, primitive or ""):
                        cause = same[0][1]
                        many = len({cell.message for cell, _ in same}) >= _MANY
                        new = hangs(cause.check, cause.kind) or (primitives and many)
                        left += [] if new else same
                        if new:
                            self._add_primitive(same, primitive or "")
            left += group if primitive is None else []
        return sorted(left, key=lambda each: order[each[0], id(each[1])])

    def _add_primitive(self, group: list[CauseInCell], primitive: str) -> None:
        entry = self._entry(group, Extent(Releases(), Versions.ALL))
        seen = Evidence.of(map(location_of, group))
        wild = replace(entry, message=ANY_MESSAGE, part="", field="", type=primitive, seen=seen)
        self._add(wild, primitive)

    def _extend(self, group: list[CauseInCell], primitive: str) -> bool:
        """Add the places to the entry of the same cause for all messages; return False if there is none."""
        entry = self._entry(group, Extent(Releases(), Versions.ALL))
        for each in self.ledger.entries:
            known = self.result.widened.get(each.id, each)
            fits = all(known.says_the_same(Symptom.of_cause(*met)._replace(type=primitive)) for met in group)
            here = all(cell.release in known.releases for cell, _ in group)
            sure = bool(known.judged_phases) == bool(entry.judged_phases)
            if fits and here and sure and known.type == primitive:
                seen = known.seen | Evidence.of(map(location_of, group))
                self._widen_entry(replace(known, seen=seen), entry)
                return True
        return False

    def _accept_group(self, group: list[CauseInCell]) -> None:
        """Accept one cause in one message. Places that only random cases show get entries of their own."""
        for part in steady_and_random(group):
            for same in by_subject(part):
                self._accept_part(same)

    def _accept_part(self, part: list[CauseInCell]) -> None:
        for extent in self._extents({cell for cell, _ in part}):
            inside = [(cell, cause) for cell, cause in part if (cell.release, cell.version) in extent]
            entry = self._entry(inside, extent)
            if not self._widen(entry):
                self._add(entry, "-".join(filter(None, (entry.part, entry.field))))

    def _extents(self, cells: set[Cell]) -> list[Extent]:
        """Group the versions by the releases that show them; by all releases if every tried one does."""
        groups: dict[Releases, list[int]] = {}
        for version in sorted({cell.version for cell in cells}):
            message = next(iter(cells)).message
            tried = {
                cell.release for cell in self.seen.done if (cell.message, cell.version) == (message, version)
            }
            shown = {cell.release for cell in cells if cell.version == version}
            releases = Releases() if shown == tried else Releases.of(shown, self.catalogue.releases)
            groups.setdefault(releases, []).append(version)
        return [Extent(releases, Versions.of(versions)) for releases, versions in groups.items()]

    def _widen(self, entry: Entry) -> bool:
        """Add the versions to an existing entry of the same cause; return False if there is none."""
        for each in self.ledger.entries:
            known = self.result.widened.get(each.id, each)
            same = known.cause == entry.cause and known.releases == entry.releases
            if same and bool(known.judged_phases) == bool(entry.judged_phases):
                self._widen_entry(replace(known, versions=known.versions | entry.versions), entry)
                return True
        return False

    def _widen_entry(self, known: Entry, entry: Entry) -> None:
        """Store a widened entry, with the phases and releases of the added places."""
        phases = tuple(dict.fromkeys((*known.phases, *entry.phases))) if known.phases else ()
        tried = known.tried
        if tried.spans:
            tried = self._joined(tried, entry.tried.named(self.catalogue.releases))
        self.result.widened[known.id] = replace(known, phases=phases, tried=tried)

    def _entry(self, group: list[CauseInCell], extent: Extent) -> Entry:
        cell, cause = group[0]
        subjects = {each.subject for _, each in group}
        shown = {each.release for each, _ in group if each.version in extent.versions}
        alone = len(subjects) == 1 and len(self.seen.subjects) > 1
        return Entry(
            id="",
            message=cell.message,
            versions=extent.versions,
            releases=extent.releases,
            check=cause.check,
            kind=cause.kind,
            reason_kind=self.terms.reason_kind,
            reason=self.terms.reason or cause.summary,
            owner=self.terms.owner,
            since=self.terms.since,
            expires=self.terms.expires,
            part="" if cause.part is part_of_module(cell.module) else str(cause.part),
            field=cause.field,
            subject=cause.subject if alone else "",
            phases=tuple(phase for phase in Phase if any(each.phase is phase for _, each in group)),
            case=cause.case_id,
            link=self.terms.link,
            tried=Releases() if extent.releases.spans else self._joined(Releases(), shown),
        )

    def _add(self, entry: Entry, place: str) -> None:
        wanted = generated_id(entry.message, place, entry.check, entry.kind)
        taken = [known.id for known in (*self.ledger.entries, *self.result.new)]
        self.result.new.append(replace(entry, id=free_id(wanted, taken)))


def _shows_wanted(cell: Cell, cause: CellCause, wanted: Callable[[Cell, ObservedCause], bool]) -> bool:
    """Test if a deviation predicts a divergence that the user accepts."""
    phase = CaseId.parse(cause.case_id).phase
    return any(
        wanted(cell, ObservedCause(phase, check, "", field_path, "", kind, 1, cause.case_id, ""))
        for check, field_path, kind in cause.divergences
    )
