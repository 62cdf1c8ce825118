"""Last pass of compiling a decoder: the plan becomes Python.

Bounds are not checked one by one: `struct` and indexing fail beyond the end, slices come out short, and one
comparison at the end detects that. Only counts that could be large are compared at once with the number of
remaining bytes.
"""

from collections.abc import Iterable

from kafkawire.compiler._plan import (
    WIDTHS,
    Body,
    BytesBody,
    FixedField,
    ItemArray,
    Loop,
    NullableStruct,
    NumberArray,
    Prefix,
    Step,
    StringBody,
    StructArray,
    StructEnd,
    StructHead,
    StructPlan,
    StructStart,
    TagSection,
    VarintField,
    plan_message,
)
from kafkawire.compiler._printed_source import ModulePrinter, Printed
from kafkawire.schema.layout import EMPTY, FieldLayout, MessageLayout
from kafkawire.schema.model import ScalarType
from kafkawire.values import TAGS

_IMPORTS = """\
from struct import Struct, error as struct_error
from uuid import UUID
from kafkawire.compiler._runtime import (
    UnplacedError, read_blob_length, read_blob_length_or_null, read_count, read_count_or_null,
    read_text_length, read_text_length_or_null, read_unknown_tags, unpacker, unpackers,
)
from kafkawire.wire import as_bytes, new_uuid, read_tag, read_tag_size, read_uvarint
"""


def print_decoder(layout: MessageLayout) -> tuple[Printed, tuple[Loop, ...]]:
    """A module with ``decode(data, pos=0, whole=True)``, and the loops in it.

    It returns the value, or with `whole` false the value and the position after it. The caller has to inject
    ``explain(data, start, whole, variables)``, which raises the error.
    """
    return _DecodePrinter().module(layout)


