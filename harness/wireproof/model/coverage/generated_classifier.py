"""Generated Python code that finds the classes of complete values, in a quarter of the nodes' time.

A value is complete if each of its structs has every field of the version and no other, unknown tags apart.
All values that our codec reads are complete. For other values the generated code only detects that they are
not complete, and calls the nodes.

The classes of an array's elements are collected in a separate short integer, which is shifted into place
after the last element.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, TypeAlias, assert_never

from kafkawire.generated import Names, SourceText, load
from kafkawire.schema.layout import EMPTY, FieldLayout
from kafkawire.values import TAGS
from wireproof.model.coverage.scalar_classes import (
    Blob,
    Exact,
    Flag,
    Float,
    ScalarLook,
    Signed,
    Text,
    Unsigned,
)
from wireproof.model.coverage.value_nodes import MOST_ELEMENTS, ArrayNode, FieldNode, StructNode, is_repeated
from wireproof.model.coverage.wire_sizes import is_default

Walk: TypeAlias = Callable[[Mapping[str, Any]], int]
"""All bits that a value meets."""

_DEEPEST: Final = 12
"""The deepest nesting that is printed: Python allows 20 nested blocks; real messages have 4."""

_INCOMPLETE: Final = (KeyError, TypeError, AttributeError)
_BIG: Final = 1 << 53
"""The limit up to which doubles hold every integer."""
_FEW_BYTES: Final = 256
"""The size below which the length of a blob decides all its classes."""


def print_look(title: str, root: StructNode, walk: Walk) -> Walk:
    """Return a function that gives all bits that a value meets.

    Args:
        title: the name of the generated code in tracebacks.
        walk: a function that does the same by the nodes; returned if the code would be too deep for Python.
    """
    if _depth(root) > _DEEPEST:
        return walk
    text, injected = _Printer().module(root)
    found: Walk = load(title, text, {**injected, "walk": walk, "INCOMPLETE": _INCOMPLETE})["look"]
    return found


def _depth(node: StructNode) -> int:
    below = [each.below for each in node.fields.values() if isinstance(each, FieldNode)]
    inner = [each.below if isinstance(each, ArrayNode) else each for each in below]
    return 1 + max((_depth(each) for each in inner if isinstance(each, StructNode)), default=0)


class _Printer:
    def __init__(self) -> None:
        self._text = SourceText()
        self._names = Names(("look", "value", "walk", "met", "found", "each", "INCOMPLETE"))
        self._globals = Names(prefix="_")
        self._injected: dict[str, Any] = {}
        self._met = "met"
        self._base = 0
        """The lowest bit of the integer that is being collected."""

    def module(self, root: StructNode) -> tuple[str, dict[str, Any]]:
        line, block = self._text.line, self._text.block
        with block("def look(value):"):
            line("met = 0")
            with block("try:"):
                self._struct(root, "value")
            with block("except INCOMPLETE:"):
                line("return walk(value)")
            line("return met")
        return str(self._text), self._injected

    def _give(self, thing: object, wanted: str) -> str:
        name = self._globals.fresh(wanted)
        self._injected[name] = thing
        return name

    def _bits(self, bits: int) -> str:
        return f"0x{bits >> self._base:x}"

    def _table(self, known: Mapping[Any, int], wanted: str) -> str:
        """The name of the function that gives the bits of a key, if it has any."""
        return self._give({key: bits >> self._base for key, bits in known.items()}.get, f"{wanted}_bits")

    def _look(self, look: Callable[..., int], wanted: str) -> str:
        """The name of a look whose result is shifted down by the base."""
        base = self._base
        return self._give(look if not base else lambda *values: look(*values) >> base, f"look_at_{wanted}")

    def _add(self, bits: int, condition: str = "") -> None:
        if not bits:
            return
        if not condition:
            self._text.line(f"{self._met} |= {self._bits(bits)}")
            return
        with self._text.block(f"if {condition}:"):
            self._add(bits)

    def _choose(self, condition: str, yes: int, no: int) -> None:
        self._text.line(f"{self._met} |= {self._bits(yes)} if {condition} else {self._bits(no)}")

    def _struct(self, node: StructNode, var: str) -> None:
        fields = {name: each for name, each in node.fields.items() if isinstance(each, FieldNode)}
        self._completeness(node, var, len(fields))
        for name, field in fields.items():
            self._field(field, f"{var}[{name!r}]", self._names.fresh(name))

    def _completeness(self, node: StructNode, var: str, count: int) -> None:
        """Print the test of the number of keys; if a field is missing all the same, its lookup fails."""
        line, block = self._text.line, self._text.block
        with block(f"if len({var}) != {count}:"):
            if node.tags is None:
                line("return walk(value)")
                return
            with block(f"if len({var}) != {count + 1} or {TAGS!r} not in {var}:"):
                line("return walk(value)")
            line(f"{self._met} |= {self._look(node.tags.look, 'tags')}({var})")
        with block("else:"):
            self._add(node.tags.none)

    def _field(self, node: FieldNode, source: str, var: str) -> None:
        self._text.line(f"{var} = {source}")
        if node.layout.default is None or node.null:
            if node.null:
                self._add(node.null, f"{var} is None")
            with self._text.block("else:" if node.null else f"if {var} is not None:"):
                self._inside(node, var)
        else:
            self._inside(node, var)
        if node.at or node.off:
            self._choose(self._at_default(node.layout, var), node.at, node.off)
        if node.sizer is not None:
            self._data(node, var)

    def _data(self, node: FieldNode, var: str) -> None:
        """The sizes of a tagged field's data; a field at its default has no data."""
        assert node.sizer is not None
        with self._text.block(f"if not ({self._at_default(node.layout, var)}):"):
            sizes, sizer = self._table(node.sizes, var), self._give(node.sizer.data_bytes, f"size_of_{var}")
            self._text.line(f"{self._met} |= {sizes}({sizer}({var}), 0)")

    def _at_default(self, field: FieldLayout, var: str) -> str:
        """An expression for `is_default`."""
        default = field.default
        if default is None:
            return f"{var} is None"
        if default is EMPTY and (field.struct is None or field.is_array):
            return f"{var} is not None and not {var}"
        if isinstance(default, bool | int | str):
            return f"{var} == {default!r}"
        return f"{self._give(partial(is_default, field), f'at_default_{var}')}({var})"

    def _inside(self, node: FieldNode, var: str) -> None:
        match node.below:
            case ArrayNode():
                self._array(node.below, var)
            case StructNode():
                self._add(node.present)
                self._struct(node.below, var)
            case _:
                self._scalar(node.below, var)

    def _array(self, node: ArrayNode, var: str) -> None:
        line, block = self._text.line, self._text.block
        count = self._names.fresh(f"{var}_count")
        line(f"{count} = len({var})")
        line(
            f"{self._met} |= {self._table(node.counts, var)}({count}) or "
            f"({self._bits(node.few)} if {count} < 128 else 0)"
        )
        with block(f"if {count}:"):
            first = self._names.fresh(f"{var}_first")
            line(f"{first} = {var} if {count} <= {MOST_ELEMENTS} else {var}[:{MOST_ELEMENTS}]")
            self._elements(node, var, first)
            if node.repeated:
                self._add(node.repeated, f"{count} > 3 and {self._give(is_repeated, 'is_repeated')}({var})")
            if node.equal_keys:
                self._equal_keys(node, var, count, first)

    def _equal_keys(self, node: ArrayNode, var: str, count: str, first: str) -> None:
        """Compare elements with equal keys; distinct keys need no comparison."""
        key = ", ".join(f"each[{name!r}]" for name, _ in node.keys)
        key = key if len(node.keys) == 1 else f"({key})"
        look = self._give(node.has_equal_keys, f"equal_{var}")
        self._add(
            node.equal_keys,
            f"{count} > 1 and len({{{key} for each in {first}}}) < len({first}) and {look}({first})",
        )

    def _elements(self, node: ArrayNode, var: str, first: str) -> None:
        line, block = self._text.line, self._text.block
        element = self._names.fresh(f"{var}_element")
        outer, base = self._met, self._base
        self._met = self._names.fresh(f"{var}_met")
        if node.element_bits:  # elements without fields cover no class, and keep the base
            self._base = _lowest(node.element_bits)
        line(f"{self._met} = 0")
        with block(f"for {element} in {first}:"):
            if isinstance(node.below, StructNode):
                self._struct(node.below, element)
            else:
                self._scalar(node.below, element)
        line(f"{outer} |= {self._met} << {self._base - base}")
        self._met, self._base = outer, base

    def _scalar(self, scalar: ScalarLook, var: str) -> None:
        line, block = self._text.line, self._text.block
        match scalar:
            case Signed():
                self._signed(scalar, var)
            case Unsigned():
                line(
                    f"{self._met} |= {self._table(scalar.known, var)}({var}) or "
                    f"({self._bits(scalar.top)} if {var} >= {scalar.half} else 0)"
                )
            case Flag():
                self._choose(var, scalar.true, scalar.false)
            case Exact():
                line(f"{self._met} |= {self._table(scalar.known, var)}({var}.int, {self._bits(scalar.rest)})")
            case Text():
                with block(f"if {var}.isascii():"):
                    line(f"{self._met} |= {self._table(scalar.lengths, var)}(len({var}), 0)")
                    with block(f'if "\\0" in {var}:'):
                        self._add(scalar.nul)
                        self._add(scalar.last, f'{var}[-1] == "\\0"')
                with block("else:"):
                    line(f"{self._met} |= {self._look(scalar.look, var)}({var})")
            case Blob():
                with block(f"if len({var}) < {_FEW_BYTES}:"):
                    line(f"{self._met} |= {self._table(scalar.lengths, var)}(len({var}), 0)")
                with block("else:"):
                    line(f"{self._met} |= {self._look(scalar.look, var)}({var})")
            case Float():
                line(f"{self._met} |= {self._look(scalar.look, var)}({var})")
            case _:
                assert_never(scalar)

    def _signed(self, scalar: Signed, var: str) -> None:
        """Most numbers have no class of their own, and are well within the narrower type."""
        line, block = self._text.line, self._text.block
        known = self._table(scalar.known, var)
        if scalar.narrow is None:
            line(f"{self._met} |= {known}({var}, 0)")
            return
        with block(f"if -2 < {var} < 2:"):
            line(f"{self._met} |= {known}({var}, 0)")
        with block(f"elif not -{scalar.narrow} <= {var} < {scalar.narrow}:"):
            line(f"found = {known}({var})")
            with block("if found is None:"):
                self._choose(f"{var} > 0", scalar.over, scalar.under)
                self._add(scalar.inexact, f"not -{_BIG} <= {var} <= {_BIG} and int(float({var})) != {var}")
            with block("else:"):
                line(f"{self._met} |= found")


def _lowest(bits: int) -> int:
    return (bits & -bits).bit_length() - 1
