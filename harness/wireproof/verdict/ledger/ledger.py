"""The ledger: the entries of one testee, and the search for the one that explains a divergence."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from wireproof.base.grouping import grouped
from wireproof.model.cell import Cell
from wireproof.model.codec_ends import ExpectedEnd
from wireproof.model.divergence import Divergence
from wireproof.proof.checks.check_table import Check, follows
from wireproof.proof.deviations.search.cell_diagnosis import KnownCause
from wireproof.verdict.ledger.entry import ANY_MESSAGE, Entry, Symptom
from wireproof.verdict.ledger.known_causes import LedgerCause


@dataclass(frozen=True, slots=True)
class Ledger:
    """The known deviations of one testee from Kafka.

    Args:
        source: the file's name as the user wrote it, for the commands that repair it.
        aliases: former ids of entries, old to new.
        outdated: true if an older wireproof wrote the file.
        bounds: upper bounds of what a run counts without judging it, by name; None if the file has none.
        bounds_of: the scope of the run that counted them; empty if the file does not say.
        causes: the known causes, which predict answers of the codec.
        expected_ends: the questions that are known to hang a codec or to end its process.
    """

    entries: tuple[Entry, ...]
    source: str = "ledger.toml"
    aliases: Mapping[str, str] = field(default_factory=dict)
    outdated: bool = False
    bounds: Mapping[str, int] | None = None
    bounds_of: str = ""
    causes: tuple[LedgerCause, ...] = ()
    _by_check: dict[tuple[str, str], list[Entry]] = field(init=False, repr=False, compare=False)
    _by_field: dict[tuple[str, str], list[Entry]] = field(init=False, repr=False, compare=False)
    expected_ends: tuple[ExpectedEnd, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_check = grouped(((entry.message, entry.check), entry) for entry in self.entries)
        by_field = grouped(((entry.message, entry.field), entry) for entry in self.entries)
        object.__setattr__(self, "_by_check", by_check)
        object.__setattr__(self, "_by_field", by_field)
        ends = (entry.expected_end for entry in self.entries)
        object.__setattr__(self, "expected_ends", tuple(end for end in ends if end is not None))

    def find(self, entry_id: str) -> Entry | None:
        """Return the entry of this id or former id; None if there is none."""
        name = self.resolved(entry_id)
        return next((entry for entry in self.entries if entry.id == name), None)

    def resolved(self, entry_id: str) -> str:
        """Return the present id for a present or former one."""
        seen: set[str] = set()
        while entry_id in self.aliases and entry_id not in seen:
            seen.add(entry_id)
            entry_id = self.aliases[entry_id]
        return entry_id

    def at(self, symptom: Symptom) -> list[Entry]:
        """Return the entries about a symptom's place, those for all messages first: they explain more."""
        found = (*self._any(symptom), *self._by_check.get((symptom.cell.message, symptom.check), ()))
        return [entry for entry in found if entry.is_at(symptom)]

    def explanation(self, symptom: Symptom) -> Entry | None:
        """Return the entry that explains a symptom; None if there is none."""
        return next((entry for entry in self.at(symptom) if entry.explains(symptom)), None)

    @property
    def cases(self) -> frozenset[str]:
        """The ids of the cases of malformed bytes that its entries name."""
        return frozenset(each.case for each in self.entries if each.check == Check.MALFORMED and each.case)

    def explain(self, cell: Cell, divergences: Sequence[Divergence]) -> tuple[Divergence, ...]:
        """Return the divergences of a case, each with the entry that explains it.

        The entry also explains what follows from its divergence. Without an entry, `near` names the nearest
        one.
        """
        found = [each if each.erratum else self._explained(cell, each) for each in divergences]
        known = [each for each in found if each.entry]
        return tuple(each if each.excused else _following(each, known) for each in found)

    def _explained(self, cell: Cell, divergence: Divergence) -> Divergence:
        symptom = Symptom.of(cell, divergence)
        entry = self.explanation(symptom)
        if entry is not None:
            return replace(divergence, entry=entry.id)
        near = self._near(symptom)
        return replace(divergence, near=near) if near else divergence

    def _near(self, symptom: Symptom) -> str:
        """Describe the entry that nearly explains a symptom: at the same place, else of the same cause."""
        at = self.at(symptom)
        for entry in at:
            if entry.covers(symptom.cell):
                return f"{entry.id} is about this place, for kind {entry.kind}; this is {symptom.kind}"
        for entry in at:
            if entry.kind == symptom.kind:
                return f"{entry.id} says the same of versions {entry.versions}, releases {entry.releases}"
        return self._of_another_place(symptom) or self._of_another_check(symptom)

    def _of_another_place(self, symptom: Symptom) -> str:
        """Describe an entry for all messages that was not observed here."""
        same = [entry for entry in self._any(symptom) if entry.says_the_same(symptom)]
        if not same:
            return ""
        _, words, name = min((*_distance(entry, symptom), entry.id) for entry in same)
        return f"{name} says the same {words}"

    def _of_another_check(self, symptom: Symptom) -> str:
        """Describe an entry for the same field of the cell."""
        message, path = symptom.cell.message, symptom.field
        for entry in self._by_field.get((message, path), ()) if path else ():
            if entry.covers(symptom.cell):
                return f"{entry.id} is about this field, for {entry.check} {entry.kind}"
        return ""

    def _any(self, symptom: Symptom) -> Sequence[Entry]:
        return self._by_check.get((ANY_MESSAGE, symptom.check), ())

    @property
    def known_causes(self) -> tuple[KnownCause, ...]:
        """The causes in the form that a run uses."""
        return tuple(each.known for each in self.causes)

    def words(self) -> Mapping[str, str]:
        """Return a sentence about each entry, by id."""
        causes = {cause.id: f"{cause.reason_kind}: {cause.reason}" for cause in self.causes}
        return causes | {entry.id: f"{entry.reason_kind}: {entry.reason}" for entry in self.entries}