class _DecodePrinter(ModulePrinter):
    def module(self, layout: MessageLayout) -> tuple[Printed, tuple[Loop, ...]]:
        plan = plan_message(layout.root, self.globals)
        self._decode(plan)
        return self.printed("Decodes", layout, _IMPORTS), tuple(plan.loops())

    def _decode(self, plan: StructPlan) -> None:
        line, block = self.text.line, self.text.block
        line()
        with block("def decode(data, pos=0, whole=True):"):
            with block("if type(data) is not bytes:"):
                line("data = as_bytes(data)")
            line("start, end = pos, len(data)")
            with block("try:"):
                self._steps(plan.steps)
                with block("if pos != end and (whole or pos > end):"):
                    line("raise UnplacedError")
            with block("except (IndexError, ValueError, struct_error):"):
                line("return explain(data, start, whole, locals())")
            line(f"return {plan.head.var} if whole else ({plan.head.var}, pos)")

    def _steps(self, steps: Iterable[Step]) -> None:
        """Fuse neighbouring slots, then print. A struct is built after all its slots are read."""
        slots: list[FixedField | Prefix] = []
        built: list[StructEnd] = []
        for step in steps:
            match step:
                case StructStart():
                    pass
                case StructEnd():
                    built.append(step)
                case FixedField() | Prefix():
                    slots.append(step)
                case _:
                    self._flush(slots, built)
                    slots, built = [], []
                    self._body(step)
        self._flush(slots, built)

    def _flush(self, slots: list[FixedField | Prefix], built: list[StructEnd]) -> None:
        if slots:
            self._slots(slots)
        for build in built:
            self._build(build.head)

    def _slots(self, slots: list[FixedField | Prefix]) -> None:
        variables, codes = [_slot(slot)[0] for slot in slots], [_slot(slot)[1] for slot in slots]
        if codes == ["B"]:
            self.text.line(f"{variables[0]} = data[pos]")
        elif codes == ["?"]:
            self.text.line(f"{variables[0]} = data[pos] != 0")
        else:
            form = "".join(codes)
            unpack = self.constant(f'Struct(">{form}").unpack_from', f"unpack_{form}")
            self.text.line(f"{', '.join(variables)}{',' * (len(codes) == 1)} = {unpack}(data, pos)")
        self.text.line(f"pos += {sum(WIDTHS[code] for code in codes)}")

    def _check_count(self, count: str) -> None:
        with self.text.block(f"if not 0 <= {count} <= end - pos:"):
            self.text.line("raise UnplacedError")

    def _body(self, body: Step) -> None:
        match body:
            case VarintField():
                self._varint(body)
            case StringBody():
                self._stretch(body, "text", "data[pos:stop].decode()")
            case BytesBody():
                self._stretch(body, "blob", "data[pos:stop]")
            case NumberArray() if body.prefix == "B" and not body.field.nullable:
                self._compact_numbers(body)
            case NumberArray() | ItemArray() | StructArray():
                self._array(body)
            case NullableStruct():
                self._optional(body)
            case TagSection():
                self._tags(body)
            case _:
                raise AssertionError(body)

    def _varint(self, step: VarintField) -> None:
        """An integer that usually has one byte."""
        line, block, var = self.text.line, self.text.block, step.var
        line(f"{var} = data[pos]")
        with block(f"if {var} < 128:"):
            if step.zigzag:
                line(f"{var} = ({var} >> 1) ^ -({var} & 1)")
            line("pos += 1")
        with block("else:"):
            line(f"{var}, pos = {self.integer_form(step.encoding, 'read')}(data, pos)")

    def _stretch(self, body: StringBody | BytesBody, kind: str, expression: str) -> None:
        """Bytes whose number was read as a length."""
        line, block = self.text.line, self.text.block
        length, nullable = body.length, body.field.nullable
        if body.prefix == "B":
            condition = f"if {length} > 127:" if nullable else f"if not 0 < {length} < 128:"
            with block(condition):
                line(f"{length}, pos = read_{kind}_length{'_or_null' * nullable}(data, pos - 1)")
            null, extent = "0", f"{length} - 1"
        else:
            with block(f"if {length} < {-1 if nullable else 0}:"):
                line("raise UnplacedError")
            null, extent = "-1", length
        taken = (f"stop = pos + {extent}", f"{body.var} = {expression}", "pos = stop")
        self._unless_null(body, null, taken)

    def _unless_null(self, body: StringBody | BytesBody, null: str, lines: Iterable[str]) -> None:
        if not body.field.nullable:
            for text in lines:
                self.text.line(text)
            return
        with self.text.block(f"if {body.length} == {null}:"):
            self.text.line(f"{body.var} = None")
        with self.text.block("else:"):
            for text in lines:
                self.text.line(text)

    def _compact_numbers(self, body: NumberArray) -> None:
        """A compact array of numbers that cannot be null: most counts use a table of unpackers."""
        line, block = self.text.line, self.text.block
        table = self.constant(f'unpackers("{body.code}")', f"unpack_compact_{body.code}s")
        with block(f"if {body.length} < 128:"):
            line(f"{body.var} = [*{table}[{body.length}](data, pos)]")
        with block("else:"):
            line(f"{body.length}, pos = read_count(data, pos - 1)")
            line(f"{body.var} = [*unpacker({body.length} - 1, {body.code!r})(data, pos)]")
        width = WIDTHS[body.code]
        line(f"pos += {body.length} * {width} - {width}")

    def _array(self, body: NumberArray | ItemArray | StructArray) -> None:
        line, block = self.text.line, self.text.block
        count, nullable = body.length, body.field.nullable
        if body.prefix == "B":
            condition = f"if {count} > 127:" if nullable else f"if not 0 < {count} < 128:"
            with block(condition):
                line(f"{count}, pos = read_count{'_or_null' * nullable}(data, pos - 1)")
            line(f"{count} -= 1")
        elif not nullable:
            self._check_count(count)
        if not nullable:
            self._elements(body)
            return
        with block(f"if {count} == -1:"):
            line(f"{body.var} = None")
        with block("else:"):
            if body.prefix != "B":
                self._check_count(count)
            self._elements(body)

    def _elements(self, body: NumberArray | ItemArray | StructArray) -> None:
        line = self.text.line
        if isinstance(body, NumberArray):
            line(f"{body.var} = [*unpacker({body.length}, {body.code!r})(data, pos)]")
            line(f"pos += {body.length} * {WIDTHS[body.code]}")
            return
        line(f"{body.var} = []")
        with self.text.block(f"for {body.loop.index} in range({body.length}):"):
            line(f"{body.loop.start} = pos")
            if isinstance(body, StructArray):
                steps, item = body.element.steps, body.element.head.var
            else:
                uuids = body.field.scalar is ScalarType.UUID
                steps, item = body.steps, f"new_uuid({body.item})" if uuids else body.item
            self._steps(steps)
            line(f"{body.var}.append({item})")
            # A slice of bytes may have come out short: check that before the next element begins.
            if any(isinstance(step, StringBody | BytesBody | NullableStruct) for step in steps[-2:]):
                with self.text.block("if pos > end:"):
                    line("raise UnplacedError")

    def _optional(self, body: NullableStruct) -> None:
        line, block = self.text.line, self.text.block
        null = "0" if body.prefix == "B" else "-1"
        if body.prefix == "B":
            with block(f"if {body.length} > 127:"):
                line(f"{body.length}, pos = read_uvarint(data, pos - 1)")
        with block(f"if {body.length} == 1:"):
            self._steps(body.struct.steps)
        with block(f"elif {body.length} == {null}:"):
            line(f"{body.var} = None")
        with block("else:"):
            line("raise UnplacedError")

    def _build(self, head: StructHead) -> None:
        entries = [
            f"{field.name!r}: {_value(field, variable)}"
            for field, variable in zip(head.layout.fields, head.values, strict=True)
        ]
        entries += [f"{field.name!r}: {self._default(field)}" for field in head.layout.tagged]
        self.text.line(f"{head.var} = {{{', '.join(entries)}}}")

    def _tags(self, body: TagSection) -> None:
        head, reserved = body.head, tuple(sorted(body.head.layout.reserved_tags))
        with self.text.block(f"if {body.length}:"):
            if head.section:
                self._known_tags(body, reserved)
                return
            numbers = self.constant(f"frozenset({list(reserved)})", "reserved")
            self.text.line(f"pos = read_unknown_tags(data, pos - 1, {head.var}, {numbers})")

    def _known_tags(self, body: TagSection, reserved: tuple[int, ...]) -> None:
        """Known tags and unknown ones in one loop."""
        line, block, head = self.text.line, self.text.block, body.head
        with block(f"if {body.length} > 127:"):
            line(f"{body.length}, pos = read_uvarint(data, pos - 1)")
        line(f"{head.unknown} = {{}}")
        line(f"{body.tag} = -1")
        with block(f"for _ in range({body.length}):"):
            line(f"{body.tag}, pos = read_tag(data, pos, {body.tag})")
            line(f"{body.end}, pos = read_tag_size(data, pos)")
            line(f"{body.end} += pos")
            opening = "if"
            for tagged in head.tagged:
                with block(f"{opening} {body.tag} == {tagged.tag}:"):
                    self._steps(tagged.steps)
                    line(f"{head.var}[{tagged.field.name!r}] = {_value(tagged.field, tagged.var)}")
                opening = "elif"
            if reserved:
                with block(f"elif {body.tag} in {set(reserved)}:"):
                    line("raise UnplacedError")
            with block("else:"):
                line(f"{head.unknown}[{body.tag}] = data[pos:{body.end}]")
                line(f"pos = {body.end}")
            with block(f"if pos != {body.end}:"):
                line("raise UnplacedError")
        with block(f"if {head.unknown}:"):
            line(f"{head.var}[{TAGS!r}] = {head.unknown}")

    def _default(self, field: FieldLayout) -> str:
        """An expression that makes a tagged field's default."""
        default = field.default
        if default is EMPTY:
            if field.struct is None or field.is_array:
                return "[]"
            return f"{{{', '.join(f'{f.name!r}: {self._default(f)}' for f in field.struct.all_fields)}}}"
        return self.literal(default)


def _slot(slot: FixedField | Prefix) -> tuple[str, str]:
    """The variable and the `struct` code of a slot."""
    if isinstance(slot, FixedField):
        return slot.var, slot.code
    body: Body = slot.body
    return body.length, body.prefix


def _value(field: FieldLayout, variable: str) -> str:
    return f"new_uuid({variable})" if field.type is ScalarType.UUID else variable
