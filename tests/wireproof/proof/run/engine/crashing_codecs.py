"""Codecs that get no more requests after a count of zero, for `small_environment`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from kafkawire.canonical import canonical
from kafkawire.compiler import interpret_layout
from kafkawire.schema.layout import MessageLayout
from tests.support.environments import small_environment
from wireproof.model.adapter import NOT_ASKED, Encode, Reply, Request, Unsupported
from wireproof.model.cell import Cell
from wireproof.model.malformed_input import Answer, DecodeOutcome, MutationSites
from wireproof.proof.adapters.own.kafkawire_adapter import KafkawireAdapter
from wireproof.proof.run.core.environment import WorkerEnvironment, header_layouts

LEFT = Unsupported(NOT_ASKED, "not asked: it ended 6 times in this cell")


@dataclass
class CrashingAdapter:
    """Our codec; in the cell of the request, requests after a count of zero are not asked."""

    name: str = "mortal"
    not_asked: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)
    _ended: set[Cell] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._codec = KafkawireAdapter(
            self.name, interpret_layout, header_layouts(small_environment.schemas())
        )

    def ask(self, cell: Cell, layout: MessageLayout, requests: Sequence[Request]) -> list[Reply]:
        replies: list[Reply] = []
        for request in requests:
            if cell in self._ended:
                self.not_asked += 1
                replies.append(LEFT)
                continue
            replies += self._codec.ask(cell, layout, [request])
            if isinstance(request, Encode) and request.value.get("count") == 0:
                self._ended.add(cell)
        return replies


@dataclass
class CrashingReader:
    """Our codec, which reads three inputs of each cell, cannot hold the fourth, and then is not asked."""

    name: str = "mortal"

    def decode_all(
        self, layout: MessageLayout, inputs: Sequence[bytes], sites: MutationSites = ()
    ) -> list[Answer]:
        codec, form = interpret_layout(layout), canonical(layout)
        read = [_read(codec, form, data) for data in inputs[:3]]
        not_asked = [Answer(DecodeOutcome.LEFT_OUT, error=NOT_ASKED)] * len(inputs[4:])
        return [*read, *[Answer(DecodeOutcome.LEFT_OUT, error="enum")] * len(inputs[3:4]), *not_asked]

    def decode_frames(
        self, header: MessageLayout, layout: MessageLayout, inputs: Sequence[bytes], sites: MutationSites = ()
    ) -> list[Answer]:
        return [Answer(DecodeOutcome.LEFT_OUT)] * len(inputs)

    def decode_records(self, magic: int, inputs: Sequence[bytes], sites: MutationSites = ()) -> list[Answer]:
        return [Answer(DecodeOutcome.LEFT_OUT)] * len(inputs)

    def fresh(self) -> None:
        """Do nothing: this codec has no process."""

    def close(self) -> None:
        """Do nothing: this codec has no process."""


def _read(codec, form, data: bytes) -> Answer:
    from kafkawire.errors import DecodeError

    try:
        return Answer(DecodeOutcome.ACCEPTED, form.to_binary(codec.decode(data)))
    except DecodeError as error:
        return Answer(DecodeOutcome.REFUSED, b"", str(error.fault), str(error))


def make() -> WorkerEnvironment:
    """Make an environment with both codecs."""
    return replace(
        small_environment.make()(), adapters=[CrashingAdapter()], limited=[CrashingReader()], foreign=True
    )
