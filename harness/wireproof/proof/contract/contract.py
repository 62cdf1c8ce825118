"""The violations of a contract, and the cells that a contract is checked on."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final, TypeAlias

from kafkawire.schema import resolve
from kafkawire.schema.layout import MessageLayout
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.model.cell import Cell
from wireproof.proof.strategies.cases.scenarios import scenarios

ContractCell: TypeAlias = tuple[Cell, MessageLayout]

MESSAGES: Final = ("ApiVersionsRequest", "ApiVersionsResponse", "MetadataRequest", "FetchResponse")
"""The messages of the default cells: together they have every kind of field, flexible or not."""
_SAMPLES: Final = 24
"""The most values of a cell."""
_MOST_CHARACTERS: Final = 200


@dataclass(frozen=True, slots=True)
class ContractViolation:
    """One rule that an object under test does not keep.

    Attributes:
        rule: its name, such as ``one-reply``.
        expected: what the contract asks.
        came: what the object did.
        place: the method and the cell, such as ``ask of 4.4.0/FetchRequest/12``.
    """

    rule: str
    expected: str
    came: str
    place: str

    def __str__(self) -> str:
        return (
            f"{self.rule}, {self.place}:\n    the contract asks: {self.expected}\n    what came: {self.came}"
        )


class ContractError(AssertionError):
    """An object under test violates its contract.

    Attributes:
        violations: each violated rule once, in the order found.
    """

    def __init__(self, name: str, violations: Sequence[ContractViolation]) -> None:
        self.violations = tuple(violations)
        rules = "1 rule" if len(violations) == 1 else f"{len(violations)} rules"
        found = "\n".join(f"  {each}" for each in violations)
        super().__init__(f"{name} violates {rules} of its contract:\n{found}")


@dataclass(slots=True)
class Violations:
    """Collects violations: the first of each rule."""

    name: str
    found: dict[str, ContractViolation] = field(default_factory=dict)

    def add(self, rule: str, expected: str, came: str, place: str) -> None:
        """Record a violation unless its rule has one."""
        self.found.setdefault(rule, ContractViolation(rule, expected, came, place))

    def require(self, holds: bool, rule: str, expected: str, came: str, place: str) -> bool:
        """Record a violation where a rule does not hold; return `holds`."""
        if not holds:
            self.add(rule, expected, came, place)
        return holds

    def finish(self) -> None:
        """Raise `ContractError` if there is any violation."""
        if self.found:
            raise ContractError(self.name, list(self.found.values()))


def contract_cells(release: str = "newest", messages: Sequence[str] = MESSAGES) -> list[ContractCell]:
    """The lowest and the highest version of some messages of a release; layouts come with wireproof.

    Raises:
        ReleaseError: wireproof does not know the release.
        KeyError: the release lacks a message.
    """
    releases = [(chosen.version, load_snapshot(chosen)) for chosen in table().choose(release)]
    return [
        (Cell(chosen, module, message, version), resolve(spec, version))
        for chosen, schemas in releases
        for message in messages
        for module, spec in [schemas.find(message)]
        for version in sorted({spec.valid_versions.lowest, spec.valid_versions.highest})
    ]


def checked_cells(cells: Sequence[ContractCell] | None) -> Sequence[ContractCell]:
    """The cells to check.

    Raises:
        ValueError: there is none, so that nothing would be checked.
    """
    chosen = contract_cells() if cells is None else cells
    if not chosen:
        raise ValueError("no cells: the contract is checked on at least one; leave them out for the default")
    return chosen


def sample_values(layout: MessageLayout) -> Iterator[dict[str, Any]]:
    """Some valid values of a layout: its named boundary cases."""
    return (each.value for each in islice(scenarios(layout), _SAMPLES))


def described(thing: object) -> str:
    """A short text of a thing for a violation."""
    text = repr(thing)
    return text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}..."
