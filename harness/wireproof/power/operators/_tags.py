"""Tagged fields, known and unknown."""

from dataclasses import replace

from kafkawire.schema import MessageLayout, StructLayout
from wireproof.power.bug_classes import BugClass
from wireproof.power.mutants.codec_operator import CodecOperator, WrongLayout, WrongPrimitive
from wireproof.power.mutants.site_conditions import (
    every,
    is_flexible_struct,
    is_nullable_struct,
    is_tagged,
    with_edited_field,
    with_edited_struct,
)
from wireproof.power.mutants.sites import Site
from wireproof.power.mutants.source_copies import Patch

__all__ = ["TAG_OPERATORS"]


def _free_tag(site: Site) -> int:
    tags = {field.tag for field in site.struct.tagged} | site.struct.reserved_tags
    return 1 + max(tag for tag in tags if tag is not None)


def _in_place(site: Site) -> MessageLayout:
    assert site.field is not None
    field = site.field

    def move(struct: StructLayout) -> StructLayout:
        tagged = tuple(each for each in struct.tagged if each is not field)
        return replace(struct, fields=(*struct.fields, replace(field, tag=None)), tagged=tagged)

    return with_edited_struct(site, move)


def _is_plain_nested_struct(site: Site) -> bool:
    return is_flexible_struct(site) and bool(site.path) and not site.struct.tagged


def _has_two_tags(site: Site) -> bool:
    return site.field is None and len(site.struct.tagged) > 1


def _has_tags(site: Site) -> bool:
    return site.field is None and bool(site.struct.tagged)


def _tags_a_nullable_struct(site: Site) -> bool:
    return site.field is None and any(
        is_nullable_struct(replace(site, field=each)) for each in site.struct.tagged
    )


def _has_reserved_tags(site: Site) -> bool:
    return is_flexible_struct(site) and bool(site.struct.reserved_tags)


def _reversed(site: Site) -> MessageLayout:
    return with_edited_struct(site, lambda struct: replace(struct, tagged=struct.tagged[::-1]))


def _with_length(length: str) -> tuple[Patch, ...]:
    """Patch a tagged struct's data: all of them are written, behind a size that is this expression."""
    return (
        Patch(
            "compiler._interpreted_encode",
            "known[field.tag] = data",
            "known[field.tag] = data if field.struct is None or field.is_array or not field.nullable "
            f'else type("Data", (bytes,), {{"__len__": lambda self: {length}}})(data)',
        ),
    )


_WRITE_TAGS = "chunks += (write_uvarint(tag), write_uvarint(len(fields[tag])), fields[tag])"

