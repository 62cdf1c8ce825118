"""Changes of one field in a value."""

from kafkawire.canonical import canonical
from tests.support.schemas import kitchen_sink, real_layouts
from wireproof.proof.strategies.cases.scenarios import scenarios
from wireproof.proof.strategies.layout_source import changed_fields


def test_every_field_of_the_fullest_instance_is_changed_alone() -> None:
    """Fields at every depth are changed, inside arrays too; each change gives a distinct value."""
    for layout in (kitchen_sink.layout(2), *real_layouts.all_layouts()[::7]):
        form = canonical(layout)
        fullest = next(each.value for each in scenarios(layout) if each.name == "message/fullest")
        changed = list(changed_fields(layout, fullest))
        binaries = [form.to_binary(fullest), *(form.to_binary(value) for _, value in changed)]
        assert len(set(binaries)) == len(binaries)
        leaves = {path for path, _, field in layout.walk() if field.struct is None or field.is_array}
        assert leaves <= {path for path, _ in changed}


def test_empty_and_null_fields_are_changed_too() -> None:
    """The default instance has no elements to change: each of its arrays gets one."""
    layout = real_layouts.real("MetadataRequest", 12)
    changed = dict(changed_fields(layout, {"topics": None}))
    assert changed["topics"] == {"topics": []}
    assert dict(changed_fields(layout, {"topics": []}))["topics"] == {"topics": [{}]}
