"""Last pass of compiling an encoder: the plan becomes Python.

Neighbouring slots are packed together, including prefixes and arrays of numbers. This assumes that each
compact prefix has one byte. If a prefix is longer, `long_run` writes the same slots one by one.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from kafkawire.compiler._plan import (
    Body,
    BytesBody,
    FixedField,
    ItemArray,
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
from kafkawire.schema.layout import MessageLayout
from kafkawire.values import TAGS

_IMPORTS = """\
from struct import Struct
from uuid import UUID
from kafkawire.compiler._runtime import (
    FAILURES, SHORT, Packers, UnplacedError, all_bools, all_floats, long_blob, long_count, long_run,
    long_text,
)
from kafkawire.wire import raw_bytes, write_tags, write_uuid

utf8 = str.encode
"""


def print_encoder(layout: MessageLayout) -> Printed:
    """A module with ``encode(value)``.

    The caller has to inject ``explain(value, error)``, which raises the error, or returns the bytes if the
    value is only unusual, not wrong.
    """
    return _EncodePrinter().module(layout)


@dataclass(frozen=True, slots=True)
class _Slot:
    """One argument of a pack call.

    Attributes:
        code: its `struct` code; an array of numbers has ``*`` before it.
        value: the expression for it.
        length: the variable that must be below 127 for a one-byte compact prefix; ``""`` if none must.
        kind: the kind of a compact prefix, ``text`` or ``count``; else ``""``.
    """

    code: str
    value: str
    length: str = ""
    kind: str = ""


class _EncodePrinter(ModulePrinter):
    def module(self, layout: MessageLayout) -> Printed:
        plan = plan_message(layout.root, self.globals)
        for head in plan.sections():
            self._section(head)
        self._encode(plan)
        return self.printed("Encodes", layout, _IMPORTS)

    def _encode(self, plan: StructPlan) -> None:
        line, block = self.text.line, self.text.block
        line()
        with block("def encode(value):"):
            line("out = []")
            line("add = out.append")
            with block("try:"):
                self._open(plan.head, "value")
                self._steps(plan.steps)
            with block("except FAILURES as error:"):
                line("return explain(value, error)")
            line('return b"".join(out)')

    def _section(self, head: StructHead) -> None:
        """The function that writes the tag section of a struct, known tags and unknown ones."""
        line, block = self.text.line, self.text.block
        line()
        with block(f"def {head.section}(value, unknown):"):
            line("known = {}")
            for tagged in head.tagged:
                value = f"value[{tagged.field.name!r}]"
                with block(f"if {self.off_default(tagged.field, value)}:"):
                    line("out = []")
                    line("add = out.append")
                    self._steps(tagged.steps)
                    with block(f"if not {self.defaultness(tagged.field)}({value}):"):
                        line(f'known[{tagged.tag}] = b"".join(out)')
            line("return write_tags(known if unknown is None else known | unknown)")
        line()

    def _open(self, head: StructHead, source: str) -> None:
        """Get a struct's dict, and complete it if it does not have as many keys as fields."""
        line, block = self.text.line, self.text.block
        var, complete = head.var, self.completion(head)
        if var != source:
            line(f"{var} = {source}")
        # A dict with unknown tags may have as many keys as there are fields, although a field is missing.
        tags = f" or {TAGS!r} in {var}" if head.unknown else ""
        with block(f"if type({var}) is not dict or len({var}) != {len(head.layout.all_fields)}{tags}:"):
            line(f"{var}, {head.unknown or '_'} = {complete}({var})")
        if head.unknown:
            with block("else:"):
                line(f"{head.unknown} = None")

    def _steps(self, steps: Iterable[Step]) -> None:
        """Fetch the values of the slots, in order; pack them before each body."""
        slots: list[_Slot] = []
        for step in steps:
            match step:
                case StructEnd():
                    pass
                case StructStart():
                    self._open(step.head, step.source)
                case FixedField():
                    slots.append(_Slot(step.code, self._fetch_fixed(step)))
                case Prefix():
                    slots.append(self._fetch(step.body))
                case NumberArray():
                    slots.append(_Slot(f"*{step.code}", step.var, step.length))
                case _:
                    self._pack(slots)
                    slots = []
                    self._body(step)
        self._pack(slots)

    def _fetch_fixed(self, step: FixedField) -> str:
        line, source = self.text.line, step.source or step.var
        if step.code == "16s":
            return f"write_uuid({source})"
        if step.code not in "?d":
            return source
        if source != step.var:
            line(f"{step.var} = {source}")
        wrong = f"{step.var} is not True and {step.var} is not False"
        if step.code == "d":
            wrong = f"not isinstance({step.var}, float | int)"
        with self.text.block(f"if {wrong}:"):
            line("raise UnplacedError")
        return step.var

    def _fetch(self, body: Body) -> _Slot:
        """Print the code that gets a body's value and length; return the slot of its prefix."""
        if isinstance(body, TagSection):
            return _Slot("B", "0")
        source = body.source or body.var
        if isinstance(body, NullableStruct):
            self.text.line(f"{body.var} = {source}")
            return _Slot(body.prefix, f"{0 if body.prefix == 'B' else -1} if {body.var} is None else 1")
        if isinstance(body, StringBody | BytesBody):
            self._fetch_stretch(body, source)
        else:
            self._fetch_array(body, source)
        if body.prefix != "B":
            return _Slot(body.prefix, body.length)
        return _Slot(
            "B", f"{body.length} + 1", body.length, "text" if isinstance(body, StringBody) else "count"
        )

    def _fetch_stretch(self, body: StringBody | BytesBody, source: str) -> None:
        line, block = self.text.line, self.text.block
        var, length, nullable = body.var, body.length, body.field.nullable
        if isinstance(body, StringBody) and not nullable:
            line(f"{var} = utf8({source})")
            line(f"{length} = len({var})")
            return
        if source != var:
            line(f"{var} = {source}")
        if nullable:
            with block(f"if {var} is None:"):
                line(f'{var}, {length} = b"", -1')
        if isinstance(body, StringBody):
            with block("else:"):
                line(f"{var} = utf8({var})")
                line(f"{length} = len({var})")
            return
        with block(f"{'el' * nullable}if type({var}) is bytes:"):
            line(f"{length} = len({var})")
        with block("else:"):
            line(f"{var} = raw_bytes({var})")
            line(f"{length} = len({var})")

    def _fetch_array(self, body: NumberArray | ItemArray | StructArray, source: str) -> None:
        line, block = self.text.line, self.text.block
        var, nullable = body.var, body.field.nullable
        line(f"{var} = {source}")
        checks = [f"type({var}) is list"]
        if isinstance(body, NumberArray) and body.code in "?d":
            checks.append(f"{'all_bools' if body.code == '?' else 'all_floats'}({var})")
        if nullable:
            with block(f"if {var} is None:"):
                line(f"{var}, {body.length} = (), -1")
        with block(f"{'el' * nullable}if {' and '.join(checks)}:"):
            line(f"{body.length} = len({var})")
        with block("else:"):
            line("raise UnplacedError")

    def _pack(self, slots: list[_Slot]) -> None:
        """Print the code that packs the slots into one chunk of bytes."""
        if not slots:
            return
        lengths = dict.fromkeys(slot.length for slot in slots if slot.kind)
        if len(slots) == 1 and slots[0].kind:
            slot = slots[0]
            self.text.line(
                f"add(SHORT[{slot.value}] if {slot.length} < 127 else long_{slot.kind}({slot.length}))"
            )
            return
        call = self._pack_call(slots)
        if not lengths:
            self.text.line(f"add({call})")
            return
        with self.text.block(f"if {' and '.join(f'{length} < 127' for length in lengths)}:"):
            self.text.line(f"add({call})")
        with self.text.block("else:"):
            if slots[-1].kind and len(lengths) == 1:
                prefix = f"long_{slots[-1].kind}({slots[-1].length})"
                last = _Slot("B", "0")
                self.text.line(f"add({self._pack_call([*slots[:-1], last])}[:-1] + {prefix})")
                return
            forms = self.constant(repr(tuple(slot.kind or slot.code for slot in slots)), "forms")
            values = ", ".join(slot.length if slot.kind else slot.value for slot in slots)
            self.text.line(f"add(long_run({forms}, {values}))")

    def _pack_call(self, slots: list[_Slot]) -> str:
        codes = [slot.code for slot in slots]
        if codes == ["B"] and slots[0].value == "0":
            return r'b"\0"'
        if codes == ["16s"]:
            return slots[0].value
        values = ", ".join(f"*{slot.value}" if slot.code[0] == "*" else slot.value for slot in slots)
        counts = [slot.length for slot in slots if slot.code[0] == "*"]
        if not counts:
            form = "".join(codes)
            pack = self.constant(f'Struct(">{form}").pack', f"pack_{form}")
            return f"{pack}({values})"
        parts = [""]
        for code in codes:
            if code[0] == "*":
                parts += [code[1:], ""]
            else:
                parts[-1] += code
        packers = self.constant(
            f"Packers{tuple(parts)!r}", f"pack_{'_'.join(part for part in parts if part)}"
        )
        return f"{packers}[{', '.join(counts)}]({values})"

    def _body(self, body: Step) -> None:
        line, block = self.text.line, self.text.block
        match body:
            case VarintField():
                line(f"add({self.integer_form(body.encoding, 'write')}({body.source or body.var}))")
            case StringBody() | BytesBody():
                line(f"add({body.var})")
            case ItemArray():
                with block(f"for {body.item} in {body.var}:"):
                    self._steps(body.steps)
            case StructArray():
                with block(f"for {body.element.head.var} in {body.var}:"):
                    self._open(body.element.head, body.element.head.var)
                    self._steps(body.element.steps)
            case NullableStruct():
                with block(f"if {body.var} is not None:"):
                    self._open(body.struct.head, body.var)
                    self._steps(body.struct.steps)
            case TagSection():
                self._tags(body.head)
            case _:
                raise AssertionError(body)

    def _tags(self, head: StructHead) -> None:
        """Print the code that replaces the count 0 by the tag section, unless the section is empty."""
        with self.text.block(f"if {self.has_tags(head)}:"):
            section = (
                f"{head.section}({head.var}, {head.unknown})"
                if head.section
                else f"write_tags({head.unknown})"
            )
            self.text.line(f"out[-1] = out[-1][:-1] + {section}")
