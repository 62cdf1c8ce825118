"""The tables of a job: all Parquet, all in one folder.

A file of `stages` or `report` is a table: its schema and its maker. To add a table, write such a file, list
the table below, after those that it reads, and describe it in docs/guides/spark.md.
"""

from typing import Final

from wireproof.pipeline.tables.report.classes_table import CLASSES
from wireproof.pipeline.tables.report.clients_table import CLIENTS
from wireproof.pipeline.tables.report.coverage_table import COVERAGE
from wireproof.pipeline.tables.report.disagreements_table import DISAGREEMENTS
from wireproof.pipeline.tables.report.sizes_table import SIZES
from wireproof.pipeline.tables.stages.candidates_table import CANDIDATES
from wireproof.pipeline.tables.stages.chosen_table import CHOSEN
from wireproof.pipeline.tables.stages.chunks_table import CHUNKS
from wireproof.pipeline.tables.stages.divergences_table import DIVERGENCES
from wireproof.pipeline.tables.stages.entries_table import ENTRIES
from wireproof.pipeline.tables.stages.fingerprints_table import FINGERPRINTS
from wireproof.pipeline.tables.stages.frames_table import FRAMES
from wireproof.pipeline.tables.stages.quarantine_table import QUARANTINE
from wireproof.pipeline.tables.stages.readings_table import READINGS

STAGES: Final = (CHUNKS, FRAMES, READINGS, DIVERGENCES, FINGERPRINTS, CANDIDATES, CHOSEN, ENTRIES, QUARANTINE)
"""From captured bytes to corpus entries, each after the tables that it reads."""

REPORT_TABLES: Final = (CLASSES, COVERAGE, CLIENTS, SIZES, DISAGREEMENTS)
"""The tables that the report reads, each after the tables that it reads."""

TABLES: Final = (*STAGES, *REPORT_TABLES)
"""All tables, in the order in which a job makes them."""
