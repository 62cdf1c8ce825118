"""Record batches: a cell for each magic, proven against Kafka's readers and builders."""

import time
from collections.abc import Callable, Iterable, Sequence

from kafkawire.records import RecordSet, encode_records, records_from_json, records_to_json, to_canonical
from wireproof.checks import (
    Check,
    RecordsEvidence,
    judge_cut,
    judge_foreign,
    judge_records,
    judge_same_records,
)
from wireproof.model import (
    Cell,
    Divergence,
    Encoded,
    Oracle,
    OracleReply,
    OracleValue,
    Phase,
    RecordCase,
    RecordsAdapter,
    RecordsReply,
)
from wireproof.run.alike import Mutated
from wireproof.run.bench import Bench
from wireproof.run.events import CaseFailed, CaseShrunk, CellDone, CellLost, CellProgress
from wireproof.run.mutations import judge_mutations
from wireproof.run.plan import RunOptions
from wireproof.run.recorder import Recorder
from wireproof.run.trial import Announce

__all__ = ["RecordsProver", "ask_records", "can_write", "line_of"]

_BATCH_CASES = 64
_SMALL_BYTES = 256
"""Sets up to this size are cut at every byte, too."""
_BEFORE = bytes(range(251, 0, -7))
_AFTER = b"\xff\x00\x7f" * 5


