"""Faults of causes after a run."""

from tests.support.environments.ledgers import TODAY, done
from tests.support.environments.small_environment import PHASES
from wireproof.model.repertoire import CodecDirection
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.run.core.cell_events import CellResult
from wireproof.verdict.ledger.entry import ReasonKind
from wireproof.verdict.ledger.known_causes import LedgerCause, audit_causes
from wireproof.verdict.ledger.repairs import EntryFault


def test_a_cause_has_passed_where_the_cell_of_its_case_does_not_show_it() -> None:
    """A part of its cells says nothing: a run of one cell is as green as a run of all."""
    case = "1.0.0/PingRequest/2/enumerated/name/null"
    scope = {"PingRequest": frozenset({1, 2})}
    deviation = Deviation(CodecDirection.DECODE, "null", "empty", scope=scope)
    known = LedgerCause("null-empty", deviation, ReasonKind.BUG, "r", "me", TODAY, TODAY, case)

    def faults(*cells: CellResult) -> list[str]:
        return [each.fault for each in audit_causes([known], "known.toml", cells, PHASES)]

    assert faults(done(1)) == []
    assert faults(done(2)) == faults(done(1), done(2)) == [EntryFault.PASSED]
    assert faults(done(1, "null-empty"), done(2)) == []
