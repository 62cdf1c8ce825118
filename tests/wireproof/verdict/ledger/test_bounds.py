"""Bounds of what a run counts and does not judge: more is a fault of the ledger, in one release."""

from dataclasses import replace

import pytest

from tests.support.environments.ledgers import CATALOGUE, TEXT, TODAY, done
from tests.support.environments.small_environment import PHASES
from wireproof.proof.config.selection import DEFAULT_PHASES, MutationSet
from wireproof.proof.run.core.cell_events import CellResult
from wireproof.verdict.ledger.audit import AuditScope, audit
from wireproof.verdict.ledger.bounds import CountScope, counts_of
from wireproof.verdict.ledger.files.ledger_reading import LedgerError, read_ledger
from wireproof.verdict.ledger.files.repairing import LedgerRepair, with_bounds

COUNTED = replace(
    done(1),
    trust={"codec": {"written": 4, "refused": 9, "failed": 1}},
    laxities={"": 2, "marker": 7},
    unsupported={"nulls": 12, "none": 0},
)
BOUNDS = {"failed": 1, "left-out.nulls": 1, "stricter": 2, "written": 4}
SCOPE = "1.0.0, mutations slice"


def exceeded(bounds: str, *cells: CellResult) -> list[str]:
    """The messages of the audit about the bounds of a ledger without entries."""
    ledger = read_ledger(f"format = 7\n{bounds}", "known.toml")
    problems = audit(ledger, cells, phases=PHASES, catalogue=CATALOGUE, today=TODAY)
    assert {(each.entry, each.fault, each.repair, each.fails) for each in problems} <= {
        ("bounds", "exceeded", "", True)
    }
    return [each.message for each in problems]


def test_the_counts_are_those_of_the_release_with_most() -> None:
    """A limit is counted in cells, all else in cases. What a known leniency explains does not count."""
    other = replace(COUNTED, cell=replace(COUNTED.cell, release="2.0.0"))
    assert counts_of([COUNTED]) == BOUNDS
    assert counts_of([COUNTED, other]) == BOUNDS
    assert counts_of([COUNTED, replace(COUNTED, cell=done(2).cell)]) == {
        name: 2 * count for name, count in BOUNDS.items()
    }


def test_a_ledger_without_bounds_bounds_nothing() -> None:
    """A table of bounds allows what it names, up to its number, and nothing else."""
    assert exceeded("", COUNTED) == []
    assert (
        exceeded(with_bounds("", BOUNDS, "").partition("\n")[2].partition("format = 7\n")[2], COUNTED) == []
    )
    assert exceeded("[bounds]\nwritten = 3\nfailed = 1\nstricter = 2\n", COUNTED) == [
        "cells in which the limit nulls leaves out cases: 1 in one release, and the ledger says at most 0",
        "values that a version cannot hold are written: 4 in one release, and the ledger says at most 3",
    ]
    assert len(exceeded("[bounds]\n", COUNTED)) == 4
    assert exceeded("[bounds]\n", done(2)) == []


def slack(scope: str, *cells: CellResult, asked: AuditScope | None) -> list[str]:
    """The repairs of counts that are lower than the bounds of a ledger; a test types them as they are."""
    ledger = read_ledger(with_bounds("", {**BOUNDS, "written": 5}, scope), "known.toml")
    problems = audit(ledger, cells, phases=PHASES, catalogue=CATALOGUE, today=TODAY, asked=asked)
    assert not any(each.fails for each in problems)
    for each in problems:
        assert each.message == (
            "values that a version cannot hold are written: 4 in one release, and the ledger says at most 5"
        )
        lower = LedgerRepair.parse(each.repair)
        assert (
            read_ledger(lower.apply(with_bounds("", ledger.bounds or {}, scope), ledger, ()), "").bounds
            == BOUNDS
        )
        with pytest.raises(LedgerError, match="5 is not lower"):
            replace(lower, bounds={"written": 5}).apply("", ledger, ())
    return [each.repair for each in problems]


