"""Upper bounds of what a run counts without judging it.

Three counts excuse cases that nobody looks at: values that a version cannot hold and that the codec writes,
because it trusts its caller; malformed bytes that it refuses, where no known leniency of Kafka explains the
difference; cases that a limit of the codec's types leaves out. A bug can hide in these cases. The table
``[bounds]`` of a ledger has the highest allowed count of each in one release. A higher count is a fault. A
lower count of a run with the same scope is a warning, because a bug could hide in the difference.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from wireproof.base.text.wording import counted
from wireproof.model.cell import Phase
from wireproof.proof.config.selection import DEFAULT_PHASES, MutationSet
from wireproof.proof.run.core.cell_events import CellResult

BOUNDS: Final = "bounds"
"""The name of the table, and of the entry that a problem of it names."""
SCOPE: Final = "of"
"""The key with the scope of the run that counted."""
_LEFT_OUT: Final = "left-out"
"""The inner table: cells in which a limit leaves out cases, by the limit's name."""
STRICTER_OF_ALL: Final = "stricter-all"
"""The count `stricter` of a run with all mutations, beside that of a run with the slice."""
COUNTS: Final = {
    "written": "values that a version cannot hold are written",
    "failed": "values that a version cannot hold end in an undeclared error",
    "stricter": "malformed cases are refused by no leniency that is known",
    STRICTER_OF_ALL: "malformed cases of all mutations are refused by no leniency that is known",
}
"""The other counts: what each of them counts, in words. All are of cases."""


class BoundsError(ValueError):
    """A table of bounds that is not valid. The message says what to write."""


def cell_counts(
    trust: Mapping[str, Mapping[str, int]], laxities: Mapping[str, int], unsupported: Mapping[str, int]
) -> Counter[str]:
    """Return the counts of a `CellResult`, or of its event, by name; a limit is ``left-out.LIMIT``."""
    counts = Counter({"stricter": laxities.get("", 0)})
    for outcomes in trust.values():
        counts += Counter({name: outcomes.get(name, 0) for name in ("written", "failed")})
    return counts + Counter({f"{_LEFT_OUT}.{limit}": 1 for limit, cases in unsupported.items() if cases})


def counts_of(done: Iterable[CellResult]) -> dict[str, int]:
    """Return each count, by name: the largest number in any one release."""
    return largest(
        (each.cell.release, cell_counts(each.trust, each.laxities, each.unsupported)) for each in done
    )


def largest(cells: Iterable[tuple[str, Counter[str]]]) -> dict[str, int]:
    """Return each count of cells, by name: the largest number in any one release."""
    releases: dict[str, Counter[str]] = {}
    for release, counts in cells:
        releases.setdefault(release, Counter()).update(counts)
    names = sorted({name for counts in releases.values() for name in counts})
    return {name: max(counts[name] for counts in releases.values()) for name in names}


@dataclass(frozen=True, slots=True)
class CountScope:
    """The part of Kafka's messages and of the cases that a run counts in.

    Attributes:
        offered: the number of cells in the releases that the codec claims; 0 if unknown.
        judged: the number of these cells that the run judged completely.
    """

    releases: tuple[str, ...] = ()
    phases: tuple[Phase, ...] = ()
    mutations: MutationSet = MutationSet.ALL
    offered: int = 0
    judged: int = 0

    @classmethod
    def of_header(cls, event: Mapping[str, Any]) -> Self:
        """Return the scope in the header of an event file. No cell is judged yet."""
        phases, mutations = tuple(map(Phase, event["phases"])), MutationSet(event.get("mutations", "all"))
        return cls(tuple(event["releases"]), phases, mutations, event.get("cellsOffered", 0))

    @property
    def missing_phases(self) -> tuple[Phase, ...]:
        """The default phases that do not run: without them the counts are too low for bounds."""
        return tuple(phase for phase in DEFAULT_PHASES if phase not in self.phases)

    def __str__(self) -> str:
        """Return the scope as a ledger states it: ``4.4.0, mutations slice``."""
        return ", ".join([*sorted(self.releases), f"mutations {self.mutations}"])

    def gaps(self) -> Iterator[str]:
        """Yield the reasons why the counts are too low for bounds, in words."""
        if self.judged < self.offered or not self.offered:
            yield f"judged {self.judged:,} of {counted(self.offered, 'cell')}"
        if self.missing_phases:
            yield f"left out {', '.join(self.missing_phases)}"


