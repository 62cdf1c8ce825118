"""``wireproof power --testee``: bugs planted in codecs of other people, behind their adapters."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from wireproof.cli.planning import ledger_for
from wireproof.cli.under_test import Subject, subject_of
from wireproof.cli.wiring import NamingLayouts, Prepared, make_bench, open_testee, with_primitives_of
from wireproof.model import Cell, Known
from wireproof.mutation import (
    AnswerMutant,
    Description,
    Ground,
    Judge,
    Lost,
    Verdict,
    describe,
)
from wireproof.run import DEFAULT_PHASES, Layouts, all_cells, header_layouts
from wireproof.testees import Launch, TesteeAdapter

__all__ = ["Patient", "PlantedMutant", "lost", "make_judge", "patient_of"]


@dataclass(frozen=True, slots=True)
class Patient:
    """A testee that mutants are planted in; plain data.

    Attributes:
        name: of the codec and its version.
        cells: those that it claims.
        known: its own ledger; None where it has none.
    """

    name: str
    prepared: Prepared
    launch: Launch
    cells: tuple[Cell, ...]
    known: Known | None

    def cells_of(self, message: str) -> Sequence[Cell]:
        """Its cells of a message."""
        return [cell for cell in self.cells if cell.message == message]


@dataclass(frozen=True, slots=True)
class PlantedMutant:
    """A mutant and the testee that it is planted in, by name."""

    testee: str
    mutant: AnswerMutant

    @property
    def described(self) -> Description:
        """The mutant in words."""
        return describe(self.testee, self.mutant)


def patient_of(prepared: Prepared, launch: Launch) -> tuple[Patient, Ground]:
    """A testee, greeted once, and the ground that its claims are for mutants.

    Raises:
        TesteeError: it does not start or greet.
    """
    subject = subject_of(launch.name, launch)
    assert subject.hello is not None
    prepared = with_primitives_of(replace(prepared, testee=launch), subject.hello)
    (part,) = prepared.parts
    cells = tuple(subject.claimed(list(all_cells(part.schemas))))
    layouts = Layouts({part.release.version: part.schemas})
    ground = Ground(subject.hello, cells, layouts.of, header_layouts(part.schemas), NamingLayouts())
    return Patient(launch.name, prepared, launch, cells, _ledger(subject)), ground


def _ledger(subject: Subject) -> Known | None:
    return ledger_for(None, subject, DEFAULT_PHASES).known


def make_judge(patients: Mapping[str, Patient], seed: int) -> Callable[[PlantedMutant], Verdict]:
    """What a worker judges with: one testee at a time, for its processes take memory."""
    current: list[tuple[str, Judge]] = []

    def judge(planted: PlantedMutant) -> Verdict:
        if not current or current[0][0] != planted.testee:
            for _, before in current:
                before.close()
            current[:] = [(planted.testee, _judge_of(patients[planted.testee], seed))]
        return current[0][1].judge(planted.mutant)

    return judge


def _judge_of(patient: Patient, seed: int) -> Judge:
    (part,) = patient.prepared.parts
    headers, names = header_layouts(part.schemas), NamingLayouts()
    return Judge(
        patient.name,
        make_bench(patient.prepared)(),
        lambda: open_testee(patient.launch),
        lambda testee: TesteeAdapter(testee, headers, names),
        patient.known,
        patient.cells_of,
        seed,
    )


def lost(planted: PlantedMutant, reason: str) -> Verdict:
    """The verdict on a mutant that the harness could not judge."""
    return Lost(planted.described, reason)