TAG_OPERATORS = (
    CodecOperator(
        "tag-number",
        BugClass.TAGS,
        "a tagged field has another tag",
        WrongLayout(is_tagged, lambda site: with_edited_field(site, tag=_free_tag(site))),
    ),
    CodecOperator(
        "tagged-field-in-place",
        BugClass.TAGS,
        "a tagged field is written after the fields in place",
        WrongLayout(is_tagged, _in_place),
    ),
    CodecOperator(
        "nested-struct-without-tags",
        BugClass.TAGS,
        "a struct inside a flexible message has no tag section",
        WrongLayout(
            _is_plain_nested_struct,
            lambda site: with_edited_struct(site, lambda struct: replace(struct, flexible=False)),
        ),
    ),
    CodecOperator(
        "tags-in-reverse",
        BugClass.TAGS,
        "codec and harness hold the tagged fields in descending order",
        WrongLayout(_has_two_tags, _reversed),
        shared=True,
    ),
    CodecOperator(
        "tagged-default-written",
        BugClass.TAGS,
        "a tagged field is written though it holds its default",
        WrongPrimitive(
            _has_tags,
            (
                Patch(
                    "compiler._interpreted_encode",
                    "if field.tag is not None and not is_default(field, full[field.name]):",
                    "if field.tag is not None:",
                ),
                Patch(
                    "compiler._interpreted_size",
                    "if field.tag is not None and not is_default(field, full[field.name]):",
                    "if field.tag is not None:",
                ),
            ),
        ),
    ),
    CodecOperator(
        "unknown-tags-dropped",
        BugClass.TAGS,
        "unknown tagged fields are passed over when reading",
        WrongPrimitive(
            is_flexible_struct,
            (
                Patch(
                    "compiler._interpreted_decode",
                    "unknown[tag], pos = self._read_unknown",
                    "_, pos = self._read_unknown",
                ),
            ),
        ),
    ),
    CodecOperator(
        "long-unknown-tags-lost",
        BugClass.TAGS,
        "unknown tagged fields whose tag takes two bytes are passed over when reading",
        WrongPrimitive(
            is_flexible_struct,
            (
                Patch(
                    "compiler._interpreted_decode",
                    "            value[TAGS] = unknown",
                    "            value[TAGS] = {tag: unknown[tag] for tag in unknown if tag < 128}",
                ),
            ),
        ),
    ),
    CodecOperator(
        "tag-of-another-version-kept",
        BugClass.TAGS,
        "a tag that means a field in other versions is read as an unknown one",
        WrongPrimitive(
            _has_reserved_tags,
            (
                Patch(
                    "compiler._interpreted_decode",
                    "        if tag in self._reserved:\n            detail",
                    "        if False:\n            detail",
                ),
            ),
        ),
    ),
    CodecOperator(
        "unknown-tags-refused",
        BugClass.TAGS,
        "an unknown tagged field is an error",
        WrongPrimitive(
            is_flexible_struct,
            (
                Patch(
                    "compiler._interpreted_decode",
                    "if tag in self._reserved:\n            "
                    'detail = f"tag {tag} is {self._reserved[tag][1]}"',
                    'if True:\n            detail = "unknown tag"',
                ),
            ),
        ),
    ),
    CodecOperator(
        "tags-unsorted",
        BugClass.TAGS,
        "tagged fields are written in the order in which they were given",
        WrongPrimitive(
            is_flexible_struct, (Patch("wire.tags", "for tag in sorted(fields):", "for tag in fields:"),)
        ),
    ),
    CodecOperator(
        "tag-size-counts-one-more",
        BugClass.TAGS,
        "the size of a tagged field is length + 1, written and read",
        WrongPrimitive(
            is_flexible_struct,
            (
                Patch(
                    "wire.tags", _WRITE_TAGS, _WRITE_TAGS.replace("len(fields[tag])", "len(fields[tag]) + 1")
                ),
                Patch(
                    "wire.tags",
                    "total += size_uvarint(tag) + size_uvarint(size) + size",
                    "total += size_uvarint(tag) + size_uvarint(size + 1) + size",
                ),
                Patch(
                    "wire.tags",
                    "    size, start = read_uvarint(data, pos)\n    if size",
                    "    size, start = read_uvarint(data, pos)\n    size -= 1\n    if size",
                ),
            ),
        ),
    ),
    CodecOperator(
        "tagged-struct-without-room-for-its-marker",
        BugClass.TAGS,
        "a tagged nullable struct of 127 bytes gets a buffer of 127 bytes, and none for its marker",
        WrongPrimitive(
            every(is_tagged, is_nullable_struct),
            (
                Patch(
                    "compiler._interpreted_encode",
                    "return write_presence(True) + write(value) if nullable else write(value)",
                    "data = write_presence(True) + write(value)\n"
                    "        return data[:127] if len(data) == 128 else data",
                ),
            ),
        ),
    ),
    CodecOperator(
        "tagged-struct-size-without-its-marker",
        BugClass.TAGS,
        "the size of a tagged nullable struct leaves out its marker",
        WrongPrimitive(_tags_a_nullable_struct, _with_length("len(bytes(self)) - 1")),
    ),
    CodecOperator(
        "tagged-struct-size-of-one-byte",
        BugClass.TAGS,
        "the size of a tagged nullable struct below 256 bytes is one byte",
        WrongPrimitive(
            _tags_a_nullable_struct,
            _with_length("len(bytes(self)) % (128 if len(bytes(self)) < 256 else 1 << 31)"),
        ),
    ),
    CodecOperator(
        "tag-without-size",
        BugClass.TAGS,
        "a tagged field has no size before its data",
        WrongPrimitive(
            _has_tags,
            (Patch("wire.tags", _WRITE_TAGS, "chunks += (write_uvarint(tag), fields[tag])"),),
        ),
    ),
)
