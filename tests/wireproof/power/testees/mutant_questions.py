"""Our own codec as a testee in this process, and requests that reach every mutation operator."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from kafkawire.canonical import canonical
from kafkawire.primitives import PRIMITIVES, VALUE, codec_of
from kafkawire.records import encode_records, record_set_layout, to_value
from kafkawire.schema import MessageLayout
from tests.support.testees.own_embedded import OwnEmbedded
from tests.support.testees.own_testee import OBJECTS, STREAMS, OwnTestee, primitive, schemas_of, specs
from wireproof.app.assembly.inputs.bundled_schemas import with_primitives
from wireproof.model.cell import RECORDS_MODULE, Cell
from wireproof.model.embedding import Framing
from wireproof.power.testees.choosing import MutationFixtures
from wireproof.proof.run.core.environment import Layouts, all_cells, header_layouts
from wireproof.proof.strategies.layout_source import LayoutSource
from wireproof.proof.strategies.records.record_source import RecordSets
from wireproof.proof.testees.session.local_session import LocalSession
from wireproof.proof.testees.session.testee_session import OkAnswer

RELEASE = "4.4.0"
_SCHEMAS = with_primitives(schemas_of(RELEASE))
LAYOUTS = Layouts({RELEASE: _SCHEMAS})


class OwnHandler:
    """A handler that answers like the kit."""

    def __init__(self) -> None:
        schemas = schemas_of(RELEASE)
        messages = specs(schemas)
        self.testee = OwnTestee(messages, OwnEmbedded(schemas, messages))
        self.testee.operations = self.testee.operations | OBJECTS | STREAMS
        self.testee.primitive = primitive

    def answer(self, request: Any) -> str:
        return json.dumps(self.testee.answer(request))


def own_testee() -> LocalSession:
    """Return our own codec, which is right in every way."""
    return LocalSession("kafkawire", OwnHandler)


def own_ground(testee: LocalSession) -> MutationFixtures:
    """Return the environment with all that it claims of the release."""
    hello = testee.hello()
    cells = [cell for cell in all_cells(_SCHEMAS) if hello.concerns(cell.message, cell.version)]
    return MutationFixtures(hello, cells, LAYOUTS.of, header_layouts(_SCHEMAS))


def questions(cell: Cell, testee: LocalSession, most: int = 400) -> Iterator[list[str]]:
    """Yield requests of the protocol about the named boundary cases of a cell, some at a time."""
    layout = LAYOUTS.of(cell)
    for tree, data in _cases(cell, layout, most):
        if cell.message in PRIMITIVES:
            about = f'"op":"primitive","type":"{cell.message}"'
            yield [f'{about},"value":{json.dumps(tree)}', f'{about},"data":"{data.hex()}"']
            continue
        yield _of_message(cell, layout, tree, data)
        if testee.hello().embedded.any_of(cell.message, cell.version):
            yield from _framed(cell, testee, tree)


def _cases(cell: Cell, layout: MessageLayout, most: int) -> Iterator[tuple[Any, bytes]]:
    if cell.module == RECORDS_MODULE:
        for case in RecordSets().cases(cell):
            if case.foreign is None:
                yield _tree(record_set_layout(2), to_value(case.records)), encode_records(case.records)
        return
    for each, _ in zip(LayoutSource(lambda _: "").enumerated(cell, layout), range(most), strict=False):
        tree = _tree(layout, each.value)
        yield tree[VALUE] if cell.message in PRIMITIVES else tree, codec_of(layout).encode(each.value)


def _tree(layout: MessageLayout, value: dict[str, Any]) -> Any:
    return json.loads(canonical(layout).to_json(value))


def _of_message(cell: Cell, layout: MessageLayout, tree: Any, data: bytes) -> list[str]:
    def about(operation: str) -> str:
        return f'"op":"{operation}","message":"{cell.message}","version":{cell.version}'

    broken = data[:21] + bytes(each ^ 1 for each in data[21:22]) + data[22:]
    texts = [f'{about("encode")},"value":{json.dumps(tree)}', f'{about("encode")},"value":{{}}']
    texts += [
        f'{about("decode")},"data":"{each.hex()}"' for each in (data, data + b"\0", data[:-1], broken, data)
    ]
    texts.append(f'{about("size")},"value":{json.dumps(tree)}')
    if cell.module != RECORDS_MODULE:
        texts += [f'{about("copy")},"data":"{data.hex()}"']
        texts += [
            f'{about("equal")},"data":"{data.hex()}","other":"{each.hex()}"'
            for each in (data, _least(layout))
        ]
    if layout.header_version is not None:
        header = json.dumps(_HEADERS[layout.kind == "request"])
        texts.append(f'{about("frame")},"header":{header},"value":{json.dumps(tree)}')
        frame = _frame(cell, tree)
        texts.append(f'{about("unframe")},"data":"{frame}"')
        texts.append(f'{about("feed")},"parts":["{frame[:10]}","{frame[10:]}"]')
    return texts


_HEADERS: Sequence[dict[str, Any]] = ({"correlationId": 7}, {"correlationId": 7, "clientId": "c"})


def _least(layout: MessageLayout) -> bytes:
    return codec_of(layout).encode({})


def _frame(cell: Cell, tree: Any) -> str:
    layout = LAYOUTS.of(cell)
    header = _HEADERS[layout.kind == "request"]
    asked = {"id": 0, "op": "frame", "message": cell.message, "version": cell.version}
    answer = _HANDLER.testee.answer({**asked, "header": header, "value": tree})
    return str(answer["ok"]["data"])


_HANDLER = OwnHandler()


_LABELLED = frozenset({Framing.SUBSCRIPTION, Framing.ASSIGNMENT, Framing.PRINCIPAL})
"""Framings whose reader knows the message in advance."""


def _framed(cell: Cell, testee: LocalSession, tree: Any) -> Iterator[list[str]]:
    _, framing = _HANDLER.testee.embedded.cells[cell.message, cell.version]
    if framing not in _LABELLED:
        return
    members = f'"framing":"{framing}","message":"{cell.message}","version":{cell.version}'
    asked = f'"op":"encode",{members},"value":{json.dumps(tree)}'
    yield [asked]
    (answer,) = testee.ask([asked])
    assert isinstance(answer, OkAnswer)
    key = answer.content.get("key")
    answered = f'"data":"{answer.content["data"]}"' + ("" if key is None else f',"key":"{key}"')
    yield [f'"op":"decode","framing":"{framing}","message":"{cell.message}",{answered}']
