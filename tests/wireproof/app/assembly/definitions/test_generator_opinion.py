"""The opinion of Kafka's generator beside ours, with a generator that has one answer."""

from collections.abc import Sequence

import pytest

from kafkawire.schema import MessageSpec, read_message
from wireproof.app.assembly.definitions import generator_opinion
from wireproof.app.assembly.definitions.generator_opinion import GeneratorOpinion, ask_generator
from wireproof.kafka.oracle.generator.schema_generator import GeneratorOutcome, GeneratorVerdict
from wireproof.kafka.releases.jar_store import JarStore
from wireproof.kafka.releases.release_table import ReleaseError, table
from wireproof.model.oracle import OracleError

TEXT = (
    '{"apiKey":1,"type":"request","name":"ARequest","validVersions":"0","flexibleVersions":"none",'
    '"fields":[]}'
)
ACCEPTED = GeneratorVerdict(GeneratorOutcome.ACCEPTED)
REFUSED = GeneratorVerdict(GeneratorOutcome.REFUSED, "tags are not contiguous\n  at line 7")
NOT_COMPILED = GeneratorVerdict(GeneratorOutcome.NOT_COMPILED, "<identifier> expected")


class Answering:
    """A generator with one verdict, or one error."""

    def __init__(self, answer: GeneratorVerdict | Exception) -> None:
        self._answer = answer
        self.texts: list[str] = []
        self.release = ""

    def open(self, release: str, store: JarStore) -> "Answering":
        self.release = release
        return self

    def judge(self, texts: Sequence[str]) -> list[GeneratorVerdict]:
        self.texts += texts
        if isinstance(self._answer, Exception):
            raise self._answer
        return [self._answer]


def ask(
    answer: GeneratorVerdict | Exception,
    monkeypatch: pytest.MonkeyPatch,
    *,
    accepted: bool,
    release: str = "4.4",
    spec: MessageSpec | None = None,
) -> tuple[GeneratorOpinion, Answering]:
    generator = Answering(answer)
    monkeypatch.setattr(generator_opinion, "open_generator", generator.open)
    monkeypatch.setattr(generator_opinion, "find_spec", lambda name: object())
    return ask_generator(TEXT, table().find(release), JarStore(offline=True), accepted, spec), generator


@pytest.mark.parametrize(
    ("answer", "accepted", "line"),
    [
        (ACCEPTED, True, "Kafka's generator 4.3.1 accepts it"),
        (REFUSED, False, "Kafka's generator 4.3.1 refuses it: tags are not contiguous at line 7"),
        (
            NOT_COMPILED,
            False,
            "Kafka's generator 4.3.1 accepts it, and its Java does not compile: <identifier> expected",
        ),
    ],
    ids=["accepted", "refused", "not-compiled"],
)
def test_an_agreement(
    answer: GeneratorVerdict, accepted: bool, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line; the cause is on it. Java that does not compile is a refusal."""
    opinion, generator = ask(answer, monkeypatch, accepted=accepted)
    assert opinion == GeneratorOpinion((line,))
    assert generator.texts == [TEXT]


@pytest.mark.parametrize(
    ("answer", "accepted", "words"),
    [
        (ACCEPTED, False, "wireproof refuses it, Kafka does not. This is a fault of wireproof."),
        (REFUSED, True, "wireproof accepts it, Kafka does not. This is a fault of wireproof."),
        (NOT_COMPILED, True, "wireproof accepts it, Kafka does not. This is a fault of wireproof."),
    ],
    ids=["we-refuse", "it-refuses", "it-does-not-compile"],
)
def test_a_disagreement(
    answer: GeneratorVerdict, accepted: bool, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is printed as one, with the request to report it."""
    opinion, _ = ask(answer, monkeypatch, accepted=accepted)
    assert opinion.disagrees
    assert words in opinion.lines
    assert opinion.lines[-1].startswith("Please report it with the file")


def test_a_key_that_is_newer_than_the_generator(monkeypatch: pytest.MonkeyPatch) -> None:
    """KIP-1313's headerVersions are not a disagreement."""
    cause = 'UnrecognizedPropertyException: Unrecognized field "headerVersions" (class MessageSpec)'
    spec, _ = read_message(TEXT, "A.json")
    refusal = GeneratorVerdict(GeneratorOutcome.REFUSED, cause)
    opinion, _ = ask(refusal, monkeypatch, accepted=True, spec=spec)
    assert not opinion.disagrees
    assert "which this generator does not know (KIP-1313)" in opinion.lines[-1]


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (OracleError("no Java runtime of version 17 or newer", "Install one."), "Install one."),
        (
            ReleaseError("generator-4.3.1.jar is not in the cache", "Run once."),
            "generator-4.3.1.jar is not in",
        ),
    ],
    ids=["java", "jar"],
)
def test_a_generator_that_cannot_be_asked(
    error: Exception, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reason is in the report; the draft does not fail."""
    opinion, _ = ask(error, monkeypatch, accepted=True)
    assert not opinion.disagrees
    (line,) = opinion.lines
    assert line.startswith("Kafka's generator 4.3.1 is not asked: ")
    assert reason in line


def test_without_the_bridge_to_java(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line says what to install."""
    monkeypatch.setattr(generator_opinion, "find_spec", lambda name: None)
    opinion = ask_generator(TEXT, table().find("4.4"), JarStore(offline=True), True, None)
    assert "jpype1 is not installed (" in opinion.lines[0]
    assert not opinion.disagrees


@pytest.mark.parametrize(
    ("release", "generator"), [("4.4", "4.3.1"), ("4.3", "4.3.1"), ("3.9", "3.9.1"), ("3.5", "4.3.1")]
)
def test_the_generator_of_the_line(release: str, generator: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The newest generator is asked, and named, if none of the line is pinned."""
    _, asked = ask(ACCEPTED, monkeypatch, accepted=True, release=release)
    assert asked.release == generator


def test_a_long_cause_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """A compiler may quote a whole line of 10,000 fields."""
    opinion, _ = ask(GeneratorVerdict(GeneratorOutcome.REFUSED, "x" * 10_000), monkeypatch, accepted=False)
    assert len(opinion.lines[0]) < 400
