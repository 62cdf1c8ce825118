"""The configurations of the commands `matrix`, `power` and `corpus make`: one frozen value for each."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from wireproof.model.cell import CaseId, Phase
from wireproof.proof.config.run_config import ConfigError
from wireproof.proof.config.selection import ALL_PHASES, SchemaSource, Selection, phases_of

MATRIX_PHASES: Final = tuple(phase for phase in ALL_PHASES if phase not in (Phase.SHAPE, Phase.RANDOM))
"""The phases in which codecs can be compared: bulk has the random cases."""
_DEFAULT: Final = tuple(phase.value for phase in MATRIX_PHASES if phase is not Phase.MUTATIONS)
_SMALLEST_BYTES: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixConfig:
    """The options of ``wireproof matrix``.

    Attributes:
        release: Kafka releases; empty for the newest.
        source: the definitions of a fork of the releases; None for Kafka's own.
        selection: the cells.
        testee: the codecs to compare; empty for all that come with wireproof and can be built.
        phase: names of phases; empty for all except mutations.
        examples: seeded random instances per cell, at least 1.
        seed: of these instances.
        case: compare only this case; None for all.
        strict: return 1 if a codec deviates and its ledger does not explain it.
        form: ``text``, ``tsv``, ``json``, ``markdown`` or ``html``.
        output: the file for the tables; ``-`` is standard output.
        results: a file that the form ``json`` wrote, to make its page without a run; None for a run.
        events: the file for the events; None for no such file.
        jobs: worker processes, at least 1.
        budget_s: wall-clock seconds of the run; None for no limit.
        jars: a folder of jars to look into first.
        offline: never use the network.

    Raises:
        ConfigError: a value is out of range.
    """

    release: tuple[str, ...] = ()
    source: SchemaSource | None = None
    selection: Selection = field(default_factory=Selection)
    testee: tuple[str, ...] = ()
    phase: tuple[str, ...] = ()
    examples: int = 50
    seed: int = 0
    case: CaseId | None = None
    strict: bool = False
    form: str = "text"
    output: str = "-"
    results: Path | None = None
    events: str | None = None
    jobs: int = 1
    budget_s: float | None = None
    jars: Path | None = None
    offline: bool = False

    def __post_init__(self) -> None:
        """Check the ranges."""
        _at_least(1, examples=self.examples, jobs=self.jobs)
        if self.results is not None and self.form != "html":
            raise ConfigError(f"--from with --format {self.form}: expected --format html")

    @property
    def phases(self) -> tuple[Phase, ...]:
        """The phases in the order in which they run."""
        return phases_of(self.phase or _DEFAULT)

    @property
    def framed(self) -> bool:
        """True if messages are also compared in their framings."""
        return Phase.EMBEDDED in self.phases


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerConfig:
    """The options of ``wireproof power``.

    Attributes:
        bug_class: classes of bugs; empty for all.
        mutant: names of mutants; empty for all.
        testee: the codecs to plant bugs in; empty for our own.
        mutants: at most so many mutants in each testee; None for all.
        causes: search the causes of each mutant that is killed in a testee.
        profile: run the plan of this profile on the mutants of testees; None for the default plan.
        seed: of the places and all other random choices.
        release: the Kafka release to judge by.
        source: the definitions of a fork of it; None for Kafka's own.
        form: ``text``, ``tsv`` or ``json``.
        only_list: list the mutants and judge none.
        verbose: print the bug and the place of each mutant.
        jobs: worker processes, at least 1.
        jars: a folder of jars to look into first.
        offline: never use the network.

    Raises:
        ConfigError: a value is out of range, or only mutants of testees have an option.
    """

    bug_class: tuple[str, ...] = ()
    mutant: tuple[str, ...] = ()
    testee: tuple[str, ...] = ()
    mutants: int | None = None
    causes: bool = False
    profile: str | None = None
    seed: int = 0
    release: str = "newest"
    source: SchemaSource | None = None
    form: str = "text"
    only_list: bool = False
    verbose: bool = False
    jobs: int = 1
    jars: Path | None = None
    offline: bool = False

    def __post_init__(self) -> None:
        """Check the ranges, and the options that only mutants of testees have."""
        _at_least(1, jobs=self.jobs, mutants=1 if self.mutants is None else self.mutants)
        if not self.testee and self.mutants is not None:
            raise ConfigError("--mutants is for mutants of testees", "Name one with --testee.")
        if not self.testee and self.causes:
            raise ConfigError("--causes is for mutants of testees", "Name one with --testee.")
        if not self.testee and self.profile:
            raise ConfigError("--profile is for mutants of testees", "Name one with --testee.")


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusConfig:
    """The options of ``wireproof corpus make``.

    Attributes:
        release: the Kafka release.
        output: the new folder; ``-`` is standard output.
        selection: the cells.
        edges: two versions of each message: the newest with tagged fields and the newest without.
        kind: kinds of entries to write; empty for all.
        largest_bytes: the size of the longest message, at least 64.
        jobs: worker processes, at least 1.
        jars: a folder of jars to look into first.
        offline: never use the network.

    Raises:
        ConfigError: a value is out of range.
    """

    release: str
    output: str
    source: SchemaSource | None = None
    selection: Selection = field(default_factory=Selection)
    edges: bool = False
    kind: tuple[str, ...] = ()
    largest_bytes: int = 512
    jobs: int = 1
    jars: Path | None = None
    offline: bool = False

    def __post_init__(self) -> None:
        """Check the ranges."""
        _at_least(1, jobs=self.jobs)
        _at_least(_SMALLEST_BYTES, largest=self.largest_bytes)


def _at_least(least: int, **values: int) -> None:
    for name, value in values.items():
        if value < least:
            raise ConfigError(f"--{name}: {value} is too small: at least {least} is expected")
