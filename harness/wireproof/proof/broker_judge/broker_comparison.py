"""The findings of a comparison of two brokers' answers."""

from dataclasses import dataclass, replace

from wireproof.model.divergence import Divergence
from wireproof.proof.broker_judge.broker_rules import BrokerRule
from wireproof.proof.broker_judge.judged_session import JudgedCall


@dataclass(frozen=True, slots=True)
class BrokerComparison:
    """A comparison of the answers of one broker with those of another, both in words."""

    rule: BrokerRule
    subject: str
    other: str

    def unanswered(self, call: JudgedCall, reference: JudgedCall) -> list[Divergence]:
        """Return the difference between two calls, of which one or both have no answer."""
        if call.answer is reference.answer:
            return []
        does, does_not = (self.other, self.subject) if call.answer is None else (self.subject, self.other)
        words = f"{call.case}: {does} answers it, and {does_not} does not"
        return [Divergence(self.rule, self.subject, words, kind=f"unanswered by {does_not}")]

    def divergence(self, call: JudgedCall, path: str, own: str, theirs: str) -> Divergence:
        """Return the difference at a path, where each side alone has these forms."""
        words = f"{call.case}: {path} is {own}, and {self.other}'s is {theirs}"
        found = Divergence(self.rule, self.subject, words, path, kind="shape")
        # Reports call the two values the broker's and Kafka's; the values of a proxy are in the words.
        return replace(found, codec=own, oracle=theirs) if self.rule is BrokerRule.BESIDE_KAFKA else found
