"""What a testee's memory grows by: the guilty input is found, a garbage collector is not."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from wireproof.adapters.testee.memory_growth import BLEW_UP, SLACK_BYTES, MemoryGrowthMeter
from wireproof.model import Crashed, Reply, Unsupported
from wireproof.testees.process.peak_memory import PeakMemory

MIB = 1 << 20
CALM = [b"calm"]
INNOCENT = [bytes([0, number]) for number in range(150)]


@dataclass
class Codec:
    """A testee whose memory grows by what each input costs, and by garbage; a new process begins anew."""

    costs: dict[bytes, int] = field(default_factory=dict)
    garbage: int = 0
    once: frozenset[bytes] = frozenset()
    """Inputs that cost something when they are read for the first time ever."""
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


def guilty(codec: Codec, inputs: Sequence[bytes], weigher: MemoryGrowthMeter | None = None) -> list[bytes]:
    replies = (weigher or MemoryGrowthMeter(codec)).ask(codec.ask, inputs, CALM, SLACK_BYTES)
    assert len(replies) == len(inputs)
    pairs = list(zip(inputs, replies, strict=True))
    assert all(
        reply == Unsupported("", data.hex()) for data, reply in pairs if not isinstance(reply, Crashed)
    )
    return [data for data, reply in pairs if isinstance(reply, Crashed) and reply.error == BLEW_UP]


def test_the_input_that_makes_it_grow_is_found_among_many() -> None:
    """Even where the process keeps what it took: each is weighed in a process that did not read the other."""
    codec = Codec({b"\xff": 200 * MIB, b"\xfe": 300 * MIB})

    assert guilty(codec, [*INNOCENT[:70], b"\xff", b"\xfe", *INNOCENT[70:]]) == [b"\xff", b"\xfe"]


def test_a_calm_testee_is_asked_everything_once() -> None:
    """Weighing asks nothing again where nothing grew, and ends no process."""
    codec = Codec(dict.fromkeys(INNOCENT, MIB // 4))

    assert guilty(codec, INNOCENT) == []
    assert (codec.asked, codec.process) == (INNOCENT, 1)


def test_garbage_is_nobodys_fault_and_is_looked_at_once() -> None:
    """Each answer leaves some: a group grows, no input does. The next group is measured by that."""
    codec = Codec(garbage=3 * MIB)
    weigher = MemoryGrowthMeter(codec)

    assert guilty(codec, INNOCENT[:64], weigher) == []
    ended = codec.process
    assert guilty(codec, INNOCENT[64:128], weigher) == []
    assert codec.process == ended > 1


def test_what_happens_once_is_not_repeated_and_so_no_finding() -> None:
    """A class that is loaded, a table that is made."""
    codec = Codec({b"\xff": 200 * MIB}, once=frozenset({b"\xff"}))

    assert guilty(codec, [*INNOCENT[:10], b"\xff"]) == []


def test_an_input_may_take_memory_by_its_length() -> None:
    """Slack, and some bytes for each byte of input: a large message has large objects."""
    large = bytes(4 * MIB)

    assert guilty(Codec({large: 200 * MIB}), [large]) == []
    assert guilty(Codec({large: 700 * MIB}), [large]) == [large]


def test_valid_bytes_that_cost_as_much_excuse_the_input() -> None:
    """A runtime that takes this much for anything says nothing of the input."""
    assert guilty(Codec({b"\xff": 80 * MIB, b"calm": 60 * MIB}), [b"\xff"]) == []


def test_where_nobody_can_measure_nothing_is_found() -> None:
    """In a container, in this process, on another system."""
    assert guilty(Codec({b"\xff": 900 * MIB}, measured=False), [b"\xff"]) == []
