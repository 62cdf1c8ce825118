"""KIP-625's figures: those that hold, those that do not and why, and the page that says so."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

from kafkawire.schema import IntegerEncoding
from tests.wireproof.definitions.sizes.kip_625_tables import MESSAGES, TABLES, message_bytes, partition_bytes
from tests.wireproof.definitions.sizes.length_ranges import length_ranges

PAGE = Path(__file__).parents[4] / "docs" / "explanations" / "kip-625.md"
_TABLE = re.compile(r"<!-- table: (\S+) -->\n((?:\|.*\n)+)")

_SIGNED = {
    (-(2**31), -134_217_727): 5,
    (-134_217_728, -1_048_575): 4,
    (-1_048_576, -8_191): 3,
    (-8_192, -63): 2,
    (-64, 63): 1,
    (64, 8_191): 2,
    (8_192, 1_048_575): 3,
    (1_048_576, 134_217_727): 4,
    (134_217_728, 2**31 - 1): 5,
}
"""As the KIP has it, the last end excluded."""
_UNSIGNED = {
    (0, 127): 1,
    (128, 16_383): 2,
    (16_384, 2_097_151): 3,
    (2_097_152, 268_435_455): 4,
    (268_435_456, 2**32): 5,
}
"""As the KIP has it, the last end excluded."""

BEST, UNKNOWN_EPOCH, KIP_WORST, MOST = MESSAGES
_GROWTH_OUTSIDE = 32
"""Bytes of all but the partitions: throttle time, 2 node ids, 2 ports of 2 bytes before, the controller, the
topic's error code, and two sets of operations: 4 + 8 + 6 + 4 + 2 + 8."""


def test_the_page_has_the_tables_of_the_code() -> None:
    """Each table once, line by line."""
    found = dict(_TABLE.findall(PAGE.read_text("utf-8")))
    assert set(found) == set(TABLES)
    for name, make in TABLES.items():
        assert found[name].splitlines() == make(), f"{name}: python -m {__package__}.kip_625_tables prints it"


def test_the_unsigned_histogram_is_the_kips() -> None:
    """It holds to the last number; above 2^31 are the negative numbers, as Java has them."""
    ranges = length_ranges(IntegerEncoding.UPACKED32)
    assert ranges[0] == (-(2**31), -1, 5)
    found = {(low, high): length for low, high, length in ranges[1:]}
    ours = {**_UNSIGNED, (268_435_456, 2**31 - 1): 5}
    del ours[268_435_456, 2**32]
    assert found == ours


def test_the_signed_histogram_has_four_slips() -> None:
    """Where a range of the KIP ends below zero, the real one ends two numbers before: the KIP's overlap."""
    ranges = length_ranges(IntegerEncoding.PACKED32)
    kip = list(_SIGNED.items())
    slips = 0
    for (low, high, length), ((kip_low, kip_high), kip_length) in zip(ranges, kip, strict=True):
        assert (low, length) == (kip_low, kip_length)
        slips += high != kip_high
        assert high == kip_high - 2 * (kip_high < 0)
    assert slips == 4


@pytest.mark.parametrize("encoding", IntegerEncoding)
def test_ranges_are_whole_and_have_their_lengths(encoding: IntegerEncoding) -> None:
    """They follow each other over all numbers of the width, and differ in length from their neighbours."""
    ranges = length_ranges(encoding)
    half = 1 << (encoding.bits - 1)
    assert (ranges[0].low, ranges[-1].high) == (-half, half - 1)
    for one, other in pairwise(ranges):
        assert one.high + 1 == other.low
        assert one.length_bytes != other.length_bytes


@pytest.mark.parametrize(("replicas", "isr", "offline"), [(0, 0, 0), (2, 2, 0), (3, 2, 1), (40, 40, 40)])
def test_the_formulas_hold(replicas: int, isr: int, offline: int) -> None:
    """17 + 4(R + I + O) and 7 + R + I + O; a byte more with the tag section that the KIP leaves out."""
    together = replicas + isr + offline
    assert partition_bytes("fixed", replicas, isr, offline) == 17 + 4 * together
    assert partition_bytes("upacked", replicas, isr, offline) == 7 + together
    assert partition_bytes("packed", replicas, isr, offline) == 7 + together
    assert partition_bytes("fixed", replicas, isr, offline, tags=True) == 18 + 4 * together
    assert partition_bytes("upacked", replicas, isr, offline, tags=True) == 8 + together


def test_the_best_case_is_the_kips_without_tag_sections() -> None:
    """1,170 bytes, with names of a chosen length. Real tag sections add 104 bytes."""
    assert message_bytes("upacked", BEST, tags=False) == 1170
    assert message_bytes("upacked", BEST) == 1170 + 104  # 100 partitions, a topic, 2 brokers, the message


def test_an_unknown_leader_epoch_is_dear() -> None:
    """Its default, -1, takes 5 bytes as upacked32 and 1 byte as packed32."""
    assert message_bytes("upacked", UNKNOWN_EPOCH) - message_bytes("upacked", BEST) == 400
    assert message_bytes("packed", UNKNOWN_EPOCH) == message_bytes("packed", BEST)


def test_the_kips_worst_case_is_one_of_packed() -> None:
    """Numbers from 134,217,728 on have 5 bytes as packed32; as upacked32 they have 4."""
    assert message_bytes("packed", KIP_WORST) > message_bytes("fixed", KIP_WORST)
    assert message_bytes("upacked", KIP_WORST) < message_bytes("fixed", KIP_WORST)
    assert message_bytes("packed", MOST) == message_bytes("upacked", MOST)


@pytest.mark.parametrize("replicas", range(5))
def test_no_response_has_both_of_the_kips_sizes(replicas: int) -> None:
    """Whatever grows in 100 partitions alike, the bodies do not differ by 4,026 - 1,170 bytes.

    Each number has one byte or the most bytes; the rest of the body grows by 32 bytes at most. More than 4
    replicas have more than 1,170 bytes.
    """
    small = partition_bytes("packed", replicas, 0, 0)
    grown = {4 * many + error for many in range(4 + replicas) for error in range(3)}
    most = partition_bytes("packed", replicas, 0, 0, number=2**31 - 1, error=32767)
    assert max(grown) == most - small
    rest = [4026 - 1170 - 100 * growth for growth in grown]
    assert not [each for each in rest if 0 <= each <= _GROWTH_OUTSIDE]
    assert 100 * partition_bytes("packed", 5, 0, 0) > 1170


def test_a_fixed_response_of_four_replicas_is_longer_than_the_kips() -> None:
    """The partitions alone have 3,300 bytes; an earlier revision of the KIP has 3,216 for the whole body."""
    assert 100 * partition_bytes("fixed", 2, 2, 0) == 3300 > 3216
    assert message_bytes("fixed", BEST, tags=False) == 3385
