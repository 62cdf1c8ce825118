"""The words of the project and of its reports, as `wireproof explain` and docs/glossary.md have them."""

from typing import Final

__all__ = ["GLOSSARY"]

_OWN: Final = {
    "adapter": "the program, or class, through which wireproof asks a codec",
    "campaign": "a run on Spark: millions of cases for each cell",
    "case": "one input, by name: `4.4.0/FetchRequest/12/enumerated/topics/null`",
    "cell": "one message at one version in one Kafka release: `4.4.0/FetchRequest/12`",
    "check": "one judgement, such as `bytes` or `decode`",
    "claim": "an operation that an adapter says its codec has, for a message at some versions",
    "class of values": "values that a codec may treat alike: null, empty, default, a limit, a length "
    "where a prefix grows",
    "corpus": "files of entries",
    "divergence": "a difference between the codec and Kafka; where they first differ",
    "entry": "of a corpus: bytes with their value; of a ledger: one known cause",
    "finding": "all divergences of one cause in one message",
    "judge": "the command that judges a running client; to judge is to compare an answer with the oracle's",
    "kind": "how two sides differ, in one stable word",
    "laxer": "the codec accepts malformed bytes that Kafka refuses",
    "layout": "a message at one version, with every range of versions resolved",
    "ledger": "the file of a codec's known deviations",
    "leniency": "a class of malformed bytes that Kafka accepts",
    "limit": "what the types of a codec cannot hold",
    "oracle": "Kafka's generated classes: they answer and never judge",
    "phase": "a source of cases, such as `enumerated` or `random`",
    "power": "mutation testing of the harness itself",
    "stricter": "the codec refuses malformed bytes that Kafka accepts",
    "testee": "a codec under test, with its adapter",
}

_OF_REPORTS: Final = {
    "agrees": "the line of a finding with the side that further witnesses take: `SCHEMAS`, another release",
    "blame": "the line of a finding with the side at fault and the evidence: codec, adapter, "
    "either, a known Kafka bug, Kafka's classes, wireproof",
    "excused": "a case whose difference a known Kafka bug, a limit or the ledger explains: it does not fail",
    "exercised": "a claim that at least one case tried",
    "known deviation": "a difference that an entry of the ledger explains",
    "met": "a class of values that at least one case without a difference has shown",
    "not asked": "a case without an answer, because the codec took the time that a run has for hangs",
    "out of reach": "a class of values that no instance of the phases can show",
    "replay": "the command that tries one case again",
    "seed": "the number from which Hypothesis draws the random cases; the same seed draws the same cases",
    "shard": "one of N equal parts of a run, for N machines",
    "skipped": "a question that was left out because one like it hung the codec, or ended its process",
    "subject": "the codec that a finding is about",
}

GLOSSARY: Final = {**_OWN, **_OF_REPORTS}