def _distance(entry: Entry, symptom: Symptom) -> tuple[int, str]:
    """Return the distance of a symptom from the places of an entry for all messages, and a text."""
    part, message, version, path = symptom.location
    if not entry.seen:
        return 4, "and has no evidence of any place, so it explains nothing"
    if symptom.location in entry.seen:
        return 0, f"of releases {entry.releases}"
    fields = entry.seen.places.get((part, message))
    if fields is None:
        others = entry.seen.messages(part)
        if others:
            return 2, f"of {len(others)} other messages ({part}), and was not observed in {message}"
        return 3, f"of other data ({entry.seen.summary()}), and was not observed here ({part} of {message})"
    here = path or "the message itself"
    if path in fields:
        return 1, f"of {here} in versions {fields[path]} of {message}, and was not observed in {version}"
    return 1, f"of other fields of {message}, and was not observed at {here}"


def _following(divergence: Divergence, known: Sequence[Divergence]) -> Divergence:
    first = next((each for each in known if follows(divergence, each)), None)
    return divergence if first is None else replace(divergence, entry=first.entry, near="")


@dataclass(frozen=True, slots=True)
class CombinedLedger:
    """The ledgers of several codecs, by the codec's name in the run; each with the codec's name in it."""

    ledgers: Mapping[str, tuple[Ledger, str]]

    @property
    def expected_ends(self) -> tuple[ExpectedEnd, ...]:
        """The questions that are known to hang the codecs or to end their processes."""
        return tuple(
            replace(end, subject=name)
            for name, (ledger, subject) in self.ledgers.items()
            for end in ledger.expected_ends
            if end.subject in ("", subject)
        )

    @property
    def cases(self) -> frozenset[str]:
        """No case: nothing audits several ledgers at once."""
        return frozenset()

    @property
    def known_causes(self) -> tuple[KnownCause, ...]:
        """The causes of all ledgers, each with the name of its codec in the run."""
        return tuple(
            replace(each, subject=name)
            for name, (ledger, subject) in self.ledgers.items()
            for each in ledger.known_causes
            if each.concerns(subject)
        )

    def explain(self, cell: Cell, divergences: Sequence[Divergence]) -> tuple[Divergence, ...]:
        """Return the divergences of a case, each with the entry that explains it, as ``NAME/ID``."""
        explained = list(divergences)
        for name in {each.subject for each in divergences} & self.ledgers.keys():
            ledger, subject = self.ledgers[name]
            indices = [index for index, each in enumerate(divergences) if each.subject == name]
            own = [replace(divergences[index], subject=subject) for index in indices]
            for index, found in zip(indices, ledger.explain(cell, own), strict=True):
                entry = f"{name}/{found.entry}" if found.entry else ""
                explained[index] = replace(found, subject=name, entry=entry)
        return tuple(explained)
