"""A worker environment of one small release, made inside worker processes or in that of the tests."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from kafkawire.compiler import compile_layout, interpret_layout
from kafkawire.schema import MessageSpec, SchemaSet, VersionRange, read_message
from kafkawire.schema.layout import MessageLayout
from tests.support.oracles.interpreted_oracle import InterpretedOracle
from wireproof.model.cell import Case, Cell, Phase
from wireproof.model.codec_ends import FatalSites, HangBudget
from wireproof.proof.adapters.own.kafkawire_adapter import KafkawireAdapter
from wireproof.proof.adapters.own.limited_codec import LimitedCodec
from wireproof.proof.run.core.environment import Layouts, MakeEnvironment, WorkerEnvironment, header_layouts
from wireproof.proof.run.core.plan import RunOptions
from wireproof.proof.run.engine.engine import Engine
from wireproof.proof.run.engine.inline import InlineProver
from wireproof.proof.strategies.layout_source import LayoutSource

RELEASE = "1.0.0"

PHASES = (Phase.ENUMERATED, Phase.ORACLE, Phase.FRAME, Phase.EVOLUTION, Phase.RANDOM)
"""All but the shape, which the interpreted codec does not know."""

TEXTS = {
    "PingRequest": """{
      "apiKey": 1, "type": "request", "name": "PingRequest", "validVersions": "0-3", "flexibleVersions": "2+",
      "fields": [
        { "name": "Name", "type": "string", "versions": "0+", "nullableVersions": "1+" },
        { "name": "Count", "type": "int32", "versions": "0+", "default": "-1" },
        { "name": "Hops", "type": "[]int16", "versions": "1+", "ignorable": true },
        { "name": "Note", "type": "string", "versions": "2+", "taggedVersions": "2+", "tag": 0 }
      ]
    }""",
    "PingResponse": """{
      "apiKey": 1, "type": "response", "name": "PingResponse",
      "validVersions": "0-3", "flexibleVersions": "2+",
      "fields": [ { "name": "ErrorCode", "type": "int16", "versions": "0+" } ]
    }""",
    "RequestHeader": """{
      "type": "header", "name": "RequestHeader", "validVersions": "1-2", "flexibleVersions": "2+",
      "fields": [
        { "name": "RequestApiKey", "type": "int16", "versions": "0+" },
        { "name": "RequestApiVersion", "type": "int16", "versions": "0+" },
        { "name": "CorrelationId", "type": "int32", "versions": "0+" },
        { "name": "ClientId", "type": "string", "versions": "1+", "nullableVersions": "1+",
          "flexibleVersions": "none" }
      ]
    }""",
    "ResponseHeader": """{
      "type": "header", "name": "ResponseHeader", "validVersions": "0-1", "flexibleVersions": "1+",
      "fields": [ { "name": "CorrelationId", "type": "int32", "versions": "0+" } ]
    }""",
}

HEADER_VERSIONS = {
    "PingRequest": ((VersionRange(0, 1), 1), (VersionRange(2, 3), 2)),
    "PingResponse": ((VersionRange(0, 1), 0), (VersionRange(2, 3), 1)),
}


def schemas() -> SchemaSet:
    """The release: a request, its response, and both headers."""
    return SchemaSet(RELEASE, {"clients": {name: _spec(name) for name in TEXTS}})


def _spec(name: str) -> MessageSpec:
    from dataclasses import replace

    spec, problems = read_message(TEXTS[name], name)
    assert spec is not None, problems
    return replace(spec, header_versions=HEADER_VERSIONS.get(name, ()))


def cell(message: str, version: int) -> Cell:
    return Cell(RELEASE, "clients", message, version)


def make(
    deadly: bytes = b"",
    broken: bool = False,
    wrong: Callable[[MessageLayout], Any] | None = None,
    robbed: str = "",
    compared: bool = False,
) -> MakeEnvironment:
    """Make an environment whose oracle and codec misbehave as asked.

    Args:
        wrong: replaces the compiled implementation.
        robbed: the end of the names of named cases that the source lacks.
        compared: the codecs are compared side by side.
    """
    return partial(_make, _Traits(deadly, broken, wrong, robbed, compared))


def engine(make: MakeEnvironment, options: RunOptions, **parts: Any) -> Engine:
    """Return a run that starts no worker process: its codec must neither hang nor end the process."""
    return Engine(make, options, prover=InlineProver(make, options), **parts)


@dataclass(frozen=True)
class _Traits:
    deadly: bytes
    broken: bool
    wrong: Callable[[MessageLayout], Any] | None
    robbed: str = ""
    compared: bool = False


class RobbedSource(LayoutSource):
    """Cases of a layout but for some named ones."""

    def __init__(self, robbed: str) -> None:
        super().__init__(_text_of)
        self._robbed = robbed

    def enumerated(self, cell: Cell, layout: MessageLayout) -> Iterator[Case]:
        every = super().enumerated(cell, layout)
        return (case for case in every if not case.name.endswith(self._robbed))


def _make(traits: _Traits) -> WorkerEnvironment:
    release = schemas()
    layouts = Layouts({RELEASE: release})
    headers = header_layouts(release)
    hangs = HangBudget()
    return WorkerEnvironment(
        layouts=layouts,
        adapters=[
            KafkawireAdapter("kafkawire[compiled]", traits.wrong or compile_layout, headers),
            KafkawireAdapter("kafkawire[interpreted]", interpret_layout, headers),
        ],
        oracles={RELEASE: InterpretedOracle(RELEASE, layouts, traits.deadly, traits.broken)},
        source=RobbedSource(traits.robbed) if traits.robbed else LayoutSource(_text_of),
        limited=[
            LimitedCodec(
                "kafkawire[compiled]",
                traits.wrong or compile_layout,
                cpu_s=0.3,
                fatal=FatalSites("kafkawire[compiled]", hangs),
            ),
            *([LimitedCodec("kafkawire[interpreted]", interpret_layout)] if traits.compared else []),
        ],
        compared=traits.compared,
        hangs=hangs,
    )


def _text_of(cell: Cell) -> str:
    return TEXTS[cell.message]


class NullAsEmpty:
    """A codec that writes null as the empty string: wrong in exactly one way."""

    def __init__(self, layout: MessageLayout) -> None:
        self._codec = interpret_layout(layout)
        self.layout = layout
        self.source = ""

    def encode(self, value: dict[str, Any]) -> bytes:
        return self._codec.encode(
            {name: "" if name == "name" and item is None else item for name, item in value.items()}
        )

    def size(self, value: dict[str, Any]) -> int:
        return len(self.encode(value))

    def decode(self, data: bytes) -> dict[str, Any]:
        return self._codec.decode(data)

    def decode_from(self, buffer: bytes, offset: int) -> tuple[dict[str, Any], int]:
        return self._codec.decode_from(buffer, offset)


class EmptyInThreads:
    """Reads nothing but defaults in a thread that is not the process's main one."""

    def __init__(self, layout: MessageLayout) -> None:
        self.layout = layout
        self._right = compile_layout(layout)

    def encode(self, value: dict[str, Any]) -> bytes:
        return self._right.encode(value)

    def size(self, value: dict[str, Any]) -> int:
        return self._right.size(value)

    def decode(self, data: bytes) -> dict[str, Any]:
        value = self._right.decode(data)
        return value if threading.current_thread() is threading.main_thread() else {}

    def decode_from(self, buffer: Any, offset: int) -> tuple[dict[str, Any], int]:
        return self._right.decode_from(buffer, offset)
