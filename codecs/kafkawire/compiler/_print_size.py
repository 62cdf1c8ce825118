"""Last pass of compiling a size: the plan becomes Python.

All fixed widths are added up at compile time, with one byte for each compact prefix.
"""

from collections.abc import Iterable

from kafkawire.compiler._plan import (
    WIDTHS,
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
from uuid import UUID
from kafkawire.compiler._runtime import FAILURES, UnplacedError, extra_prefix
from kafkawire.wire import raw_bytes, size_tags

utf8 = str.encode
"""


def print_sizer(layout: MessageLayout) -> Printed:
    """A module with ``size(value)``.

    The caller has to inject ``explain(value, error)``, which raises the error, or returns the size if the
    value is only unusual, not wrong.
    """
    return _SizePrinter().module(layout)


class _SizePrinter(ModulePrinter):
    def module(self, layout: MessageLayout) -> Printed:
        plan = plan_message(layout.root, self.globals)
        for head in plan.sections():
            self._section(head)
        self._size(plan)
        return self.printed("Sizes", layout, _IMPORTS)

    def _size(self, plan: StructPlan) -> None:
        line, block = self.text.line, self.text.block
        line()
        with block("def size(value):"):
            with block("try:"):
                line("total = 0")
                self._open(plan.head, "value")
                self._steps(plan.steps)
            with block("except FAILURES as error:"):
                line("return explain(value, error)")
            line("return total")

    def _section(self, head: StructHead) -> None:
        """The function that sizes the tag section of a struct, known tags and unknown ones."""
        line, block = self.text.line, self.text.block
        line()
        with block(f"def {head.section}(value, unknown):"):
            line("known = {} if unknown is None else {tag: len(data) for tag, data in unknown.items()}")
            for tagged in head.tagged:
                value = f"value[{tagged.field.name!r}]"
                with block(f"if not {self.defaultness(tagged.field)}({value}):"):
                    line("total = 0")
                    self._steps(tagged.steps)
                    line(f"known[{tagged.tag}] = total")
            line("return size_tags(known)")
        line()

    def _open(self, head: StructHead, source: str) -> None:
        line, block = self.text.line, self.text.block
        var, complete = head.var, self.completion(head)
        if var != source:
            line(f"{var} = {source}")
        wrong = f"type({var}) is not dict or len({var}) != {len(head.layout.all_fields)}"
        if not head.unknown:
            with block(f"if {wrong}:"):
                line(f"{var}, _ = {complete}({var})")
            return
        # Fields of a fixed width are not looked up. So a dict with as many keys as there are fields may
        # still lack one of them.
        with block(f"if {wrong} or {TAGS!r} in {var}:"):
            line(f"{var}, {head.unknown} = {complete}({var})")
        with block("else:"):
            line(f"{head.unknown} = None")

    def _steps(self, steps: Iterable[Step]) -> None:
        steps = tuple(steps)
        fixed = sum(_fixed(step) for step in steps)
        if fixed:
            self.text.line(f"total += {fixed}")
        for step in steps:
            self._step(step)

    def _step(self, step: Step) -> None:
        line, block = self.text.line, self.text.block
        match step:
            case FixedField() | Prefix() | StructEnd():
                pass
            case VarintField():
                size = self.integer_form(step.encoding, "size")
                line(f"total += {size}({step.source or step.var})")
            case StructStart():
                self._open(step.head, step.source)
            case StringBody() | BytesBody():
                self._stretch(step)
            case NumberArray() | ItemArray() | StructArray():
                self._array(step)
            case NullableStruct():
                line(f"{step.var} = {step.source}")
                with block(f"if {step.var} is not None:"):
                    self._open(step.struct.head, step.var)
                    self._steps(step.struct.steps)
            case TagSection(head=head):
                with block(f"if {self.has_tags(head)}:"):
                    section = f"{head.section}({head.var}, {head.unknown})"
                    if not head.section:
                        section = f"size_tags({{tag: len(data) for tag, data in {head.unknown}.items()}})"
                    line(f"total += {section} - 1")

    def _stretch(self, step: StringBody | BytesBody) -> None:
        line, block = self.text.line, self.text.block
        var, source = step.var, step.source or step.var
        if source != var:
            line(f"{var} = {source}")
        measured = f"len({var}) if {var}.isascii() else len(utf8({var}))"
        if isinstance(step, BytesBody):
            measured = f"len({var} if type({var}) is bytes else raw_bytes({var}))"
        if not step.field.nullable:
            line(f"{step.length} = {measured}")
            self._add(step)
            return
        with block(f"if {var} is not None:"):
            line(f"{step.length} = {measured}")
            self._add(step)

    def _add(self, step: StringBody | BytesBody) -> None:
        self.text.line(f"total += {step.length}")
        if step.prefix == "B":
            self._extra(step.length)

    def _extra(self, length: str) -> None:
        """Count the further bytes of a compact prefix."""
        with self.text.block(f"if {length} > 126:"):
            self.text.line(f"total += extra_prefix({length})")

    def _array(self, step: NumberArray | ItemArray | StructArray) -> None:
        line, block = self.text.line, self.text.block
        line(f"{step.var} = {step.source}")
        with block(f"if type({step.var}) is list:"):
            line(f"{step.length} = len({step.var})")
            if step.prefix == "B":
                self._extra(step.length)
            self._elements(step)
        refused = f"elif {step.var} is not None:" if step.field.nullable else "else:"
        with block(refused):
            line("raise UnplacedError")

    def _elements(self, step: NumberArray | ItemArray | StructArray) -> None:
        line, block = self.text.line, self.text.block
        if isinstance(step, NumberArray):
            line(f"total += {step.length} * {WIDTHS[step.code]}")
        elif isinstance(step, StructArray):
            with block(f"for {step.element.head.var} in {step.var}:"):
                self._open(step.element.head, step.element.head.var)
                self._steps(step.element.steps)
        else:
            with block(f"for {step.item} in {step.var}:"):
                self._steps(step.steps)


def _fixed(step: Step) -> int:
    """The number of a step's bytes that do not depend on the value; one for a compact prefix."""
    match step:
        case FixedField(code=code):
            return WIDTHS[code]
        case Prefix(body=body):
            return WIDTHS[body.prefix]
        case _:
            return 0
