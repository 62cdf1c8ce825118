"""One case of ``wireproof matrix``: what was asked, and what each party makes of it."""

from collections.abc import Iterator, Mapping

import click

from kafkawire.annotate import annotate, hexdump
from kafkawire.canonical import canonical
from kafkawire.errors import CodecError
from kafkawire.schema.layout import MessageLayout
from wireproof.cli.cell_id import cell_in
from wireproof.cli.options import Fatal
from wireproof.cli.wiring import Prepared, make_bench
from wireproof.model import Cell, Question, in_order
from wireproof.run import CaseName, ExitCode, NoSuchCaseError, Said, side_by_side

__all__ = ["case_cell", "tell_case"]


def case_cell(prepared: Prepared, case: CaseName) -> Cell:
    """The cell of a case.

    Raises:
        Fatal: there is none.
    """
    _, message, version = case.cell_id.split("/")
    if not version.isdecimal():
        raise Fatal(f"{case.cell_id!r} is no cell", "Write RELEASE/MESSAGE/VERSION.", ExitCode.USAGE)
    return cell_in(prepared.parts[0].schemas, message, int(version))


def tell_case(prepared: Prepared, case: CaseName) -> int:
    """Print what everybody says in a case; exit code 1 where they differ.

    Raises:
        Fatal: there is no such case.
    """
    cell = case_cell(prepared, case)
    bench = make_bench(prepared)()
    try:
        answers = side_by_side(bench, cell, case)
    except NoSuchCaseError:
        advice = "Cases are compared in the phases enumerated, bulk and mutations."
        raise Fatal(f"{cell.id} has no case {case.phase}/{case.name!r}", advice, ExitCode.USAGE) from None
    layout = bench.layouts.of(cell)
    differ = False
    for question, (asked, told) in answers.items():
        differ = differ or len({said for said in told.values() if said is not None}) > 1
        framed = question is Question.MALFORMED and case.name.startswith("frame/")
        for line in _told(question, layout, asked, told, framed=framed):
            click.echo(line)
    if not differ:
        click.echo("all agree with Kafka", err=True)
    return int(ExitCode.DIVERGENCE if differ else ExitCode.PROVEN)


def _told(
    question: Question,
    layout: MessageLayout,
    asked: bytes,
    told: Mapping[str, Said | None],
    *,
    framed: bool,
) -> Iterator[str]:
    if question is Question.ENCODE:
        yield f"{question}: {_value(layout, asked)}"
    else:
        yield f"{question}: {len(asked)} bytes"
        yield from _bytes(layout, asked, framed=framed)
    camps: dict[Said, list[str]] = {}
    for name, said in told.items():
        if said is not None:
            camps.setdefault(said, []).append(name)
    for (does, result), names in camps.items():
        yield f"{', '.join(in_order(names))}: {does}"
        if isinstance(result, bytes) and does.endswith(("writes", "writes otherwise")):
            yield from _bytes(layout, result, framed=False)
        elif isinstance(result, bytes) and not framed:
            yield f"  {_value(layout, result)}"
    yield ""


def _bytes(layout: MessageLayout, data: bytes, *, framed: bool) -> Iterator[str]:
    """With the names of the fields; frames as they are, for their header is another message."""
    if framed:
        yield f"  {data.hex(' ')}"
        return
    annotation = annotate(layout, data)
    for offset, text, meaning in hexdump(annotation, data):
        yield f"  {offset}  {text:38}  {meaning}"
    if annotation.stopped is not None:
        yield f"  from byte {annotation.end} on it makes no sense: {annotation.stopped}"


def _value(layout: MessageLayout, binary: bytes) -> str:
    form = canonical(layout)
    try:
        return form.to_json(form.from_binary(binary))
    except CodecError as error:
        return f"no value that canonical JSON can hold: {error}"
