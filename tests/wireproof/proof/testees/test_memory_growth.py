"""Growth of a testee's memory: the offending input is found, and garbage collection is not a finding."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from wireproof.model.adapter import Crashed, Reply, Unsupported
from wireproof.proof.adapters.testee.testee_reader import BLEW_UP, SLACK_BYTES, MemoryGrowthMeter
from wireproof.proof.testees.limits.watchdog import PeakMemory

MIB = 1 << 20
CALM = [b"calm"]
INNOCENT = [bytes([0, number]) for number in range(150)]


@dataclass
class Codec:
    """A testee whose memory grows by the cost of each input, and by garbage; a new process starts at zero."""

    costs: dict[bytes, int] = field(default_factory=dict)
    garbage: int = 0
    once: frozenset[bytes] = frozenset()
    """Inputs that cost memory only the first time that they are read."""
    process: int = 1
    held: int = 50 * MIB
    peak: int = 50 * MIB
    asked: list[bytes] = field(default_factory=list)
    measured: bool = True

    def measure_peak(self, *, begin: bool = False) -> PeakMemory | None:
        if begin:
            self.peak = self.held
        return PeakMemory(self.process, self.peak) if self.measured else None

    def end(self) -> None:
        self.process += 1
        self.held = self.peak = 50 * MIB

    def ask(self, inputs: Sequence[bytes]) -> list[Reply]:
        for data in inputs:
            first = data not in self.asked
            self.held += self.garbage if data not in self.once or first else 0
            cost = self.costs.get(data, 0)
            self.held += cost if data not in self.once or first else 0
            self.peak = max(self.peak, self.held)
            self.asked.append(data)
        return [Unsupported("", data.hex()) for data in inputs]


def offending(codec: Codec, inputs: Sequence[bytes], weigher: MemoryGrowthMeter | None = None) -> list[bytes]:
    replies = (weigher or MemoryGrowthMeter(codec)).ask(codec.ask, inputs, CALM, SLACK_BYTES)
    assert len(replies) == len(inputs)
    pairs = list(zip(inputs, replies, strict=True))
    assert all(
        reply == Unsupported("", data.hex()) for data, reply in pairs if not isinstance(reply, Crashed)
    )
    return [data for data, reply in pairs if isinstance(reply, Crashed) and reply.error == BLEW_UP]


def test_the_offending_input_is_found_among_many() -> None:
    """A process may keep its memory: each input is measured in a process that did not read the others."""
    codec = Codec({b"\xff": 200 * MIB, b"\xfe": 300 * MIB})

    assert offending(codec, [*INNOCENT[:70], b"\xff", b"\xfe", *INNOCENT[70:]]) == [b"\xff", b"\xfe"]


def test_a_testee_without_growth_is_asked_once() -> None:
    """Without growth no request is repeated, and no process ends."""
    codec = Codec(dict.fromkeys(INNOCENT, MIB // 4))

    assert offending(codec, INNOCENT) == []
    assert (codec.asked, codec.process) == (INNOCENT, 1)


def test_garbage_is_not_a_finding_and_is_examined_once() -> None:
    """Each answer leaves some garbage: a group grows, but no single input does. The next group takes that
    into account."""
    codec = Codec(garbage=3 * MIB)
    weigher = MemoryGrowthMeter(codec)

    assert offending(codec, INNOCENT[:64], weigher) == []
    ended = codec.process
    assert offending(codec, INNOCENT[64:128], weigher) == []
    assert codec.process == ended > 1


def test_growth_that_happens_once_is_not_a_finding() -> None:
    """Examples are a class that is loaded and a table that is made."""
    codec = Codec({b"\xff": 200 * MIB}, once=frozenset({b"\xff"}))

    assert offending(codec, [*INNOCENT[:10], b"\xff"]) == []


def test_an_input_may_take_memory_by_its_length() -> None:
    """The limit has slack, and some bytes for each byte of input: a large message has large objects."""
    large = bytes(4 * MIB)

    assert offending(Codec({large: 200 * MIB}), [large]) == []
    assert offending(Codec({large: 700 * MIB}), [large]) == [large]


def test_an_input_that_costs_as_much_as_valid_bytes_is_not_a_finding() -> None:
    """If the runtime needs this much for any input, the input is not at fault."""
    assert offending(Codec({b"\xff": 80 * MIB, b"calm": 60 * MIB}), [b"\xff"]) == []


def test_without_a_measurement_there_is_no_finding() -> None:
    """This is so in a container, in this process, and on another system."""
    assert offending(Codec({b"\xff": 900 * MIB}, measured=False), [b"\xff"]) == []


def test_a_long_input_that_offends_is_read_twice() -> None:
    """In its group, and first in a fresh process: a bomb takes seconds each time."""
    bomb = bytes(MIB)
    codec = Codec({bomb: 900 * MIB})

    assert offending(codec, [*INNOCENT[:30], bomb, *INNOCENT[30:60]]) == [bomb]
    assert codec.asked.count(bomb) == 2
