"""``wireproof schema downgrade``: records of one release's coordinators in another release."""

import json
from collections.abc import Iterator, Sequence

import click

from wireproof.app.cli.options import documented_command
from wireproof.base.exit_codes import ExitCode, FatalError
from wireproof.base.text.wording import document, echo, echo_lines
from wireproof.definitions.downgrade.broker_evidence import broker_evidence
from wireproof.definitions.downgrade.downgrade_matrix import (
    DowngradeRow,
    family_grids,
    reading_releases,
    selected_rows,
)
from wireproof.definitions.downgrade.load_rules import LoadRule
from wireproof.definitions.downgrade.report.downgrade_answer import (
    answer_lines,
    answer_markdown,
    answer_plain,
    broker_markdown,
    choice_markdown,
    downgrade_answer,
    grid_markdown,
    record_markdown,
    rule_markdown,
)
from wireproof.definitions.downgrade.report.downgrade_text import (
    as_plain,
    grid_lines,
    row_lines,
    rule_lines,
    summary_line,
)
from wireproof.kafka.releases.release_table import table


@documented_command(
    "downgrade",
    {
        ExitCode.PROVEN: "The matrix is printed; the downgrade of --from and --to loads all logs.",
        ExitCode.DIVERGENCE: "With --from and --to: the reader does not load a log, or loses a group.",
        ExitCode.NOTHING_RAN: "No record matches.",
    },
)
@click.option("--from", "writer", metavar="RELEASE", help="The release that wrote the logs, or 'later'.")
@click.option("--to", "reader", metavar="RELEASE", help="The release that starts on them.")
@click.option("--record", metavar="NAME", help="Only records with this text in their name: OffsetCommit.")
@click.option("--annotate", "annotated", is_flag=True, help="Name each byte of the frames.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Print Markdown instead of text.")
def downgrade(
    writer: str | None,
    reader: str | None,
    record: str | None,
    annotated: bool,
    as_json: bool,
    as_markdown: bool,
) -> int:
    r"""Show which records of one release's coordinators another release loads (KIP-915).

    The records are those of groups, committed offsets, transactions and share groups. An outcome is accepted,
    data lost, refused or crashed; the last two end the load of the partition. Each comes with its rule, and
    with the record's bytes. Without --from, --to and --record the command prints one table for each family of
    records; with --from and --to alone it begins with the answer for an operator: can a cluster go back, what
    does it lose, what has to be done first. --markdown begins with it, too; --json has it as `answer`. The
    command does not need jars, Java or a network. `later` is a release after the newest one.

    \b
      wireproof schema downgrade
      wireproof schema downgrade --from 4.4 --to 3.9
      wireproof schema downgrade --from later --to 3.4.0 --record OffsetCommit --annotate
    """
    if as_json and as_markdown:
        raise FatalError("--json and --markdown exclude each other", "Give one of them.")
    writer, reader = (table().newest if word == "newest" else word for word in (writer, reader))
    rows = selected_rows(writer, reader, record)
    chosen = (writer, reader, record) != (None, None, None)
    answer = None if writer is None or reader is None else downgrade_answer(rows, writer, reader)
    shown = answer if record is None else None
    if as_json:
        about = {"from": writer, "to": reader, "answer": answer_plain(shown) if shown else None}
        document(json.dumps({**about, "rows": [as_plain(row) for row in rows]}, indent=2) + "\n")
    elif as_markdown:
        begin = answer_markdown(shown) if shown else ()
        document("\n".join([*begin, *_markdown(rows, whole=not chosen)]) + "\n")
    else:
        echo_lines((*answer_lines(shown), "") if shown else ())
        for line in _records(rows, annotated) if chosen or annotated else _grids(rows):
            echo(line)
    echo(summary_line(rows), err=True)
    return ExitCode.PROVEN if answer is None or answer.outcome.goes_back else ExitCode.DIVERGENCE


def _grids(rows: Sequence[DowngradeRow]) -> Iterator[str]:
    for grid in family_grids(rows, reading_releases()):
        yield from grid_lines(grid)
        yield ""
    yield "A dot means accepted. A record is what the writer writes by default, else with a setting."
    yield "`wireproof schema downgrade --from RELEASE --to RELEASE` shows the records of a pair."


def _records(rows: Sequence[DowngradeRow], annotated: bool) -> Iterator[str]:
    for row in rows:
        yield from row_lines(row, reading_releases(), annotated)
        yield ""
    used = {cell.rule for row in rows for cell in row.cells.values()}
    yield from rule_lines(rule for rule in LoadRule if rule in used)


def _markdown(rows: Sequence[DowngradeRow], *, whole: bool) -> Iterator[str]:
    if whole:
        yield from grid_markdown(family_grids(rows, reading_releases()))
        yield from choice_markdown(reading_releases())
        yield from broker_markdown(broker_evidence())
    yield from record_markdown(rows, reading_releases())
    yield from rule_markdown()
