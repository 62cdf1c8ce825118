"""franz-go's definitions and their comparison with Kafka's, once for each test process. Go fetches them."""

from functools import cache

from kafkawire.schema import SchemaSet
from wireproof.definitions.franz_go.cell_comparison import (
    DefinitionComparison,
    PairedMessage,
    compare_definitions,
    paired_messages,
)
from wireproof.definitions.franz_go.definition_store import fetch_definitions
from wireproof.definitions.krammar.definition_model import KrammarDefinitions
from wireproof.definitions.krammar.parsing.definition_reader import read_files
from wireproof.kafka.releases.jar_store import cache_folder
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot


@cache
def franz_go_definitions() -> KrammarDefinitions:
    """All definitions of the pinned version, which have no problem."""
    definitions, problems = read_files(fetch_definitions(cache_folder()).iterdir())
    assert definitions is not None, problems
    assert not problems
    return definitions


@cache
def _releases() -> tuple[SchemaSet, ...]:
    return tuple(load_snapshot(each) for each in table())


@cache
def franz_go_comparison() -> DefinitionComparison:
    """The comparison with all releases."""
    return compare_definitions(franz_go_definitions(), _releases())


@cache
def franz_go_messages() -> dict[str, PairedMessage]:
    """The messages of franz-go with Kafka's definitions of them, by krammar's name."""
    pairs = (pair for pair, _ in paired_messages(franz_go_definitions(), _releases()))
    return {pair.struct.name: pair for pair in pairs if isinstance(pair, PairedMessage)}