def test_a_lower_count_is_a_warning_where_the_whole_scope_ran() -> None:
    """A part of the cells, other phases, mutations or releases count less in any case."""
    counts = CountScope(("1.0.0",), DEFAULT_PHASES, MutationSet.SLICE)
    whole = AuditScope(counts=counts, cells=frozenset({COUNTED.cell}))
    repair = "wireproof ledger bound --ledger known.toml --lower written=4"
    assert slack(SCOPE, COUNTED, asked=whole) == [repair]
    assert slack("", COUNTED, asked=whole) == []
    assert slack(SCOPE, COUNTED, asked=None) == []
    assert slack(SCOPE, COUNTED, asked=replace(whole, cells=frozenset({COUNTED.cell, done(2).cell}))) == []
    assert slack(SCOPE, replace(COUNTED, not_asked=1), asked=whole) == []
    assert slack(SCOPE, replace(COUNTED, failed_cases=1), asked=whole) == []
    for other in (
        replace(counts, phases=DEFAULT_PHASES[:-1]),
        replace(counts, mutations=MutationSet.ALL),
        replace(counts, releases=("2.0.0",)),
    ):
        assert slack(SCOPE, COUNTED, asked=replace(whole, counts=other)) == []


def test_all_mutations_have_a_bound_of_their_own() -> None:
    """Beside the bounds of the slice, which other runs are held to. Without it that of the slice holds."""
    counts = CountScope(("1.0.0",), DEFAULT_PHASES, MutationSet.ALL)
    whole = AuditScope(counts=counts, cells=frozenset({COUNTED.cell}))
    more = replace(COUNTED, laxities={"": 3})

    def messages(bounds: dict[str, int], cell: CellResult, scope: str = SCOPE) -> list[tuple[str, bool]]:
        ledger = read_ledger(with_bounds("", bounds, scope), "known.toml")
        problems = audit(ledger, [cell], phases=PHASES, catalogue=CATALOGUE, today=TODAY, asked=whole)
        return [(each.message.partition(": ")[2], each.fails) for each in problems]

    assert messages({**BOUNDS, "stricter-all": 3}, more) == []
    assert messages(BOUNDS, COUNTED) == []
    assert messages(BOUNDS, more) == [("3 in one release, and the ledger says at most 2", True)]
    slack = [("3 in one release, and the ledger says at most 4", False)]
    assert messages({**BOUNDS, "stricter-all": 4}, more) == slack
    assert messages({**BOUNDS, "stricter": 4}, more, "1.0.0, mutations all") == slack


def test_bounds_stand_above_the_entries_and_replace_others() -> None:
    """Comments and entries stay as they are; a new file has a format."""
    once = with_bounds(TEXT, BOUNDS, SCOPE)
    assert (read_ledger(once, "").bounds, read_ledger(once, "").bounds_of) == (BOUNDS, SCOPE)
    assert once.index("[bounds]") < once.index("# Reported to them.") < once.index("[[deviation]]")
    assert once.endswith(TEXT[TEXT.index("# Reported to them.") :])
    assert with_bounds(once, BOUNDS, SCOPE) == once
    assert read_ledger(with_bounds(once, {"written": 1}, ""), "").bounds == {
        "written": 1,
        "failed": 0,
        "stricter": 0,
    }
    assert read_ledger(with_bounds("", BOUNDS, ""), "").bounds == BOUNDS


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("bounds = 3", "write [bounds]"),
        (
            "[bounds]\nwriten = 3",
            "unknown key 'writen': expected written, failed, stricter, stricter-all, of, left-out",
        ),
        ("[bounds]\nwritten = -1", "written is not a number from 0: write written = 12"),
        ("[bounds]\nstricter = true", "stricter is not a number from 0"),
        ("[bounds]\nleft-out = 3", "write [bounds.left-out]"),
        ("[bounds]\nof = 3", "of is not a text"),
        ("[bounds.left-out]\nnulls = 'many'", "left-out.nulls is not a number from 0"),
    ],
)
def test_a_table_that_is_wrong_is_named(table: str, words: str) -> None:
    """The message says what to write."""
    with pytest.raises(LedgerError) as error:
        read_ledger(f"format = 7\n{table}\n", "known.toml")
    assert words in str(error.value)
