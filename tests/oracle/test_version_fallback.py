"""The fallback of KIP-511 is what `ApiVersionsResponse.parse` does, in the oldest and the newest release."""

from collections.abc import Callable
from typing import Any

import pytest

from kafkawire.compiler import compile_layout
from kafkawire.schema import MessageLayout
from tests.support.oracles.kafka_classes import LINES, kafka, refused
from wireproof.kafka.oracle import _jvm
from wireproof.model.cell import Phase
from wireproof.model.malformed_input import MalformedVerdict
from wireproof.proof.adapters.own.kafkawire_adapter import KafkawireAdapter
from wireproof.proof.checks.known_defects.leniencies import VERSION_FALLBACK
from wireproof.proof.run.core.cell_events import CellResult, FailedCase, ProverEvent
from wireproof.proof.run.core.environment import Layouts, WorkerEnvironment, header_layouts
from wireproof.proof.run.core.plan import RunOptions
from wireproof.proof.run.provers.message_prover import CellProver
from wireproof.proof.strategies.layout_source import LayoutSource

MESSAGE = "ApiVersionsResponse"
RESPONSES = "org.apache.kafka.common.requests.ApiVersionsResponse"
ANSWER = bytes.fromhex("0023 00000001 0012 0000 0002")


def kafka_parses(release: str, version: int, data: bytes) -> tuple[int, int, int]:
    """Error code, number of API keys and throttle time that `ApiVersionsResponse.parse` reads."""
    import jpype  # type: ignore[import-untyped]

    jar = kafka(release).jars["clients"]
    kafka(release).reread(MESSAGE, 0, "0000 00000000")  # starts the JVM
    buffer = jpype.JClass("java.nio.ByteBuffer").wrap(jpype.JArray(jpype.JByte)(data))
    parse = _jvm.load_class(jpype, jar, RESPONSES).parse
    if release.startswith("4"):
        buffer = _jvm.load_class(jpype, jar, "org.apache.kafka.common.protocol.ByteBufferAccessor")(buffer)
    read = parse(buffer, jpype.JShort(version)).data()
    return int(read.errorCode()), int(read.apiKeys().size()), int(read.throttleTimeMs())


class Fallback:
    """Our codec, which reads a response with the error as version 0, as clients do."""

    def __init__(self, layout: MessageLayout) -> None:
        self._codec = compile_layout(layout)
        self.layout, self.source = layout, ""

    def encode(self, value: dict[str, Any]) -> bytes:
        return self._codec.encode(value)

    def size(self, value: dict[str, Any]) -> int:
        return self._codec.size(value)

    def decode(self, data: bytes) -> dict[str, Any]:
        if self.layout.name == MESSAGE and self.layout.version and data[:2] == ANSWER[:2]:
            return compile_layout(kafka("4.4.0").cell(MESSAGE, 0)[1]).decode(data)
        return self._codec.decode(data)

    def decode_from(self, buffer: bytes, offset: int) -> tuple[dict[str, Any], int]:
        return self._codec.decode_from(buffer, offset)


class KeysForgotten(Fallback):
    """A fallback that keeps the error alone."""

    def decode(self, data: bytes) -> dict[str, Any]:
        value = super().decode(data)
        return {"errorCode": 35, "apiKeys": []} if value.get("errorCode") == 35 else value


def prove(version: int, make: Callable[[MessageLayout], Any]) -> tuple[CellResult, list[FailedCase]]:
    """Prove the enumerated cases of a cell with a codec."""
    release = kafka("4.4.0")
    environment = WorkerEnvironment(
        Layouts({"4.4.0": release.schemas}),
        [KafkawireAdapter("codec", make, header_layouts(release.schemas))],
        {"4.4.0": release.oracle},
        LayoutSource(lambda cell: "{}"),
    )
    failed: list[FailedCase] = []

    def keep(event: ProverEvent) -> None:
        if isinstance(event, FailedCase):
            failed.append(event)

    options = RunOptions(phases=(Phase.ENUMERATED,))
    cell, _ = release.cell(MESSAGE, version)
    done = CellProver(environment, options, cell, keep, lambda phase, names: None).prove()
    assert isinstance(done, CellResult)
    return done, failed


@pytest.mark.parametrize("release", [LINES[0], "3.9.2", "4.4.0"])
@pytest.mark.parametrize("version", [1, 2, 3])
def test_kafka_reads_version_0(release: str, version: int) -> None:
    """Its class of the version refuses the bytes; the parser of its clients reads them as version 0."""
    cell, layout = kafka(release).cell(MESSAGE, version)
    refused(kafka(release).oracle.read(cell, layout, [ANSWER])[0])

    assert kafka_parses(release, version, ANSWER) == (35, 1, 0)


@pytest.mark.parametrize("version", [1, 3, 4])
def test_a_codec_that_falls_back_is_right(version: int) -> None:
    """Neither its fallback nor its reading of the error in another format is a failure."""
    done, failed = prove(version, Fallback)

    assert [each.case_id for each in failed] == []
    assert done.verdicts == {MalformedVerdict.AGREE: 2}
    assert done.unsupported[VERSION_FALLBACK.name] > 0


def test_a_codec_without_fallback_is_stricter() -> None:
    """A class of one version refuses the response: that is counted, and is not a failure."""
    done, failed = prove(3, compile_layout)

    assert failed == []
    assert done.laxities == {VERSION_FALLBACK.name: 2}
    assert VERSION_FALLBACK.name not in done.unsupported


def test_a_fallback_with_another_value_than_kafkas_fails() -> None:
    """The case has Kafka's value as the expected result."""
    _, failed = prove(3, KeysForgotten)

    assert [each.case_id.rpartition("/")[2] for each in failed if "/fallback/" in each.case_id] == [
        "own-versions"
    ]


def test_no_fallback_with_another_error() -> None:
    """Kafka reads any other code at the version of the request, and so must the codec."""

    class Eager(Fallback):
        def decode(self, data: bytes) -> dict[str, Any]:
            if self.layout.version and data[:2] != b"\0\0":
                return compile_layout(kafka("4.4.0").cell(MESSAGE, 0)[1]).decode(data)
            return super().decode(data)

    _, failed = prove(3, Eager)
    assert any("errorCode/" in each.case_id for each in failed)
