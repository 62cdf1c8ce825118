"""The draft of a message definition as text: its versions, one layout, and instances byte by byte."""

from collections.abc import Iterator

from kafkawire.compiler import interpret_layout
from kafkawire.errors import EncodeError
from kafkawire.schema import MessageLayout, MessageSpec, resolve
from kafkawire.values import StructValue
from wireproof.app.cli.cells.layout_text import field_lines, head_lines, instance_lines
from wireproof.base.exit_codes import ExitCode
from wireproof.base.fatal import FatalError
from wireproof.base.text.suggestions import did_you_mean
from wireproof.proof.strategies import scenarios
from wireproof.proof.strategies.values.whole_instances import full

__all__ = ["draft_lines"]


def draft_lines(spec: MessageSpec, version: int, case: str | None) -> Iterator[str]:
    """Yield the report about a definition.

    Args:
        version: the version that is shown in full.
        case: a boundary case to show besides the default instance and one with every field set.

    Raises:
        FatalError: the version has no such case.
    """
    yield f"{spec.name}: sizes in bytes, of bodies"
    yield f"  {'version':8} {'default':>8} {'all set':>8}"
    for each in spec.valid_versions:
        layout = resolve(spec, each)
        sizes = [_size(layout, value) for value in ({}, _all_set(layout))]
        yield f"  {each:<8} {sizes[0]:>8} {sizes[1]:>8}"
    yield ""
    layout = resolve(spec, version)
    yield from head_lines(f"{spec.name}/{version}", layout)
    yield ""
    yield from field_lines(layout)
    yield ""
    instances: dict[str, StructValue] = {
        "the default instance": {},
        "an instance with every field set": _all_set(layout),
    }
    if case is not None:
        instances[f"the case {case}"] = _value_of(layout, case)
    for title, value in instances.items():
        yield from _instance(layout, title, value)
        yield ""


def _size(layout: MessageLayout, value: StructValue) -> str:
    """Return the number of bytes; a dash if the value cannot be written."""
    try:
        return f"{len(interpret_layout(layout).encode(value)):,}"
    except EncodeError:
        return "-"


def _instance(layout: MessageLayout, title: str, value: StructValue) -> Iterator[str]:
    """Yield the bytes of an instance, or the reason why it has none."""
    try:
        yield from instance_lines(layout, title, value)
    except EncodeError as error:
        yield f"{title} cannot be written: {error}"


def _all_set(layout: MessageLayout) -> StructValue:
    """Return a value with every field off its default, tagged ones too, and without unknown tagged fields."""
    return full(layout.root, unknown_tags=False)


def _value_of(layout: MessageLayout, case: str) -> StructValue:
    values = {each.name: each.value for each in scenarios(layout)}
    if case not in values:
        advice = did_you_mean(case, values, f"Cases of a field are such as {min(values)}.")
        raise FatalError(f"{layout.name}/{layout.version} has no case {case!r}", advice, ExitCode.USAGE)
    return values[case]
