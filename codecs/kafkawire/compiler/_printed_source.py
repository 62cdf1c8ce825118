"""The module that the printers of all three functions write to, and conditions on defaults."""

from functools import partial
from typing import Any, Final
from uuid import UUID

from kafkawire.compiler._plan import StructHead
from kafkawire.compiler.defaults import Completion, is_default
from kafkawire.generated import Names, SourceText
from kafkawire.schema.layout import EMPTY, FieldLayout, MessageLayout

_FORMS: Final = "INTEGER_FORMS"


class Printed:
    """A module's text, and the objects that must be injected."""

    __slots__ = ("injected", "text")

    def __init__(self, text: str, injected: dict[str, Any]) -> None:
        self.text = text
        self.injected = injected


class ModulePrinter:
    """A module that is being printed: its functions' text, its constants, and the objects to inject."""

    def __init__(self) -> None:
        self.text = SourceText()
        self.globals = Names(prefix="_")
        self.injected: dict[str, Any] = {}
        self._constants: dict[str, str] = {}

    def constant(self, expression: str, wanted: str) -> str:
        """The name of the module's constant that holds the expression's value."""
        if expression not in self._constants:
            self._constants[expression] = self.globals.fresh(wanted)
        return self._constants[expression]

    def printed(self, verb: str, layout: MessageLayout, imports: str) -> Printed:
        title = f'"""{verb} {layout.name} version {layout.version}."""'
        if any(_FORMS in expression for expression in self._constants):
            imports += f"from kafkawire.wire import {_FORMS}\n"
        constants = "".join(f"{name} = {expression}\n" for expression, name in self._constants.items())
        return Printed(f"{title}\n\n{imports}\n{constants}\n{self.text}", self.injected)

    def integer_form(self, encoding: str, verb: str) -> str:
        """Return the name of the function that reads, writes or sizes an encoding of KIP-625."""
        return self.constant(f'{_FORMS}["{encoding}"].{verb}', f"{verb}_{encoding}")

    def completion(self, head: StructHead) -> str:
        """The name of the object that completes a struct's value."""
        return self._inject(f"complete_{head.var}", Completion(head.layout))

    def defaultness(self, field: FieldLayout) -> str:
        """Return the name of the function that tests if a field's value is its default."""
        return self._inject(f"is_default_{field.name}", partial(is_default, field))

    def literal(self, default: bool | int | float | str | bytes | UUID | None) -> str:
        """Return an expression for the default of a field that is neither a struct nor an array."""
        if isinstance(default, UUID):
            return self.constant(f'UUID("{default}")', "uuid")
        if isinstance(default, float):
            return self.constant(f'float("{default!r}")', "double")
        return repr(default)

    def off_default(self, field: FieldLayout, value: str) -> str:
        """A condition that is false only if a value is certainly at the field's default."""
        default = field.default
        if default is None and not field.nullable:  # records: null is the default, and not allowed
            return "True"
        if default is None or isinstance(default, bool):
            return f"{value} is not {default}"
        if default is not EMPTY:
            return f"type({value}) is not {type(default).__name__} or {value} != {self.literal(default)}"
        if field.struct is None or field.is_array:
            return f"type({value}) is not list or {value}"
        fields = field.struct.all_fields
        conditions = [self.off_default(inner, f"{value}[{inner.name!r}]") for inner in fields]
        return " or ".join([f"type({value}) is not dict or len({value}) != {len(fields)}", *conditions])

    def has_tags(self, head: StructHead) -> str:
        """A condition that is false only if a struct's tag section is certainly empty."""
        conditions = [f"{head.unknown} is not None"]
        conditions += [
            self.off_default(tagged.field, f"{head.var}[{tagged.field.name!r}]") for tagged in head.tagged
        ]
        return " or ".join(conditions)

    def _inject(self, wanted: str, thing: Any) -> str:
        name = self.globals.fresh(wanted)
        self.injected[name] = thing
        return name
