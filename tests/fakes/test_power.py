"""The plan kills every mutant at whatever site the seed chooses; the codec itself survives."""

import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from kafkawire.records import record_set_spec
from kafkawire.schema import SchemaSet
from tests.support.commands.forked_command import run_command
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.power.mutants.generation import make_mutant
from wireproof.power.operators import all_operators
from wireproof.power.summary import BugClass

SNAPSHOT = load_snapshot(table().find("newest"))
NEWEST = SchemaSet(SNAPSHOT.release, {**SNAPSHOT.modules, "records": {"RecordBatch": record_set_spec()}})

SEEDS = (0, 1, 2)
SYMMETRIC = 20
"""Mutants at least that read what they write: it takes Kafka's bytes to find them."""


@dataclass(frozen=True)
class Line:
    """A line of `wireproof power --format tsv`."""

    bug_class: str
    mutant: str
    verdict: str
    symmetric: str
    kind: str
    place: str
    cells: str
    check: str
    scenario: str
    cell: str
    cases: str
    equivalents: str
    codec: str
    difference: str
    seconds: str
    excuses: str
    causes: str


DRAWN = (
    *("checksum-of-31-bits", "decompresses-without-limit"),
    *("null-header-value-empty", "room-for-the-declared-records"),
)
"""Mutants of record sets that a case of another phase kills, which may depend on the seed."""
FIXED = ("shape", "enumerated")
"""Phases with the same cases for every seed."""


@cache
def place(name: str, seed: int) -> str:
    return make_mutant(all_operators()[name], NEWEST, seed=seed).place


def asked(seed: int) -> list[str]:
    """Return the operators that make another mutant than with the seeds before, and those of `DRAWN`."""
    before = SEEDS[: SEEDS.index(seed)]
    return [
        name
        for name in all_operators()
        if name in DRAWN or place(name, seed) not in {place(name, each) for each in before}
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_every_mutant_is_killed(seed: int) -> None:
    """Each operator has a line with the check, the case and the number of cases that killed its mutant. The
    last line has the number of killed mutants and the median of the cases to detection.

    A mutant that another seed makes again is killed by a case that every seed asks; it is tried once.
    """
    names = asked(seed)
    words = [word for name in names for word in ("--mutant", name)]
    ran = run_command(Path.cwd(), "power", "--seed", str(seed), "--format", "tsv", "--jobs", "1", *words)
    lines = [Line(*line.split("\t")) for line in ran.stdout.splitlines()]

    assert [line.mutant for line in lines if line.verdict != "killed"] == [], ran.stderr
    assert ran.returncode == 0, ran.stderr
    assert [line.mutant for line in lines] == names
    later = [each for each in SEEDS if each > seed]
    again = {(name, place(name, each)) for each in later for name in {*all_operators()} - {*asked(each)}}
    fixed = [line for line in lines if (line.mutant, place(line.mutant, seed)) in again]
    assert [line for line in fixed if line.scenario.partition("/")[0] not in FIXED] == []
    assert all(line.check != "-" and line.scenario != "-" and int(line.cases) > 0 for line in lines)
    assert sum(line.symmetric == "yes" for line in lines) >= SYMMETRIC
    cases = sorted(int(line.cases) for line in lines)
    middle = (cases[(len(cases) - 1) // 2] + cases[len(cases) // 2]) / 2
    assert f"{len(lines)} of {len(lines)} mutants killed, {middle:g} cases and " in ran.stderr


def test_the_size_of_a_tagged_nullable_struct_is_tested_where_it_grows() -> None:
    """The enumerated phase kills both bugs; one is at the sizes 128 to 255 alone."""
    ends = {
        "tagged-struct-size-without-its-marker": "enumerated/message/fullest",
        "tagged-struct-size-of-one-byte": "enumerated/classicMemberMetadata/data-128",
    }
    words = [word for name in ends for word in ("--mutant", name)]
    ran = run_command(Path.cwd(), "power", "--format", "tsv", "--jobs", "1", *words)
    lines = [Line(*line.split("\t")) for line in ran.stdout.splitlines()]

    found = {line.mutant: line.scenario for line in lines}
    assert found == ends, ran.stderr


def test_there_are_enough_of_each_class() -> None:
    """Sixty at least, and three of each class of the bugs that real codecs had."""
    counts = Counter(operator.bug_class for operator in all_operators().values())

    assert sum(counts.values()) >= 60
    assert {each.value for each in BugClass if counts[each] < 3} == set()


def test_other_seeds_choose_other_places() -> None:
    """A few operators have one site only, such as the client id of the header; most move with the seed."""
    places = {name: {place(name, seed) for seed in SEEDS} for name in all_operators()}

    moved = [name for name, found in places.items() if len(found) > 1]
    assert len(moved) >= 0.85 * len(places), sorted({*places} - {*moved})


PLANT = """\
from tests.support.mutants import odd_operators
import wireproof.app.cli.power.power_command as power
from wireproof.app.cli import main
power.all_operators = odd_operators.operators
sys.argv = ["wireproof", *sys.argv[1:]]
if __name__ == "__main__":
    main()
"""


def odd(folder: Path, *names: str) -> tuple[int, list[Line], str]:
    """Run the command with the operators of the tests."""
    script = folder / "power_of_odd_operators.py"
    script.write_text(f"import sys\nsys.path[:0] = {sys.path!r}\n{PLANT}")
    words = ["power", "--format", "tsv", "--jobs", "1"]
    words += [word for name in names for word in ("--mutant", name)]
    ran = subprocess.run([sys.executable, str(script), *words], capture_output=True, text=True, check=False)
    return ran.returncode, [Line(*line.split("\t")) for line in ran.stdout.splitlines()], ran.stderr


def test_a_survivor_fails(tmp_path: Path) -> None:
    """No case kills a mutant that equals the original: exit code 1, and the report names it."""
    code, lines, words = odd(tmp_path, "empty-for-null", "the-original")

    assert [(line.mutant, line.verdict) for line in lines] == [
        ("empty-for-null", "killed"),
        ("the-original", "survived"),
    ], words
    assert code == 1
    assert "the-original survived" in words


def test_an_operator_without_effect_fails(tmp_path: Path) -> None:
    """It is equivalent in every cell: exit code 7, and the report has the number of sites."""
    code, lines, words = odd(tmp_path, "no-effect")

    found = [(line.verdict, int(line.equivalents) > 700) for line in lines]
    assert found == [("equivalent", True)], words
    assert code == 7
    assert "at none of" in words


def test_a_mutant_that_takes_its_process_down_is_lost_and_the_rest_goes_on(tmp_path: Path) -> None:
    """The harness could not judge it: exit code 5."""
    code, lines, words = odd(tmp_path, "deadly", "empty-for-null", "stumbling")

    verdicts = {line.mutant: line.verdict for line in lines}
    assert verdicts == {"deadly": "lost", "empty-for-null": "killed", "stumbling": "lost"}, words
    assert code == 5
