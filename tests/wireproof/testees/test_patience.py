"""How long an attempt may take: by the cell's own answers, never above the limits."""

import pytest

from wireproof.model import HANG_BUDGET_S
from wireproof.testees.limits.resource_limits import ResourceLimits
from wireproof.testees.limits.time_limits import AnswerTimes, HangDetector, HangError

LIMITS = ResourceLimits(cpu_s=10.0, silent_s=60.0)


def paced(*answers: float) -> AnswerTimes:
    pace = AnswerTimes(LIMITS)
    for each in answers:
        pace.answered(each)
    return pace


def test_the_slowest_answer_of_a_cell_says_how_long_one_may_take() -> None:
    """A floor where answers are quick, the limit where they are slow; more at the second try."""
    assert paced(0.001, 0.0005).first(0).cpu_s == 0.5
    assert paced(0.001, 0.1).first(0).cpu_s == 2.0
    assert paced(9.0).first(0).cpu_s < paced(9.0).second(0).cpu_s == LIMITS.cpu_s
    for pace in (paced(0.001), paced(0.1), paced(0.2)):
        assert pace.first(0).cpu_s < pace.second(0).cpu_s <= LIMITS.cpu_s
        assert pace.first(0).silent_s < pace.second(0).silent_s < LIMITS.silent_s


def test_another_cell_counts_its_own_answers() -> None:
    """Those of the cell before, until there are any."""
    pace = paced(0.1)
    pace.begin_cell()
    assert pace.first(0).cpu_s == 2.0
    pace.answered(0.001)
    assert pace.first(0).cpu_s == 0.5


def test_a_fresh_process_has_time_to_start() -> None:
    """Its first answer is no measure of the others, and the second attempt is made in such a process."""
    pace = paced(0.001)
    before = pace.second(0).cpu_s
    pace.answered(1.0, cold=True)
    assert pace.first(0).cpu_s == 0.5
    assert pace.second(0).cpu_s > before


def test_long_questions_have_more_time() -> None:
    """64 KiB of a message are 128 KiB of text. The time grows with the length, however slow the codec is."""
    assert paced(0.001).first(1 << 17).cpu_s > 1.5
    for pace in (paced(0.001), paced(9.0)):
        more = pace.first(1 << 21).cpu_s - pace.first(1 << 20).cpu_s
        assert more == pytest.approx(10.48576)
        assert pace.second(1 << 20).cpu_s > 10.0


def test_a_line_has_the_time_of_its_questions() -> None:
    """What each of many answers of a line took is its part; as many more of them may take as long again."""
    pace = AnswerTimes(LIMITS)
    pace.answered(0.64, answers=64)
    assert pace.first(0).cpu_s == 0.5
    assert pace.first(0, 64).cpu_s == pytest.approx(1.28)


def test_a_verdict_leaves_time_for_others() -> None:
    """However slow the codec is: of the time for hangs no single one takes more than half."""
    assert paced(5.0).verdict_s(0) <= HANG_BUDGET_S / 2


def test_who_cannot_be_measured_has_the_limits() -> None:
    """Sleep is not known there, so that only the whole limit convicts."""
    pace = AnswerTimes(LIMITS, measured=False)
    assert pace.first(0).silent_s == pace.second(0).silent_s == LIMITS.silent_s
    assert pace.first(0).cpu_s > 5.0


class Starved:
    """A process that wants the processor and gets none."""

    def cpu_s(self) -> float:
        return 0.0

    def asleep(self) -> bool:
        return False


class Asleep(Starved):
    """A process that waits for us."""

    def asleep(self) -> bool:
        return True


class Working(Starved):
    """A process that has used 3 s more at each look."""

    spent_s = 0.0

    def cpu_s(self) -> float:
        self.spent_s += 3.0
        return self.spent_s


def test_a_busy_machine_convicts_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """An hour by the clock is nothing; 3 s of processor time are."""
    clock = iter(range(0, 10**6, 3600))
    monkeypatch.setattr("wireproof.testees.limits.time_limits.time.monotonic", lambda: next(clock))
    starved = HangDetector(Starved(), paced(0.001).first(0))
    for _ in range(5):
        starved.check()
    asleep = HangDetector(Asleep(), paced(0.001).first(0))
    asleep.check()  # an hour in which this process did not get to read what was answered
    working = HangDetector(Working(), paced(0.001).first(0))
    working.check()
    with pytest.raises(HangError, match=r"no answer after 3\.0 s of processor time") as raised:
        working.check()
    assert raised.value.spent_s == 3.0
