"""`check_oracle`: the oracle without Java keeps the contract; each rule finds an oracle that breaks it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from kafkawire.schema.layout import MessageLayout
from tests.support.oracles.interpreted_oracle import InterpretedOracle
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.model.cell import Cell
from wireproof.model.oracle import OracleReply, OracleValue, Refusal, VersionAnswer
from wireproof.proof.run.core.environment import Layouts
from wireproof.testing import ContractError, check_oracle, contract_cells

CELLS = contract_cells(messages=("ApiVersionsRequest", "MetadataRequest"))
RELEASE = CELLS[0][0].release
LAYOUTS = Layouts({RELEASE: load_snapshot(table().choose(RELEASE)[0])})
WITHOUT = ("schema", "probe")
"""Methods that the oracle without Java does not have."""


class WrongOracle(InterpretedOracle):
    """Wrong in one way, `bug`."""

    bug = ""
    _count = 0

    def reread(self, cell: Cell, layout: MessageLayout, bodies: Sequence[bytes]) -> list[OracleReply]:
        replies: Any = super().reread(cell, layout, bodies)
        match self.bug:
            case "raises" if any(isinstance(reply, Refusal) for reply in replies):
                raise ValueError("refused")
            case "answers nothing":
                return replies or [Refusal("read", "Error", "", 0)]
            case "answers less":
                return list(replies[:-1])
            case "refuses all":
                return [Refusal("read", "Error", "", 0) for _ in bodies]
            case "another stage":
                return [
                    replace(each, stage="sleep") if isinstance(each, Refusal) else each for each in replies
                ]
            case "consumes more":
                return [replace(each, consumed_bytes=1 << 20) for each in replies]
            case "another value":
                return [
                    replace(each, value=b"?") if isinstance(each, OracleValue) else each for each in replies
                ]
            case "writes differently":
                return [
                    replace(each, written=each.written + b"?") if isinstance(each, OracleValue) else each
                    for each in replies
                ]
            case "sorts":
                return sorted(replies, key=repr)
        return list(replies)

    def instances(self, cell: Cell, layout: MessageLayout, count: int, seed: int) -> list[OracleReply]:
        self._count += 1
        made = super().instances(cell, layout, count, seed)
        return made * self._count if self.bug == "instances" else made

    def bounds(self, cell: Cell, version: int) -> VersionAnswer:
        found = super().bounds(cell, version)
        return replace(found, lowest=99, highest=99) if self.bug == "bounds" else found

    def header_versions(self, cell: Cell) -> Any:
        return "1" if self.bug == "header" else super().header_versions(cell)


def test_the_oracle_without_java_keeps_the_contract() -> None:
    """The methods that it does not have are named."""
    check_oracle(InterpretedOracle(RELEASE, LAYOUTS), without=WITHOUT)


@pytest.mark.parametrize(
    ("bug", "rule"),
    [
        ("raises", "no-exception"),
        ("answers nothing", "no-inputs"),
        ("answers less", "one-reply"),
        ("refuses all", "valid-accepted"),
        ("another stage", "reply-content"),
        ("consumes more", "reply-content"),
        ("another value", "reply-content"),
        ("writes differently", "self-agreement"),
        ("sorts", "order"),
        ("instances", "repeatable"),
        ("bounds", "description"),
        ("header", "description"),
    ],
)
def test_each_rule_finds_its_violation(bug: str, rule: str) -> None:
    """The error names the rule, the expected reply, and the actual one."""
    oracle = WrongOracle(RELEASE, LAYOUTS)
    oracle.bug = bug
    with pytest.raises(ContractError) as raised:
        check_oracle(oracle, CELLS, without=WITHOUT)
    assert rule in [violation.rule for violation in raised.value.violations]
    assert "the contract asks: " in str(raised.value)
    assert "the oracle WrongOracle violates" in str(raised.value)


def test_a_method_that_is_missing_is_a_violation_unless_it_is_named() -> None:
    """The oracle without Java has no schema of its own."""
    with pytest.raises(ContractError, match=r"(?s)no-exception, schema of .*NotImplementedError") as raised:
        check_oracle(InterpretedOracle(RELEASE, LAYOUTS), CELLS[:1])
    assert len(raised.value.violations) == 1


def test_an_oracle_of_another_release_is_a_violation() -> None:
    """The release is that of the cells."""
    with pytest.raises(ContractError, match=r"the contract asks: 4\.4\.0\n    what came: '3\.9\.1'"):
        check_oracle(InterpretedOracle("3.9.1", LAYOUTS), CELLS[:1], without=WITHOUT)


def test_an_unknown_method_name_is_an_error() -> None:
    """Such a name would not leave anything out."""
    with pytest.raises(ValueError, match="without: 'sceham' is not a method of"):
        check_oracle(InterpretedOracle(RELEASE, LAYOUTS), without=["sceham"])
