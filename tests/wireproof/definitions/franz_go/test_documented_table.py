"""The guide's table of disagreements is that of the package."""

from collections.abc import Iterator
from pathlib import Path

from wireproof.definitions.franz_go.disagreement_table import disagreement_table

GUIDE = Path(__file__).parents[4] / "docs" / "guides" / "krammar.md"


def table_lines() -> Iterator[str]:
    yield "| message | versions | field | differs | krammar | Kafka | wrong | why |"
    yield "|---|---|---|---|---|---|---|---|"
    for row in disagreement_table():
        place = (row.message, str(row.versions), f"`{row.field}`", str(row.aspect))
        yield f"| {' | '.join((*place, row.krammar, row.kafka, row.wrong, row.why))} |"


def test_the_guide_has_every_row() -> None:
    """In the order of the file; the text can be pasted into the guide."""
    text = "\n".join(table_lines())
    assert text in GUIDE.read_text("utf-8"), f"put this table into {GUIDE.name}:\n{text}"
