"""Several codecs in one run: each is excused only by its own ledger."""

from tests.support.environments import ledgers, small_environment
from wireproof.model.divergence import Divergence
from wireproof.verdict.ledger.ledger import CombinedLedger, Ledger

CELL = small_environment.cell("PingRequest", 2)


def divergence(subject: str, path: str = "name") -> Divergence:
    return Divergence("bytes", subject, "the bytes differ from Kafka's", path)


def test_each_ledger_is_asked_about_its_own_codec() -> None:
    """The ledger is asked by the codec's name in it; the result has the codec's name in the run, in order."""
    ledger = Ledger((ledgers.entry(subject="loose[fast]"),))
    together = CombinedLedger({"loose@1": (ledger, "loose[fast]"), "strict": (Ledger(()), "strict")})
    asked = [
        divergence("strict"),
        divergence("loose@1"),
        divergence("loose@1", "count"),
        divergence("nobody"),
    ]
    explained = together.explain(CELL, asked)
    assert [each.subject for each in explained] == ["strict", "loose@1", "loose@1", "nobody"]
    assert [each.entry for each in explained] == ["", "loose@1/ping-null", "", ""]
