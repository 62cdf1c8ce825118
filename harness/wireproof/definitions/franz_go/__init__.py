"""franz-go's definition files: fetched, and compared with Kafka's definitions cell by cell."""

from wireproof.definitions.franz_go.cell_comparison import (
    WITHOUT_COUNTERPART,
    DefinitionComparison,
    LayoutDisagreement,
    compare_definitions,
)
from wireproof.definitions.franz_go.definition_store import FRANZ_GO_VERSION, fetch_definitions
from wireproof.definitions.franz_go.disagreement_table import (
    DisagreementRow,
    TableCheck,
    check_table,
    disagreement_table,
)
from wireproof.definitions.franz_go.layout_alignment import Aspect, LayoutDifference, layout_differences

__all__ = [
    "FRANZ_GO_VERSION",
    "WITHOUT_COUNTERPART",
    "Aspect",
    "DefinitionComparison",
    "LayoutDisagreement",
    "DisagreementRow",
    "LayoutDifference",
    "TableCheck",
    "check_table",
    "compare_definitions",
    "disagreement_table",
    "fetch_definitions",
    "layout_differences",
]
