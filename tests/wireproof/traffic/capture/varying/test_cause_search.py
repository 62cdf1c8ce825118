"""The search for a cause, over programs that fail at known variations."""

from collections.abc import Callable, Sequence

import pytest

from wireproof.traffic.capture.variations.variation_table import CATALOGUE
from wireproof.traffic.capture.varying.cause_search import BudgetOverError, CauseSearch
from wireproof.traffic.capture.varying.program_runs import ProgramEnd
from wireproof.traffic.capture.varying.varied_run import AnswerSite, VariationChoice, VariedRun

ANSWERS = {"ApiVersionsResponse": 2, "FetchResponse": 40, "MetadataResponse": 5}
ALL = [VariationChoice(each) for each in CATALOGUE]
USUAL = ("", "", frozenset[tuple[int, int]]())


class FakeProgram:
    """A program with the answers of `ANSWERS`, all varied by each selection; it fails where `fails` says."""

    def __init__(self, fails: Callable[[set[tuple[str, str, int]]], bool], most: int = 1_000) -> None:
        self.runs = 0
        self._fails = fails
        self._most = most

    def run(self, selections: Sequence[VariationChoice]) -> ProgramEnd:
        self.runs += 1
        if self.runs > self._most:
            raise BudgetOverError
        log = VariedRun(selections)
        for message, count in ANSWERS.items():
            for each in selections:
                for index in range(count):
                    if each.message in ("", message) and each.has(index):
                        log.sites.append(AnswerSite(each.variation, message, 1, index, b"", b""))
        met = {(site.variation.id, site.message, site.index) for site in log.sites}
        return ProgramEnd(self.runs, "ended with exit code 1" * self._fails(met), "", "", log, 1.0, False)


def search(fails: Callable[[set[tuple[str, str, int]]], bool], most: int = 1_000) -> tuple[str, int, bool]:
    program = FakeProgram(fails, most)
    causes = CauseSearch(program.run, USUAL)
    end = program.run(ALL)
    assert causes.differs(end)
    cause = causes.narrow(causes.find(ALL, end))
    return " + ".join(map(str, cause.selections)), program.runs, cause.steady and cause.narrowed


@pytest.mark.parametrize("index", [0, 1, 17, 39])
def test_one_answer_is_found(index: int) -> None:
    """The cause is one variation of one answer, wherever it is, in few runs."""
    text, runs, whole = search(lambda met: ("tags-many", "FetchResponse", index) in met)
    assert (text, whole) == (f"tags-many@FetchResponse#{index}", True)
    assert runs <= 26


def test_several_answers_together_are_a_range() -> None:
    """If no smaller part fails, the smallest range that does is the cause."""
    wanted = {("tags-root", "FetchResponse", index) for index in (8, 31)}
    text, _, whole = search(lambda met: wanted <= met)
    assert (text, whole) == ("tags-root@FetchResponse", True)


def test_two_variations_together_are_both_named() -> None:
    """Each alone is taken, and the two together are not."""
    pair = {("tags-root", "MetadataResponse", 0), ("stream-slow", "MetadataResponse", 0)}
    text, runs, _ = search(lambda met: pair <= met)
    assert set(text.split(" + ")) == {"tags-root", "stream-slow"}
    assert runs <= 60


def test_a_run_that_cannot_be_repeated_is_unsteady() -> None:
    """The second run with the same variations ends as usual."""
    ends = iter([True])
    _, _, whole = search(lambda met: next(ends, False))
    assert not whole


def test_two_ends_of_their_own_are_no_cause() -> None:
    """The same variations end otherwise twice, and as usual the third time: the program is unsteady."""
    ends = iter([True, False, False, True, False])
    _, runs, whole = search(lambda met: next(ends, False))
    assert (runs, whole) == (5, False)


def test_the_budget_ends_the_search() -> None:
    """What was found until then stays, and is marked."""
    text, _, whole = search(lambda met: ("tags-many", "FetchResponse", 3) in met, most=16)
    assert text == "tags-many"
    assert not whole


def test_a_right_guess_needs_one_run() -> None:
    """A wrong one is left out, and the search goes on."""
    program = FakeProgram(lambda met: ("tags-many", "FetchResponse", 3) in met)
    causes = CauseSearch(program.run, USUAL)
    end = program.run(ALL)
    right = next(each for each in ALL if each.variation.id == "tags-many")
    assert causes.find(ALL, end, [right]).selections == (right,)
    assert program.runs == 2
    assert causes.find(ALL, end, ALL[:1]).selections == (right,)
