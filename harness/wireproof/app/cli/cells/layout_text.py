"""A layout as text: its fields, and instances as annotated hexdumps."""

from collections import Counter
from collections.abc import Iterator

from kafkawire.annotate import annotate, hexdump
from kafkawire.canonical import canonical
from kafkawire.compiler import fastest_codec
from kafkawire.schema.layout import MessageLayout, StructLayout
from kafkawire.values import StructValue
from wireproof.base.text.wording import counted
from wireproof.proof.checks.evidence_text import field_words
from wireproof.proof.strategies import scenarios


def head_lines(title: str, layout: MessageLayout) -> Iterator[str]:
    """Yield the kind, the API key, the versions and the header's version."""
    yield f"{title}  {layout.kind}" + ("" if layout.api_key is None else f", api key {layout.api_key}")
    yield f"valid versions {layout.versions}, {'flexible' if layout.flexible else 'not flexible'}"
    if layout.header_version is not None:
        yield f"sent with version {layout.header_version} of the {layout.kind} header"


def field_lines(layout: MessageLayout) -> Iterator[str]:
    """Yield the fields of a layout with their numbers of boundary cases."""
    counts = Counter(scenario.path for scenario in scenarios(layout))
    yield f"{sum(counts.values())} boundary cases, {counts['']} of them for the message as a whole"
    yield from struct_lines(layout.root, "", 1, counts)


def struct_lines(struct: StructLayout, prefix: str, depth: int, counts: Counter[str] | None) -> Iterator[str]:
    """Yield the fields of a struct.

    Args:
        counts: the numbers of boundary cases by path; None leaves them out.
    """
    indent = "  " * depth
    for field in struct.all_fields:
        path = prefix + field.name
        cases = "" if counts is None else f"  [{counted(counts[path], 'case')}]"
        yield f"{indent}{field.name}: {field_words(field)}{cases}"
        if field.struct is not None:
            yield from struct_lines(
                field.struct, f"{path}{'[].' if field.is_array else '.'}", depth + 1, counts
            )
    if struct.flexible and counts is not None:
        yield f"{indent}_tags: unknown tagged fields  [{counts[f'{prefix}_tags']} cases]"


def instance_lines(layout: MessageLayout, title: str, value: StructValue) -> Iterator[str]:
    """Yield the annotated hexdump of an instance, and the instance as JSON.

    Args:
        title: the name of the instance: ``the default instance``.
    """
    data = fastest_codec(layout).encode(value)
    yield f"{title}, {counted(len(data), 'byte')}:"
    for offset, text, meaning in hexdump(annotate(layout, data), data):
        yield f"  {offset}  {text:38}  {meaning}"
    yield f"  {canonical(layout).to_json(value)}"
