"""A fork with private and changed messages, proven against classes that Kafka's generator makes."""

import json
import shutil
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from kafkawire.compiler import MessageCodec, interpret_layout
from kafkawire.schema import MessageLayout
from tests.support.schemas.fork import ACME
from wireproof import RunConfig, Session, prove
from wireproof.app.assembly.inputs.fork_classes import FORK_JAR
from wireproof.app.assembly.inputs.run_inputs import find_release, prepare
from wireproof.app.assembly.worker_environment import environment_maker
from wireproof.app.cli.corpus.corpus_command import command as corpus
from wireproof.app.cli.run.run_command import command as run
from wireproof.base.exit_codes import ExitCode, FatalError
from wireproof.kafka.oracle.fork_jar import GeneratedModule, make_fork_jar
from wireproof.kafka.releases.jar_store import JarStore
from wireproof.model.cell import Cell, Phase
from wireproof.model.divergence import Divergence
from wireproof.model.oracle import OracleError
from wireproof.proof.adapters.own.kafkawire_adapter import KafkawireAdapter
from wireproof.proof.config.selection import SchemaSource
from wireproof.proof.run.core.cell_events import CellResult, FailedCase
from wireproof.proof.run.core.environment import WorkerEnvironment, header_layouts
from wireproof.proof.run.core.plan import RunOptions
from wireproof.proof.run.engine.inline import InlineProver
from wireproof.proof.testees.session.in_process_testees import load_kit

kit = load_kit()
QUICK: dict[str, Any] = {
    "release": "4.3",
    "phase": ["enumerated", "frame", "evolution"],
    "schemas": ACME,
    "jobs": 1,
    "shrink": 0,
}


def own_jar() -> Path:
    """The jar that a fork would have built: the one that the generator's classes are in."""
    parts = prepare([find_release("4.3", SchemaSource(ACME))], JarStore(), ()).parts
    return parts[0].jars[FORK_JAR]


def inline(source: SchemaSource, release: str, message: str, version: int, planted: Any = None) -> list[Any]:
    """The events of a cell, proven in this process by our interpreted codec or by a planted one."""
    prepared = prepare([find_release(release, source)], JarStore(), ("interpreted",))
    part = prepared.parts[0]

    def make() -> WorkerEnvironment:
        environment = environment_maker(prepared)()
        if planted is not None:
            headers = header_layouts(part.schemas)
            return replace(environment, adapters=[KafkawireAdapter("planted", planted, headers)])
        return environment

    module, _ = part.schemas.find(message)
    prover = InlineProver(make, RunOptions((Phase.SHAPE, Phase.ENUMERATED, Phase.FRAME), shrink_s=0))
    events = list(prover.run([Cell(part.release.version, module, message, version)]))
    assert isinstance(events[-1], CellResult), events[-1]
    return events


def divergences(events: list[Any]) -> list[Divergence]:
    return [each for event in events if isinstance(event, FailedCase) for each in event.divergences]


def test_a_fork_is_proven() -> None:
    """Private and changed messages, frames and versions: every case agrees with the generated classes."""
    verdict = prove(message=["Trace*", "Heartbeat*"], **QUICK)
    words = "Kafka's own classes and classes that Kafka's generator 4.3.1 made of the definitions"
    assert f"agrees with {words}" in " ".join(verdict.text.split())
    assert verdict.exit_code is ExitCode.PROVEN, verdict.text
    cells = {str(result.cell.message) for result in verdict.done}
    assert cells == {
        "TracePingRequest", "TracePingResponse", "TraceRecord", "HeartbeatRequest", "HeartbeatResponse"
    }  # fmt: skip
    assert len(verdict.done) == 20


@pytest.mark.parametrize(("message", "version"), [("TracePingRequest", 2), ("HeartbeatRequest", 5)])
def test_a_fork_of_an_older_release(message: str, version: int) -> None:
    """The generator of 3.9 makes the classes."""
    assert divergences(inline(SchemaSource(ACME), "3.9", message, version)) == []


