"""Our reader of coordinators' records, by the rules before and after KIP-915."""

import pytest

from kafkawire.compiler import interpret_layout
from kafkawire.schema import SchemaSet, resolve
from kafkawire.values import TAGS
from wireproof.definitions.downgrade.load_rules import (
    AFTER_KIP_915,
    BEFORE_KIP_915,
    DowngradeOutcome,
    LoadRule,
    LoadRules,
    UnknownVersion,
)
from wireproof.definitions.downgrade.record_loader import RecordLoader
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.traffic.wire.inner_messages import InternalLog

OFFSETS = InternalLog.OFFSETS
UNCHECKED = LoadRules(True, UnknownVersion.READ)
SKIPPING = LoadRules(True, UnknownVersion.SKIP)


def schemas(release: str) -> SchemaSet:
    return load_snapshot(table().find(release))


def loader(release: str, rules: LoadRules) -> RecordLoader:
    return RecordLoader(schemas(release), lambda log: rules)


def key(release: str = "3.9.2") -> bytes:
    layout = resolve(schemas(release).find("OffsetCommitKey")[1], 1)
    return b"\0\1" + interpret_layout(layout).encode({"group": "g", "topic": "t", "partition": 7})


def value(version: int, label: int | None = None, tags: dict[int, bytes] | None = None) -> bytes:
    layout = resolve(schemas("3.9.2").find("OffsetCommitValue")[1], version)
    body = {"offset": 42, "metadata": "m", **({TAGS: tags} if tags else {})}
    number = version if label is None else label
    return number.to_bytes(2, "big", signed=True) + interpret_layout(layout).encode(body)


@pytest.mark.parametrize("rules", [BEFORE_KIP_915, AFTER_KIP_915, UNCHECKED, SKIPPING])
def test_a_known_record_is_accepted_by_all_rules(rules: LoadRules) -> None:
    """Type, version and value are those that the writer wrote."""
    loaded = loader("3.9.2", rules).load(OFFSETS, key(), value(3))
    assert (loaded.outcome, loaded.rule) == (DowngradeOutcome.ACCEPTED, LoadRule.KNOWN)
    assert loaded.value is not None
    assert loaded.value["offset"] == 42
    assert loaded.type is not None
    assert loaded.type.name == "OffsetCommit"


@pytest.mark.parametrize(
    ("rules", "outcome", "rule"),
    [
        (BEFORE_KIP_915, DowngradeOutcome.REFUSED, LoadRule.UNKNOWN_TYPE_REFUSED),
        (AFTER_KIP_915, DowngradeOutcome.DATA_LOST, LoadRule.UNKNOWN_TYPE_SKIPPED),
    ],
)
def test_the_switch_decides_about_an_unknown_type(
    rules: LoadRules, outcome: DowngradeOutcome, rule: LoadRule
) -> None:
    """Type 99 is in no release."""
    loaded = loader("3.9.2", rules).load(OFFSETS, b"\0\x63\0\1g", b"\0\0")
    assert (loaded.outcome, loaded.rule, loaded.words) == (outcome, rule, "type 99")


@pytest.mark.parametrize(
    ("rules", "outcome", "rule"),
    [
        (BEFORE_KIP_915, DowngradeOutcome.REFUSED, LoadRule.UNKNOWN_VERSION_REFUSED),
        (AFTER_KIP_915, DowngradeOutcome.REFUSED, LoadRule.UNKNOWN_VERSION_REFUSED),
        (SKIPPING, DowngradeOutcome.DATA_LOST, LoadRule.UNKNOWN_VERSION_SKIPPED),
        (UNCHECKED, DowngradeOutcome.ACCEPTED, LoadRule.UNKNOWN_VERSION_READ),
    ],
)
@pytest.mark.parametrize("label", [5, 0x7FFF, -1])
def test_a_newer_version_is_refused_unless_the_release_does_not_check_it(
    rules: LoadRules, outcome: DowngradeOutcome, rule: LoadRule, label: int
) -> None:
    """The body has the newest known layout under a number that the release does not know."""
    loaded = loader("3.9.2", rules).load(OFFSETS, key(), value(4, label))
    assert (loaded.outcome, loaded.rule) == (outcome, rule)
    assert f"version {label} of OffsetCommitValue" in loaded.words


