"""The table of checks is complete: each row names what it verifies, where it is made, and who requires it."""

import re

import pytest

from wireproof.model.agreement import CodecTask
from wireproof.model.cell import Phase
from wireproof.proof.checks.check_table import Check, RequirementLevel, tasks_of
from wireproof.proof.testees.description.claimed_operations import Operation


@pytest.mark.parametrize("check", Check)
def test_a_row_has_every_fact(check):
    """A row has a name of lower-case words, a sentence without a full stop, phases, tasks and a reference."""
    row = check.row
    assert str(check) == row.name == check.value
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", row.name)
    assert row.verifies[0].isupper()
    assert not row.verifies.endswith(".")
    assert row.reference
    assert row.phases
    assert len(set(row.phases)) == len(row.phases)
    assert row.tasks


def test_names_are_unique():
    """No two rows share a name."""
    names = [check.row.name for check in Check]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("check", Check)
def test_a_row_refers_to_rows_before_it(check):
    """Failures derive from checks that the table lists earlier, so that reports name the cause first."""
    order = [str(each) for each in Check]
    related = {*check.row.derived_from, *check.row.body_checks} - {"label"}
    assert all(order.index(first) < order.index(check) for first in related)
    assert {*check.row.derived_from, *check.row.body_checks} <= set(order)


def test_operations_are_those_of_the_testee_protocol():
    """A row names operations that a testee can claim."""
    named = {operation for check in Check for operation in check.row.operations}
    assert named <= {str(operation) for operation in Operation}


def test_every_phase_makes_a_check():
    """No phase is without a check."""
    assert {phase for check in Check for phase in check.row.phases} == set(Phase)


def test_a_claim_is_about_the_task_of_its_operation():
    """The path of a claim names the operation; a check that the table lacks is about both directions."""
    assert tasks_of("claim", "decode") == {CodecTask.DECODE}
    assert tasks_of("claim", "feed") == {CodecTask.DECODE}
    assert tasks_of("claim", "frame") == {CodecTask.ENCODE}
    assert tasks_of("malformed") == {CodecTask.MALFORMED}
    assert tasks_of("bytes") == {CodecTask.ENCODE}
    assert tasks_of("of-another-release") == {CodecTask.ENCODE, CodecTask.DECODE}


def test_levels_are_those_of_rfc_2119():
    """What decides about bytes is a MUST; cost, threads and objects are a SHOULD."""
    should = {str(check) for check in Check if check.row.level is RequirementLevel.SHOULD}
    assert should == {"tail", "threads", "growth", "equal", "copy"}