def test_the_report_and_the_events_name_the_definitions_and_the_oracle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Folder, digest, messages and the origin of their classes; each cell has the fork's name."""
    monkeypatch.chdir(tmp_path)
    arguments = ["--release", "4.3", "--schemas", str(ACME), "--phase", "enumerated", "--jobs", "1"]
    arguments += ["--cell", "**/TracePingResponse/1", "--events", "events.jsonl"]
    ran = CliRunner().invoke(run, arguments, standalone_mode=False)
    assert ran.return_value == ExitCode.PROVEN, ran.output
    text = " ".join(ran.stderr.split())
    assert f"4.3.1+acme: 5 messages of {ACME} (" in text
    assert "2 in place of Kafka's: HeartbeatRequest, HeartbeatResponse, " in text
    made = "classes that Kafka's generator 4.3.1 made of the definitions"
    assert f"Oracle of these messages: {made}. Of the others: Kafka's own classes." in text
    header, *others = map(json.loads, Path("events.jsonl").read_text().splitlines())
    (fork,) = header["forks"]
    assert (fork["release"], fork["folder"], fork["classes"]) == ("4.3.1+acme", str(ACME), made)
    assert fork["changed"] == ["HeartbeatRequest", "HeartbeatResponse"]
    assert header["jars"]["acme.schemas"] == fork["sha256"]
    assert [name for name in header["jars"] if name.startswith("acme-4.3.1-")]
    cells = [each for each in others if each["event"] == "cell"]
    assert [each["cell"] for each in cells] == ["4.3.1+acme/TracePingResponse/1"]


class PortMistaken:
    """A codec of `TracePingRequest` that writes 32767 for each port above that, as if it had a sign."""

    def __init__(self, codec: MessageCodec) -> None:
        self._codec = codec

    @classmethod
    def of(cls, layout: MessageLayout) -> "PortMistaken":
        return cls(interpret_layout(layout))

    def encode(self, value: dict[str, Any]) -> bytes:
        origin = value.get("origin")
        if origin is not None and origin.get("port", 0) > 32_767:
            value = {**value, "origin": {**origin, "port": 32_767}}
        return self._codec.encode(value)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codec, name)


def test_a_bug_in_the_codec_of_a_private_message_is_found() -> None:
    """The generated class writes the port; the divergence names the field."""
    events = inline(
        SchemaSource(ACME),
        "4.3",
        "TracePingRequest",
        2,
        lambda layout: PortMistaken(interpret_layout(layout)),
    )
    found = divergences(events)
    assert found
    assert {each.path for each in found} == {"origin.port"}


def test_the_jar_of_the_fork_is_the_oracle() -> None:
    """Its classes go before Kafka's; a jar that lacks a message is refused before anything runs."""
    source = SchemaSource(ACME, (own_jar(),))
    part = prepare([find_release("4.3", source)], JarStore(), ()).parts[0]
    assert part.fork_classes == f"the classes of {own_jar().name}"
    assert next(iter(part.jars.values())) == own_jar()
    assert divergences(inline(source, "4.3", "HeartbeatRequest", 5)) == []
    clients = JarStore().release_jars(find_release("4.3"), ["clients"])["clients"]
    with pytest.raises(FatalError) as error:
        prove(schemas_jar=clients, **QUICK)
    assert "org/apache/kafka/common/message/TracePingRequestData.class" in error.value.message


def test_a_jar_of_other_definitions_is_found_out(tmp_path: Path) -> None:
    """The phase shape compares the definitions with the classes: the field has another type there."""
    folder = shutil.copytree(ACME, tmp_path / "acme")
    place = folder / "TracePingResponse.json"
    text = place.read_text().replace('"Seen", "type": "bool"', '"Seen", "type": "int8"')
    place.write_text(text.replace('"default": "true"', '"default": "1"'))
    found = divergences(inline(SchemaSource(folder, (own_jar(),)), "4.3", "TracePingResponse", 1))
    assert "seen" in {each.path for each in found}


def test_without_a_generator_of_the_release() -> None:
    """The error names the releases that have one, and the way without."""
    with pytest.raises(FatalError) as error:
        prove(**{**QUICK, "release": "4.4"})
    assert "no generator of Kafka 4.4.0 is pinned, to make the classes of 4.4.0+acme" in error.value.message
    assert "4.3" in error.value.advice
    assert "--schemas-jar FILE" in error.value.advice


class Pong(kit.Message):  # type: ignore[misc, name-defined] # the kit is loaded where it is
    """TracePingResponse 0: two integers."""

    shift = 0

    def __init__(self, message: str, version: int) -> None:
        pass

    def read(self, data: bytes) -> tuple[Any, int]:
        if len(data) < 6:
            raise ValueError("no whole message")
        return struct.unpack(">ih", data[:6]), 6

    def write(self, thing: Any) -> bytes:
        throttle, code = thing
        return struct.pack(">ih", min(throttle + self.shift, (1 << 31) - 1), code)

    def to_value(self, thing: Any) -> dict[str, Any]:
        return dict(zip(("throttleTimeMs", "errorCode"), thing, strict=True))

    def from_value(self, value: dict[str, Any]) -> Any:
        return value.get("throttleTimeMs", 0), value.get("errorCode", 0)


