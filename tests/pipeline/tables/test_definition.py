"""The list of tables: one file for each, every one documented, each after the tables that it reads."""

import sys
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from wireproof.pipeline.tables import REPORT_TABLES, STAGES, TABLES
from wireproof.pipeline.tables.definition import Table, TableInputs

GUIDE = (Path(__file__).parents[3] / "docs" / "guides" / "spark.md").read_text("utf-8")


def inputs() -> TableInputs:
    """Of a job that has made no table yet."""
    nothing: Any = None
    return TableInputs(nothing, nothing, nothing, MappingProxyType({}))


def test_each_table_is_made_by_the_file_of_its_name() -> None:
    """The maker of a table is in the file that has the table's name."""
    files = {each.name: each.make.__module__.rpartition(".")[2] for each in TABLES}
    assert files == {name: f"{name}_table" for name in files}
    assert len(files) == len(TABLES) == 14


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_a_table_is_documented(table: Table) -> None:
    """The guide names it, it says what a row is, and every column has a description."""
    assert f"`{table.name}`" in GUIDE
    assert table.about
    assert all(each.metadata.get("comment") for each in table.schema.fields)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_a_table_is_listed_after_those_that_it_imports(table: Table) -> None:
    """A maker imports the tables that it reads; all of them precede it in the list."""
    imported = vars(sys.modules[table.make.__module__]).values()
    read = [each for each in imported if isinstance(each, Table) and each is not table]
    assert all(TABLES.index(each) < TABLES.index(table) for each in read)
    assert bool(read) == (table.name != "chunks")


def test_stages_come_before_the_tables_of_the_report() -> None:
    """Both lists make up the whole."""
    assert (*STAGES, *REPORT_TABLES) == TABLES


def test_a_table_that_comes_later_cannot_be_read() -> None:
    """The error names the table and the list."""
    with pytest.raises(LookupError, match="the table chunks is not made yet: list it in TABLES"):
        inputs()[TABLES[0]]
