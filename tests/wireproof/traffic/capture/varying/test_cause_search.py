"""The search for a cause, over programs that fail at known variations."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from wireproof.traffic.capture.variations.variation_table import CATALOGUE
from wireproof.traffic.capture.variations.version_variations import pinned_version
from wireproof.traffic.capture.varying.cause_search import CauseSearch, FoundCause
from wireproof.traffic.capture.varying.program_runs import BudgetOverError, ProgramEnd
from wireproof.traffic.capture.varying.varied_run import AnswerSite, VariationChoice, VariedRun

ANSWERS = {"ApiVersionsResponse": 2, "FetchResponse": 40, "MetadataResponse": 5}
ALL = [VariationChoice(each) for each in CATALOGUE]
ORDER = {each.id: number for number, each in enumerate(CATALOGUE)}
USUAL = ProgramEnd(1, "", "", "", VariedRun(), 1.0, False)


class FakeProgram:
    """A program with the answers of `ANSWERS`, all varied by each selection; it fails where `fails` says.

    It gets selections in the order of the catalogue, because each changes what the one before has made.

    Args:
        late: true if it hangs there.

    Attributes:
        hung: how often it hung.
    """

    def __init__(
        self, fails: Callable[[set[tuple[str, str, int]]], bool], most: int = 1_000, *, late: bool = False
    ) -> None:
        self.runs = 0
        self.hung = 0
        self._late = late
        self._fails = fails
        self._most = most

    def run(self, selections: Sequence[VariationChoice], *, patient: bool = True) -> ProgramEnd:
        assert list(selections) == sorted(selections, key=lambda each: ORDER.get(each.variation.id, 0))
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
        fails = self._fails(met)
        self.hung += fails and self._late
        seconds = 20.0 if fails and self._late else 1.0
        return ProgramEnd(
            self.runs, "ended with exit code 1" * fails, "", "", log, seconds, fails and self._late
        )


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
    """The same variations end otherwise thrice, and as usual the fourth time: the program is unsteady."""
    halves = [False] * 9
    ends = iter([True, *halves, True, False, False, True, False])
    _, runs, whole = search(lambda met: next(ends, False))
    assert (runs, whole) == (15, False)


def test_a_slow_program_is_run_patiently() -> None:
    """Runs with few variations are late if they are not patient; the cause is found all the same."""
    program = FakeProgram(lambda met: ("tags-many", "FetchResponse", 3) in met)

    def attempt(selections: Sequence[VariationChoice], *, patient: bool) -> ProgramEnd:
        return replace(program.run(selections), late=not patient)

    causes = CauseSearch(attempt, USUAL)
    cause = causes.narrow(causes.find(ALL, program.run(ALL)))
    assert list(map(str, cause.selections)) == ["tags-many@FetchResponse#3"]


def test_a_hanging_program_waits_seldom() -> None:
    """The parts that leave the cause out are tried first: these runs end soon."""
    program = FakeProgram(lambda met: (ALL[-1].variation.id, "MetadataResponse", 4) in met, late=True)
    causes = CauseSearch(program.run, USUAL)
    causes.find(ALL, program.run(ALL))
    assert program.hung == 2


def test_the_budget_ends_the_search() -> None:
    """What was found until then stays, and is marked."""
    text, _, whole = search(lambda met: ("tags-many", "FetchResponse", 3) in met, most=16)
    assert text == "tags-many"
    assert not whole


def test_a_right_guess_needs_no_halves() -> None:
    """It is tried alone, and confirmed; a wrong one is left out, and the search goes on."""
    program = FakeProgram(lambda met: ("tags-many", "FetchResponse", 3) in met)
    causes = CauseSearch(program.run, USUAL)
    end = program.run(ALL)
    right = next(each for each in ALL if each.variation.id == "tags-many")
    assert causes.find(ALL, end, [right]).selections == (right,)
    assert program.runs == 4
    assert causes.find(ALL, end, ALL[:1]).selections == (right,)


def test_what_is_no_finding_is_not_confirmed() -> None:
    """One run of the guess is enough."""
    program = FakeProgram(lambda met: ("tags-many", "FetchResponse", 3) in met)
    causes = CauseSearch(program.run, USUAL, lambda selection, end: False)
    guess = next(each for each in ALL if each.variation.id == "tags-many")
    assert causes.find(ALL, program.run(ALL), [guess]).selections == (guess,)
    assert program.runs == 2


def test_an_offer_is_not_narrowed() -> None:
    """It is one of all answers."""
    offer = VariationChoice(pinned_version("FetchRequest", 1, 4))
    program = FakeProgram(lambda met: True)
    causes = CauseSearch(program.run, USUAL)
    cause = FoundCause((offer,), program.run([offer]))
    assert causes.narrow(cause) is cause
    assert program.runs == 1