def test_unknown_tagged_fields_are_kept() -> None:
    """The value holds their bytes."""
    loaded = loader("3.4.1", AFTER_KIP_915).load(OFFSETS, key(), value(4, tags={9: b"new"}))
    assert loaded.outcome is DowngradeOutcome.ACCEPTED
    assert loaded.value is not None
    assert loaded.value[TAGS] == {9: b"new"}


def test_a_flexible_version_is_refused_before_the_kip() -> None:
    """3.3 does not define version 4, with or without tagged fields."""
    for rules in (BEFORE_KIP_915, AFTER_KIP_915):
        loaded = loader("3.3.2", rules).load(OFFSETS, key("3.3.2"), value(4))
        assert loaded.rule is LoadRule.UNKNOWN_VERSION_REFUSED


def test_a_tombstone_has_no_value() -> None:
    """A record without a value removes an offset."""
    loaded = loader("3.9.2", AFTER_KIP_915).load(OFFSETS, key(), None)
    assert (loaded.outcome, loaded.value) == (DowngradeOutcome.ACCEPTED, None)


@pytest.mark.parametrize(
    ("a_key", "a_value", "words"),
    [
        (b"", b"\0\0", "key has fewer than 2 bytes"),
        (b"\0", b"\0\0", "key has fewer than 2 bytes"),
        (b"\0\1\0", b"\0\0", "key: truncated"),
        (None, b"", "value has fewer than 2 bytes"),
        (None, value(3)[:-1], "value: truncated"),
    ],
)
def test_a_record_that_is_cut_short_crashes_the_reader(
    a_key: bytes | None, a_value: bytes, words: str
) -> None:
    """The reason names the part."""
    loaded = loader("3.9.2", AFTER_KIP_915).load(OFFSETS, key() if a_key is None else a_key, a_value)
    assert (loaded.outcome, loaded.rule) == (DowngradeOutcome.CRASHED, LoadRule.UNREADABLE)
    assert words in loaded.words


def test_bytes_after_a_value_are_ignored() -> None:
    """Kafka does not check them."""
    loaded = loader("3.9.2", AFTER_KIP_915).load(OFFSETS, key(), value(3) + b"more")
    assert loaded.outcome is DowngradeOutcome.ACCEPTED


def test_a_log_without_a_coordinator_is_not_read() -> None:
    """3.9 has no share coordinator."""
    loaded = loader("3.9.2", AFTER_KIP_915).load(InternalLog.SHARE, b"\0\0", b"\0\0")
    assert (loaded.outcome, loaded.rule) == (DowngradeOutcome.DATA_LOST, LoadRule.LOG_NOT_READ)


def test_the_classic_coordinator_knows_fewer_types_than_its_release_defines() -> None:
    """3.9 defines consumer groups; the limit of the classic coordinator hides them."""
    layout = resolve(schemas("3.9.2").find("ConsumerGroupMetadataKey")[1], 3)
    a_key = b"\0\3" + interpret_layout(layout).encode({"groupId": "g"})
    a_value = b"\0\0\0\0\0\1\0"
    whole = loader("3.9.2", AFTER_KIP_915).load(OFFSETS, a_key, a_value)
    limited = loader("3.9.2", LoadRules(True, UnknownVersion.REFUSE, 2)).load(OFFSETS, a_key, a_value)
    assert whole.outcome is DowngradeOutcome.ACCEPTED
    assert limited.rule is LoadRule.UNKNOWN_TYPE_SKIPPED
