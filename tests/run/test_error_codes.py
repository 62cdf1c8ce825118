"""Error codes as values: each code of a release is tried in each field for error codes."""

from collections import Counter

from kafkawire.schema import FieldLayout, MessageLayout
from tests.run import deviant_codecs
from tests.support.environments import small_environment
from tests.support.schemas import real_layouts
from wireproof.model.cell import Phase
from wireproof.model.kafka.releases import ERROR_NAMES, UNKNOWN_ERROR, holds_error_code
from wireproof.proof.run.core.cell_events import FailedCase
from wireproof.proof.run.core.plan import RunOptions
from wireproof.proof.strategies.cases.scenarios import scenarios
from wireproof.proof.strategies.drawing.bulk_blocks import bulk_block

CODES = {*ERROR_NAMES, UNKNOWN_ERROR}
CELLS = [small_environment.cell("PingResponse", version) for version in (0, 2)]


def failed(phase: Phase, robbed: str = "") -> list[str]:
    """Return the ids of the cases that fail with a codec whose table of codes has a wrong line."""
    make = small_environment.make(wrong=deviant_codecs.CodeMistaken, robbed=robbed)
    events = small_environment.engine(make, RunOptions(phases=(phase,), examples=3000)).run(CELLS)
    return [event.case_id for event in events if isinstance(event, FailedCase)]


def error_fields(layout: MessageLayout) -> dict[str, FieldLayout]:
    return {path: field for path, _, field in layout.walk() if holds_error_code(field)}


def codes_at(value: object, path: list[str]) -> list[int]:
    """Return the numbers at a path, in each element on the way."""
    if not path:
        return [value] if isinstance(value, int) else []
    name = path[0].removesuffix("[]")
    if not isinstance(value, dict) or name not in value:
        return []
    inner = value[name]
    each = inner if path[0].endswith("[]") else [inner]
    return [code for element in each for code in codes_at(element, path[1:])]


def test_a_wrong_code_is_found_by_its_own_case():
    """This holds in every version; without that case the enumerated phase would prove the codec."""
    assert failed(Phase.ENUMERATED) == [
        f"1.0.0/PingResponse/{n}/enumerated/errorCode/error-36" for n in (0, 2)
    ]
    assert failed(Phase.ENUMERATED, robbed="error-36") == []


def test_random_instances_have_codes_too():
    """A random int16 equals a given code once in 65,536 times."""
    assert len(failed(Phase.RANDOM)) == 2


def test_every_code_is_tried_in_every_field_of_the_newest_release():
    """Inside arrays one case has many codes; elsewhere each code has a case."""
    for layout in real_layouts.all_layouts():
        fields = error_fields(layout)
        seen: dict[str, set[int]] = {path: set() for path in fields}
        for case in scenarios(layout) if fields else ():
            if case.path in seen:
                seen[case.path].update(codes_at(case.value, case.path.split(".")))
        assert all(seen[path] >= CODES for path in fields), layout.name


def test_elements_of_a_keyed_array_have_distinct_keys():
    """A codec that keeps the elements in a map by key gets every code."""
    layout = real_layouts.real("MetadataResponse", 12)
    (case,) = (each for each in scenarios(layout) if each.name == "topics[].errorCode/errors-32-63")
    assert len({topic["name"] for topic in case.value["topics"]}) == 32


def test_fields_for_codes_are_found_by_name_and_type():
    """They are found by name and type: every int16 with such a suffix, and no other field about an error."""
    names = Counter(
        (field.name, holds_error_code(field))
        for layout in real_layouts.all_layouts()
        for _, _, field in layout.walk()
        if "error" in field.name.lower()
    )
    assert {name for name, holds in names if holds} == {
        "errorCode",
        "partitionErrorCode",
        "topicConfigErrorCode",
        "acknowledgeErrorCode",
    }
    assert {name for name, holds in names if not holds} == {
        "errorMessage",
        "acknowledgeErrorMessage",
        "batchIndexErrorMessage",
        "recordErrors",
    }


def test_seeded_instances_have_codes():
    """Each code occurs in 16,384 instances of one cell."""
    layout = real_layouts.real("HeartbeatResponse", 4)
    drawn = {value.get("errorCode", 0) for block in range(64) for value in bulk_block(layout, 0, block)}
    assert drawn >= CODES
