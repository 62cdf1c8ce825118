"""Error codes as values: each that a release knows is tried in each field that holds one."""

from collections import Counter

from kafkawire.schema import FieldLayout, MessageLayout
from tests.run import deviant_codecs
from tests.support.environments import small_environment
from tests.support.schemas import real_layouts
from wireproof.model import ERROR_NAMES, UNKNOWN_ERROR, Phase, holds_error_code
from wireproof.run import Engine, FailedCase, RunOptions
from wireproof.strategies import bulk_block, scenarios

CODES = {*ERROR_NAMES, UNKNOWN_ERROR}
CELLS = [small_environment.cell("PingResponse", version) for version in (0, 2)]


def failed(phase: Phase, robbed: str = "") -> list[str]:
    """The ids of the cases that fail with a codec whose table of codes has a wrong line."""
    make = small_environment.make(wrong=deviant_codecs.CodeMistaken, robbed=robbed)
    events = Engine(make, RunOptions(phases=(phase,), examples=3000)).run(CELLS)
    return [event.case_id for event in events if isinstance(event, FailedCase)]


def error_fields(layout: MessageLayout) -> dict[str, FieldLayout]:
    return {path: field for path, _, field in layout.walk() if holds_error_code(field)}


def codes_at(value: object, path: list[str]) -> list[int]:
    """The numbers at a path, in each element on the way."""
    if not path:
        return [value] if isinstance(value, int) else []
    name = path[0].removesuffix("[]")
    if not isinstance(value, dict) or name not in value:
        return []
    inner = value[name]
    each = inner if path[0].endswith("[]") else [inner]
    return [code for element in each for code in codes_at(element, path[1:])]


def test_a_mistaken_code_is_found_by_a_case_of_its_own():
    """In every version; without that case the enumerated phase proves the codec."""
    assert failed(Phase.ENUMERATED) == [
        f"1.0.0/PingResponse/{n}/enumerated/errorCode/error-36" for n in (0, 2)
    ]
    assert failed(Phase.ENUMERATED, robbed="error-36") == []


def test_random_instances_hold_codes_too():
    """An int16 drawn freely hits a given code once in 65,536 times."""
    assert len(failed(Phase.RANDOM)) == 2


def test_every_code_in_every_field_of_the_newest_release():
    """Inside arrays many in one case, else in a case for each code."""
    for layout in real_layouts.all_layouts():
        fields = error_fields(layout)
        seen: dict[str, set[int]] = {path: set() for path in fields}
        for case in scenarios(layout) if fields else ():
            if case.path in seen:
                seen[case.path].update(codes_at(case.value, case.path.split(".")))
        assert all(seen[path] >= CODES for path in fields), layout.name


def test_elements_of_a_keyed_array_have_keys_of_their_own():
    """A codec that keeps them in a map by key is asked for every code."""
    layout = real_layouts.real("MetadataResponse", 12)
    (case,) = (each for each in scenarios(layout) if each.name == "topics[].errorCode/errors-32-63")
    assert len({topic["name"] for topic in case.value["topics"]}) == 32


def test_which_fields_hold_codes():
    """By name and type: every int16 whose name ends so, and no other field that speaks of an error."""
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


def test_seeded_instances_hold_codes():
    """Each of them, in 16,384 instances of one cell."""
    layout = real_layouts.real("HeartbeatResponse", 4)
    drawn = {value.get("errorCode", 0) for block in range(64) for value in bulk_block(layout, 0, block)}
    assert drawn >= CODES