class RecordsProver:
    """Proves one cell of record batches: `CellProver` for what has no layout."""

    def __init__(
        self,
        bench: Bench,
        options: RunOptions,
        cell: Cell,
        emit: Callable[[CaseFailed | CaseShrunk | CellProgress], None],
        announce: Announce,
        *,
        careful: bool = False,
        skip: frozenset[str] = frozenset(),
    ) -> None:
        self._bench = bench
        self._options = options
        self._cell = cell
        self._announce = announce
        self._careful = careful
        self._skip = skip
        self._recorder = Recorder(cell, records_to_json, emit)
        self._oracle = bench.oracles[cell.release]
        self._line = line_of(cell.release)

    def prove(self) -> CellDone | CellLost:
        """The named sets, then Hypothesis's; lost where a phase asked for has no case.

        Raises:
            OracleError: the oracle cannot work at all.
        """
        started = time.monotonic()
        phases = {
            Phase.ENUMERATED: self._prove_enumerated,
            Phase.RANDOM: self._prove_random,
            Phase.MUTATIONS: self._prove_mutations,
        }
        asked = [phase for phase in phases if phase in self._options.phases]
        for phase in asked:
            phases[phase]()
            if not self._recorder.cases(phase) and not self._skip:
                return CellLost(self._cell, f"the {phase} phase has no case here")
        return self._recorder.done(time.monotonic() - started)

    def try_text(self, phase: Phase, name: str, text: str) -> None:
        """One recorded set, in the form of `records_to_json`, through every check.

        Raises:
            DecodeError: the text is no record set.
        """
        records = records_from_json(text)
        known = next((case for case in self._cases() if case.name == name and case.records == records), None)
        case = known or RecordCase(name, records, builder=False)
        self._record(phase, [case])
        self._try_states([case], phase)

    def try_named(self, name: str) -> bool:
        """The enumerated case of this name; False where there is none."""
        found = [case for case in self._cases() if case.name == name]
        self._record(Phase.ENUMERATED, found)
        self._try_states(found, Phase.ENUMERATED)
        return bool(found) or self._prove_foreign(name) > 0

    def _cases(self) -> Iterable[RecordCase]:
        return (case for case in self._bench.source.record_cases() if case.magic == self._cell.version)

    def _prove_enumerated(self) -> None:
        wanted = [case for case in self._cases() if self._id(Phase.ENUMERATED, case.name) not in self._skip]
        most = 1 if self._careful else _BATCH_CASES
        for start in range(0, len(wanted), most):
            batch = wanted[start : start + most]
            self._announce(Phase.ENUMERATED, [case.name for case in batch])
            self._record(Phase.ENUMERATED, batch)
            self._try_states(batch, Phase.ENUMERATED)
        self._prove_foreign()

    def _prove_foreign(self, only: str = "") -> int:
        """What other encoders write; how many sets were tried.

        Args:
            only: the name of the one set to try; all where it is empty.
        """
        sets = [
            (name, data)
            for name, magic, data in self._bench.source.record_bytes()
            if magic == self._cell.version and only in ("", name)
        ]
        self._announce(Phase.ENUMERATED, [name for name, _ in sets])
        replies = self._oracle.read_records([data for _, data in sets])
        for adapter in self._bench.records:
            for (name, data), read in zip(sets, replies, strict=True):
                found = tuple(judge_foreign(adapter.name, adapter.decode(data), read))
                if found:
                    self._recorder.failed(Phase.ENUMERATED, name, found)
                self._recorder.count(Phase.ENUMERATED, 1, len(data), 1 if found else 0)
        return len(sets)

    def _record(self, phase: Phase, cases: Sequence[RecordCase]) -> None:
        for adapter in self._bench.records:
            for case, evidence in zip(
                cases, ask_records(adapter, self._oracle, cases, self._line), strict=True
            ):
                divergences = judge_records(evidence)
                if divergences:
                    self._recorder.failed(phase, case.name, divergences, case.records)
                size = len(evidence.encoded.data) if isinstance(evidence.encoded, Encoded) else 0
                self._recorder.count(phase, 1, size, 1 if divergences else 0)

    def _try_states(self, cases: Sequence[RecordCase], phase: Phase) -> None:
        for adapter in self._bench.records:
            for case in cases:
                encoded = adapter.encode(case.records)
                if not isinstance(encoded, Encoded):
                    continue
                found = [*self._states(adapter, case, encoded.data)]
                if len(encoded.data) <= _SMALL_BYTES:
                    found += self._cuts(adapter, encoded.data)
                    self._recorder.count(phase, len(encoded.data), 0, 0)
                if found:
                    self._recorder.failed(phase, case.name, tuple(found), case.records)
                self._recorder.count(phase, 2, 0, 1 if found else 0)

    def _states(self, adapter: RecordsAdapter, case: RecordCase, data: bytes) -> Iterable[Divergence]:
        """In a larger buffer that is overwritten; encoded twice."""
        reply = adapter.decode(data, _BEFORE, _AFTER)
        yield from judge_same_records(
            Check.BUFFER, adapter.name, reply, case.records, "bytes in a larger buffer"
        )
        again = adapter.encode(case.records)
        if again != Encoded(data):
            yield Divergence(Check.REPEAT, adapter.name, "other bytes than the first time")

    def _cuts(self, adapter: RecordsAdapter, data: bytes) -> Iterable[Divergence]:
        cuts = [data[:length] for length in range(len(data))]
        for cut, read in zip(cuts, self._oracle.read_records(cuts), strict=True):
            yield from judge_cut(adapter.name, cut, adapter.decode(cut), read)

    def _prove_random(self) -> None:
        name = f"seed-{self._options.seed}"
        if any(case_id.startswith(self._id(Phase.RANDOM, "")) for case_id in self._skip):
            return
        for adapter in self._bench.records:
            self._announce(Phase.RANDOM, [name])
            self._search(adapter, name)

    def _search(self, adapter: RecordsAdapter, name: str) -> None:
        latest: tuple[Divergence, ...] = ()

        def judge(records: RecordSet) -> bool:
            nonlocal latest
            case = RecordCase(name, records, builder=False)
            (evidence,) = ask_records(adapter, self._oracle, [case], self._line)
            latest = judge_records(evidence)
            self._recorder.count(Phase.RANDOM, 0, len(to_canonical(records)), 0)
            return not latest

        def tell(records: RecordSet) -> None:
            self._recorder.failed(Phase.RANDOM, name, latest, records)

        result = self._bench.source.search_records(
            judge,
            magic=self._cell.version,
            line=self._line,
            examples=self._options.examples,
            seed=self._options.seed,
            shrink_s=self._options.shrink_s,
            found=tell,
        )
        self._recorder.count(Phase.RANDOM, result.examples, 0, 1 if result.first is not None else 0)
        if result.smallest is not None:
            judge(result.smallest)
            self._recorder.shrunk(Phase.RANDOM, name, latest, result.smallest)

    def try_mutation(self, name: str) -> bool:
        """The mutation of this name; False where there is none."""
        self._prove_mutations(name)
        return self._recorder.cases(Phase.MUTATIONS) > 0

    def _prove_mutations(self, only: str = "") -> None:
        """Spoiled sets, read in a limited process."""
        for case, mutations in self._bench.source.record_mutations():
            if case.magic != self._cell.version or case.since > self._line:
                continue
            data = encode_records(case.records)
            changed = ((mutation, mutation.apply(data)) for mutation in mutations)
            mutated = [
                Mutated(f"{case.name}/{mutation.name}", mutation, spoiled)
                for mutation, spoiled in changed
                if spoiled != data and only in ("", f"{case.name}/{mutation.name}")
            ]
            self._announce(Phase.MUTATIONS, [each.name for each in mutated])
            replies = self._oracle.read_records([each.data for each in mutated])
            for adapter in self._bench.limited[:1]:
                answers = adapter.decode_records([each.data for each in mutated])
                judge_mutations(self._recorder, "kafkawire[records]", None, mutated, answers, replies)

    def _id(self, phase: Phase, name: str) -> str:
        return f"{self._cell.id}/{phase}/{name}"


