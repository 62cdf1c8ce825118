"""The time limit of an attempt is derived from the cell's own answers, and never above the limits."""

import pytest

from wireproof.model.codec_ends import HANG_BUDGET_S
from wireproof.proof.testees.limits.time_limits import AnswerTimes, HangDetector, HangError, ResourceLimits

LIMITS = ResourceLimits(cpu_s=10.0, silent_s=60.0)


def paced(*answers: float) -> AnswerTimes:
    pace = AnswerTimes(LIMITS)
    for each in answers:
        pace.answered(each)
    return pace


def test_the_slowest_answer_of_a_cell_sets_the_limit() -> None:
    """The limit has a floor for quick answers, and a maximum for slow ones; the second attempt has more
    time."""
    assert paced(0.001, 0.0005).first(0).cpu_s == 0.5
    assert paced(0.001, 0.1).first(0).cpu_s == 2.0
    assert paced(9.0).first(0).cpu_s < paced(9.0).second(0).cpu_s == LIMITS.cpu_s
    for pace in (paced(0.001), paced(0.1), paced(0.2)):
        assert pace.first(0).cpu_s < pace.second(0).cpu_s <= LIMITS.cpu_s
        assert pace.first(0).silent_s < pace.second(0).silent_s < LIMITS.silent_s


def test_another_cell_counts_its_own_answers() -> None:
    """Until there are any, the answers of the cell before count."""
    pace = paced(0.1)
    pace.begin_cell()
    assert pace.first(0).cpu_s == 2.0
    pace.answered(0.001)
    assert pace.first(0).cpu_s == 0.5


def test_a_fresh_process_has_time_to_start() -> None:
    """Its first answer does not count for later limits, and the second attempt is made in a fresh process."""
    pace = paced(0.001)
    before = pace.second(0).cpu_s
    pace.answered(1.0, cold=True)
    assert pace.first(0).cpu_s == 0.5
    assert pace.second(0).cpu_s > before


def test_long_requests_have_more_time() -> None:
    """64 KiB of a message are 128 KiB of text. The time grows with the length, also for a slow codec."""
    assert paced(0.001).first(1 << 17).cpu_s > 1.5
    for pace in (paced(0.001), paced(9.0)):
        more = pace.first(1 << 21).cpu_s - pace.first(1 << 20).cpu_s
        assert more == pytest.approx(10.48576)
        assert pace.second(1 << 20).cpu_s > 10.0


def test_a_line_has_the_time_of_its_requests() -> None:
    """An answer of a line has its part of the line's time; a line with more requests has as much more
    time."""
    pace = AnswerTimes(LIMITS)
    pace.answered(0.64, answers=64)
    assert pace.first(0).cpu_s == 0.5
    assert pace.first(0, 64).cpu_s == pytest.approx(1.28)


def test_a_verdict_leaves_time_for_others() -> None:
    """A single verdict takes at most half of the time for hangs, also for a slow codec."""
    assert paced(5.0).verdict_s(0) <= HANG_BUDGET_S / 2


def test_an_unmeasurable_process_has_the_whole_limits() -> None:
    """Without a clock for sleep only the whole limit counts."""
    pace = AnswerTimes(LIMITS, measured=False)
    assert pace.first(0).silent_s == pace.second(0).silent_s == LIMITS.silent_s
    assert pace.first(0).cpu_s > 5.0


class Starved:
    """A process that needs the processor and does not get it."""

    def cpu_s(self) -> float:
        return 0.0

    def asleep(self) -> bool:
        return False


class Asleep(Starved):
    """A process that waits for us."""

    def asleep(self) -> bool:
        return True


class Working(Starved):
    """A process that has used 3 s more at each reading."""

    spent_s = 0.0

    def cpu_s(self) -> float:
        self.spent_s += 3.0
        return self.spent_s


def test_a_busy_machine_is_not_a_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    """An hour of elapsed time is not a hang; 3 s of processor time are."""
    clock = iter(range(0, 10**6, 3600))
    monkeypatch.setattr("wireproof.proof.testees.limits.time_limits.time.monotonic", lambda: next(clock))
    starved = HangDetector(Starved(), paced(0.001).first(0))
    for _ in range(5):
        starved.check()
    asleep = HangDetector(Asleep(), paced(0.001).first(0))
    asleep.check()  # an hour in which this process could not read the answer
    working = HangDetector(Working(), paced(0.001).first(0))
    working.check()
    with pytest.raises(HangError, match=r"no answer after 3\.0 s of processor time") as raised:
        working.check()
    assert raised.value.spent_s == 3.0