class LatePong(Pong):
    """A throttle time that is one too high."""

    shift = 1


@pytest.mark.parametrize(("codec", "code"), [(Pong, ExitCode.PROVEN), (LatePong, ExitCode.DIVERGENCE)])
def test_a_testee_of_a_private_message(
    codec: type[Any], code: ExitCode, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It claims the message by name and version, and gets the cases of the fork's layout."""
    monkeypatch.chdir(tmp_path)
    claims = {"TracePingResponse": kit.claim("decode encode reencode", "0")}
    testee = kit.Testee(name="pong", version="1", claims=claims, at=codec)
    verdict = prove(testee, message="TracePing*", **{**QUICK, "phase": ["enumerated"]})
    assert verdict.exit_code is code, verdict.text
    assert [str(each.cell) for each in verdict.done] == ["4.3.1+acme/TracePingResponse/0"]
    assert ("throttleTimeMs" in verdict.text) == (code is ExitCode.DIVERGENCE)


def test_the_classes_are_made_once_for_each_state(tmp_path: Path) -> None:
    """The cached jar is of these definitions; others get another jar."""
    folder = shutil.copytree(ACME, tmp_path / "acme")
    before = own_jar()
    assert own_jar() == before
    place = folder / "TracePingRequest.json"
    place.write_text(place.read_text().replace('"int64"', '"int32"'))
    source = SchemaSource(folder)
    changed = prepare([find_release("4.3", source)], JarStore(), ()).parts[0].jars[FORK_JAR]
    assert changed != before


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ('"int64"', '"int65"', "Kafka's generator refuses the definitions: "),
        ('"Until"', '"Class"', "the Java that Kafka's generator makes of acme does not compile: "),
    ],
    ids=["generator", "compiler"],
)
def test_a_definition_that_kafka_refuses(before: str, after: str, words: str, tmp_path: Path) -> None:
    """The error quotes the generator or the Java compiler, if our front end accepts the definition."""
    store, module = JarStore(), find_release("4.3").module("metadata")
    jars = store.release_jars(find_release("4.3"))
    text = (ACME / "metadata" / "TraceRecord.json").read_text().replace(before, after)
    generator, _ = store.generator_jars("4.3.1")
    source = GeneratedModule(module.package, jars["metadata"], module.prefix, {"TraceRecord": text})
    with pytest.raises(OracleError, match=words):
        make_fork_jar("acme", [source], generator, [*jars.values(), *generator], tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_corpus_of_a_fork(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It proves the codec without Java, for these definitions alone."""
    monkeypatch.chdir(tmp_path)
    arguments = ["make", "4.3", "--schemas", str(ACME), "--message", "TracePingResponse", "--jobs", "1"]
    made = CliRunner().invoke(corpus, [*arguments, "--output", "golden"], standalone_mode=False)
    assert made.return_value == ExitCode.PROVEN, made.output
    verdict = prove(no_java="golden", schemas=ACME, jobs=1)
    assert verdict.exit_code is ExitCode.PROVEN, verdict.text
    assert {each.cell.release for each in verdict.done} == {"4.3.1+acme"}
    for words in (["lint", "golden"], ["stats", "golden"], ["fmt", "golden"], ["min", "golden"]):
        done = CliRunner().invoke(corpus, [*words, "--schemas", str(ACME)], standalone_mode=False)
        assert done.exception is None, (words, done.output)
        assert done.return_value in (None, ExitCode.PROVEN), (words, done.output)
    with pytest.raises(FatalError, match=r"the set has entries of 4\.3\.1\+acme"):
        prove(no_java="golden")
    other = shutil.copytree(ACME, tmp_path / "acme")
    place = other / "TracePingResponse.json"
    place.write_text(place.read_text().replace('"default": "true"', '"default": "false"'))
    with pytest.raises(FatalError, match="the corpus was made with other definitions of acme"):
        prove(no_java="golden", schemas=other)


def test_a_session_has_the_cells_of_the_fork() -> None:
    """All of Kafka's, and those of the fork."""
    options = {**QUICK, "phase": ("enumerated",), "release": ("4.3",)}
    with Session(config=RunConfig(**options)) as session:
        names = {cell.message for cell in session.cells}
        assert {"TraceRecord", "FetchRequest"} <= names
        assert {cell.release for cell in session.cells} == {"4.3.1+acme"}