def ask_records(
    adapter: RecordsAdapter, oracle: Oracle, cases: Sequence[RecordCase], line: tuple[int, int]
) -> list[RecordsEvidence]:
    """What a codec and Kafka make of each set: in the codec's bytes, and in those of Kafka's writers."""
    encoded = [adapter.encode(case.records) for case in cases]
    bodies = [reply.data for reply in encoded if isinstance(reply, Encoded)]
    read = iter(oracle.read_records(bodies))
    written: list[list[tuple[OracleReply, RecordsReply | None]]] = [[] for _ in cases]
    for parts in (False, True):
        able = [at for at, case in enumerate(cases) if can_write(case, parts, line)]
        forms = [to_canonical(cases[at].records, written=True) for at in able]
        for at, reply in zip(able, oracle.write_records(forms, parts=parts), strict=True):
            written[at].append((reply, _theirs(adapter, cases[at], encoded[at], reply)))
    evidence = []
    for at, (case, ours) in enumerate(zip(cases, encoded, strict=True)):
        sound = isinstance(ours, Encoded)
        evidence.append(
            RecordsEvidence(
                subject=adapter.name,
                case=case,
                known=line >= case.since,
                encoded=ours,
                decoded=adapter.decode(ours.data) if isinstance(ours, Encoded) else None,
                read=next(read) if sound else None,
                written=written[at],
            )
        )
    return evidence


def can_write(case: RecordCase, parts: bool, line: tuple[int, int]) -> bool:
    """Whether a line's builder, or its writers of single parts, make this very set."""
    return (case.parts if parts else case.builder) and line >= case.since


def _theirs(
    adapter: RecordsAdapter, case: RecordCase, encoded: RecordsReply, reply: OracleReply
) -> RecordsReply | None:
    """What the codec reads in Kafka's bytes, where they are not its own."""
    if not isinstance(reply, OracleValue):
        return None
    whole = reply.written + case.records.tail
    return None if encoded == Encoded(whole) else adapter.decode(whole)


def line_of(release: str) -> tuple[int, int]:
    """The line of a release: (3, 9)."""
    major, minor, *_ = release.split(".")
    return int(major), int(minor)