def named_counts(counts: Mapping[str, int], of: str, scope: CountScope) -> dict[str, int]:
    """Return the counts of a run, by their names in a ledger.

    Args:
        of: the scope of the ledger's bounds. Bounds of the slice have one bound of all mutations beside them.
    """
    beside = scope.mutations is MutationSet.ALL and str(scope) != of
    return {STRICTER_OF_ALL if beside and name == "stricter" else name: each for name, each in counts.items()}


def bounds_in(bounds: Mapping[str, int], of: str, scope: CountScope) -> dict[str, int]:
    """Return the bounds that apply to a run of all cells of a scope.

    Args:
        of: the scope of the bounds.
    """
    if str(scope) == of:
        return {name: each for name, each in bounds.items() if name != STRICTER_OF_ALL}
    beside = scope.mutations is MutationSet.ALL and str(replace(scope, mutations=MutationSet.SLICE)) == of
    return {name: each for name, each in bounds.items() if beside and name == STRICTER_OF_ALL}


def bound_slack(bounds: Mapping[str, int], counts: Mapping[str, int]) -> dict[str, tuple[int, str]]:
    """Return the count and a sentence for each count below its bound, by name."""
    return {
        name: (count, f"{_words(name)}: {count:,} in one release, and the ledger says at most {bound:,}")
        for name, bound in bounds.items()
        if (count := counts.get(name, 0)) < bound
    }


def bound_excess(bounds: Mapping[str, int], counts: Mapping[str, int]) -> list[str]:
    """Return a sentence about each count that is above its bound; a bound that is not given is 0."""
    known = {STRICTER_OF_ALL: bounds.get("stricter", 0), **bounds}
    return [
        f"{_words(name)}: {count:,} in one release, and the ledger says at most {known.get(name, 0):,}"
        for name, count in counts.items()
        if count > known.get(name, 0)
    ]


def _words(name: str) -> str:
    if name in COUNTS:
        return COUNTS[name]
    return f"cells in which the limit {name.removeprefix(f'{_LEFT_OUT}.')} leaves out cases"


def parse_bounds(table: Any) -> dict[str, int]:
    """Return the bounds in the table of a ledger, by name.

    Raises BoundsError if the table is not of this form.
    """
    if not isinstance(table, dict):
        raise BoundsError("`bounds` is not a table: write [bounds]")
    inner = table.get(_LEFT_OUT, {})
    if not isinstance(inner, dict):
        raise BoundsError(f"`bounds.{_LEFT_OUT}` is not a table: write [bounds.{_LEFT_OUT}]")
    if not isinstance(table.get(SCOPE, ""), str):
        raise BoundsError(f"bounds: {SCOPE} is not a text: `wireproof ledger bound` writes it")
    flat = {name: value for name, value in table.items() if name not in (_LEFT_OUT, SCOPE)}
    if unknown := sorted(flat.keys() - COUNTS.keys()):
        raise BoundsError(
            f"bounds: unknown key {unknown[0]!r}: expected {', '.join((*COUNTS, SCOPE, _LEFT_OUT))}"
        )
    flat.update({f"{_LEFT_OUT}.{limit}": value for limit, value in inner.items()})
    for name, value in flat.items():
        if type(value) is not int or value < 0:
            raise BoundsError(f"bounds: {name} is not a number from 0: write {name} = 12")
    return flat


def bounds_table(bounds: Mapping[str, int], scope: str) -> dict[str, Any]:
    table: dict[str, Any] = {SCOPE: scope} if scope else {}
    table.update({name: bounds.get(name, 0) for name in COUNTS if name in bounds or name != STRICTER_OF_ALL})
    inner = {
        name.removeprefix(f"{_LEFT_OUT}."): value
        for name, value in bounds.items()
        if name.startswith(f"{_LEFT_OUT}.")
    }
    return {**table, _LEFT_OUT: inner} if inner else table
