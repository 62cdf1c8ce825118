"""Pages of the reference about codecs: their causes and matrix, Kafka's bugs, the variations for clients."""

import shlex

from page_tables import DOCS, cell, markdown_table, page

from wireproof.base.text.parsing import read_text
from wireproof.base.text.wording import counted
from wireproof.model.agreement import CodecTask
from wireproof.proof.checks.known_defects.kafka_bugs import KAFKA_BUGS
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.deviations.deviation_words import deviation_sentence
from wireproof.proof.deviations.scopes import scope_text
from wireproof.proof.testees.description.manifest import shipped_manifests
from wireproof.traffic.capture.variations.variation_table import CATALOGUE
from wireproof.verdict.ledger.files.ledger_reading import read_ledger
from wireproof.verdict.report.comparison.matrix_document import MatrixDocument
from wireproof.verdict.report.comparison.matrix_html import as_html, codec_rows

__all__ = ["causes", "codecs_matrix", "codecs_table", "kafka_bugs", "variations"]


def kafka_bugs() -> str:
    """The known defects of Kafka's classes."""
    rows = [(f"`{each.witness}`", cell(each.summary), cell(_spans(each.releases))) for each in KAFKA_BUGS]
    return page("kafka-bugs", bugs=markdown_table(("name", "defect", "releases"), rows))


def causes() -> str:
    """What each public codec does otherwise, with its place in the source, from the shipped ledgers."""
    parts = []
    for manifest in shipped_manifests():
        ledger = manifest.folder / "ledger.toml"
        known = read_ledger(read_text(ledger), ledger.name).causes if ledger.exists() else ()
        mistakes: dict[str, list[Deviation]] = {}
        for each in known:
            mistakes.setdefault(each.reason, []).append(each.deviation)
        rows = [
            ("<br>".join(map(_does, shown)), cell(reason), "<br>".join(map(_places, shown)))
            for reason, shown in mistakes.items()
        ]
        if rows:
            table = markdown_table(("what it does", "where, in its source", "in"), rows)
            parts.append(f"## {manifest.name} {manifest.version}\n\n{table}")
    return page("causes", causes="\n".join(parts))


def _does(deviation: Deviation) -> str:
    return cell(deviation_sentence(deviation))


def _places(deviation: Deviation) -> str:
    if not deviation.scope:
        return f"every message but {len(deviation.outside)}" if deviation.outside else "every message"
    words = scope_text(deviation.scope)
    return "; ".join(words) if len(words) <= 2 else counted(len(words), "message")


def variations() -> str:
    """The ways in which `judge --vary` changes answers."""
    rows = [(f"`{each.id}`", cell(each.sentence), cell(each.source)) for each in CATALOGUE]
    return page("variations", variations=markdown_table(("name", "what is otherwise", "source"), rows))


def _spans(releases: tuple[tuple[str, str], ...]) -> str:
    return "; ".join(f"{first} to {fixed}" if fixed else f"{first} and later" for first, fixed in releases)


def _saved_matrix() -> MatrixDocument:
    return MatrixDocument.parse((DOCS / "reference" / "generated" / "codecs-matrix.json").read_text("utf-8"))


def codecs_matrix() -> str:
    """The sums of the saved matrix of public codecs."""
    saved = _saved_matrix()
    rows = [
        (
            cell(row.codec.name),
            cell(row.codec.version),
            row.codec.language,
            *(" ".join(f"{state.sign}&nbsp;{count:,}" for state, count in task) for task in row.counts),
            f"{row.findings + row.deviations:,}",
        )
        for row in codec_rows(saved)
    ]
    made = [
        f"{len(saved.messages)} messages, {saved.cells} versions of them, Kafka {', '.join(saved.releases)}, "
        f"wireproof {saved.wireproof}:",
        f"```text\n{shlex.join(saved.command)}\n```",
        *(f"Left out: `{each.testee}`: {cell(each.reason)}." for each in saved.left_out),
    ]
    heads = ("codec", "version", "language", *map(str, CodecTask), "deviations")
    return page("codecs-matrix", codecs=markdown_table(heads, rows), made="\n\n".join(made))


def codecs_table() -> str:
    """The saved matrix of public codecs as a page of HTML."""
    return as_html(_saved_matrix())
