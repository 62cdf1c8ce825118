"""franz-go's definition files: fetched, and compared with Kafka's definitions cell by cell."""

from wireproof.definitions.franz_go.cell_comparison import compare_definitions
from wireproof.definitions.franz_go.definition_store import FRANZ_GO_VERSION, fetch_definitions
from wireproof.definitions.franz_go.disagreement_table import check_table, disagreement_table

__all__ = [
    "FRANZ_GO_VERSION",
    "check_table",
    "compare_definitions",
    "disagreement_table",
    "fetch_definitions",
]
