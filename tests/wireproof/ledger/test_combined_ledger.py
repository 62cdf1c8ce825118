"""Several codecs in one run: each is excused by its own ledger, and by no other's."""

from tests.support.environments import ledgers, small_environment
from wireproof.ledger import CombinedLedger, Ledger
from wireproof.model import Divergence

CELL = small_environment.cell("PingRequest", 2)


def divergence(subject: str, path: str = "name") -> Divergence:
    return Divergence("bytes", subject, "the bytes differ from Kafka's", path)


def test_each_is_asked_about_its_own() -> None:
    """By the name that it has in its ledger; what is told bears the one that it has in the run, in order."""
    ledger = Ledger((ledgers.entry(subject="loose[fast]"),))
    together = CombinedLedger({"loose@1": (ledger, "loose[fast]"), "strict": (Ledger(()), "strict")})
    asked = [
        divergence("strict"),
        divergence("loose@1"),
        divergence("loose@1", "count"),
        divergence("nobody"),
    ]
    told = together.explain(CELL, asked)
    assert [each.subject for each in told] == ["strict", "loose@1", "loose@1", "nobody"]
    assert [each.entry for each in told] == ["", "loose@1/ping-null", "", ""]
