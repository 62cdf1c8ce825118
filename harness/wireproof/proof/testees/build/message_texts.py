"""The texts of each language for the adapter and the codec of a message."""

import json
import keyword
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias


@dataclass(frozen=True, slots=True)
class Declared:
    """A field of a struct, in the words that all languages need.

    Attributes:
        name: Kafka's name of the field, in canonical JSON.
        kind: Kafka's name of the scalar, or the name of the struct; for an array, that of its elements.
        there: the versions that have the field; `there`, `nullable` and `tagged` are empty for none.
        may_be_null: whether it can be null in a version, or has the default null.
        compact: its flexible versions; None if they are those of the message.
        default: the default; None for null; not used if `is_empty`.
        is_empty: whether the default is an empty array, or a struct of defaults.
    """

    name: str
    kind: str
    is_struct: bool
    is_array: bool
    there: str
    nullable: str
    may_be_null: bool
    tag: int | None
    tagged: str
    compact: str | None
    default: Any
    is_empty: bool


Texts: TypeAlias = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class MessageTexts:
    """The texts and names of a language, for `str.format`.

    Attributes:
        operation: the text of a claim, with the operation and the versions; `way`: the same in the index.
        shape: the text of a struct in the adapter, with a `row` for each field.
        struct: the text of a struct in the codec, with a `field` for each field, and with a `walk`.
        shape_name: the name of a struct's shape; `attribute`: the name of a field in the codec.
        own_words: the words of a field that depend on the language.
        joint: the text between the claimed operations.
    """

    operation: str
    way: str
    shape: str
    row: str
    struct: str
    field: str
    walk: str
    shape_name: Callable[[str], str]
    attribute: Callable[[str], str]
    own_words: Callable[[Declared], Texts]
    joint: str = ", "

    def words(self, field: Declared) -> Texts:
        """Return the words of a field."""
        own = {"name": field.name, "held": self.attribute(field.name), "there": field.there}
        return {**own, **self.own_words(field)}

    def joined(self, text: str, operations: Iterable[str], versions: str) -> str:
        """Return the list of the claimed operations."""
        return self.joint.join(text.format(each, each.capitalize(), versions) for each in operations)


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)


def _camel(name: str) -> str:
    return name[0].lower() + name[1:]


def _pascal(name: str) -> str:
    return name[0].upper() + name[1:]


def _kind(field: Declared, named: str, quote: str) -> str:
    """Return the kind as it stands in a row: a text, the name of a struct, or a list of one of these."""
    text = named if field.is_struct else f"{quote}{field.kind}{quote}"
    return f"[{text}]" if field.is_array else text


def _options(field: Declared, nullable: str, tag: str, compact: str) -> list[str]:
    """Return the texts of a field's options: nullable versions, tag, and flexible versions of its own."""
    found = [nullable.format(field.nullable)] if field.nullable else []
    found += [tag.format(field.tag, field.tagged)] if field.tag is not None else []
    return found + ([] if field.compact is None else [compact.format(field.compact)])


def _typed(field: Declared, types: Texts, array: str, null: str) -> str:
    text = types.get(field.kind, field.kind)
    text = array.format(text) if field.is_array else text
    return null.format(text) if field.may_be_null else text


def _python(field: Declared) -> Texts:
    types = {"bool": "bool", "float64": "float", "uuid": "uuid.UUID", "string": "str"}
    types |= dict.fromkeys(("bytes", "records"), "bytes")
    types |= dict.fromkeys(("int8", "int16", "uint16", "int32", "uint32", "int64"), "int")
    default = repr(field.default).replace("'", '"')
    if field.kind == "uuid" and field.default is not None and not field.is_array:
        default = f"uuid.UUID(int={field.default})"
    options = _options(field, 'nullable="{}"', 'tag={}, tagged="{}"', 'compact="{}"')
    wire = [
        _kind(field, field.kind, '"'),
        f'"{field.there}"',
        *([] if field.is_empty else [default]),
        *options,
    ]
    return {
        "kind": _kind(field, _snake(field.kind).upper(), '"'),
        "type": _typed(field, types, "list[{}]", "{} | None"),
        "wire": ", ".join(wire),
    }


def _javascript(field: Declared) -> Texts:
    default = json.dumps(field.default, default=lambda _: "")
    if field.is_empty:
        default = "[]" if field.is_array else f"new {field.kind}()"
    elif field.kind == "int64" and not field.is_array:
        default += "n"
    elif field.kind == "uuid" and field.default is not None:
        default = "'00000000-0000-0000-0000-000000000000'"
    elif isinstance(field.default, bytes) and not field.is_array:
        default = "Buffer.alloc(0)"
    options = ", ".join(_options(field, "nullable: '{}'", "tag: {}, tagged: '{}'", "compact: '{}'"))
    return {
        "kind": _kind(field, _camel(field.kind), "'"),
        "default": default.replace('"', "'"),
        "wire": f"{_kind(field, field.kind, chr(39))}, '{field.there}'"
        + (f", {{ {options} }}" if options else ""),
    }


def _go(field: Declared) -> Texts:
    types = {"float64": "float64", "uuid": "[16]byte", **dict.fromkeys(("bytes", "records"), "[]byte")}
    is_pointer = field.may_be_null and not field.is_array and (field.is_struct or field.kind == "string")
    tags = [
        f'kafka:"{field.there}"',
        *_options(field, 'nullable:"{}"', 'tag:"{}" tagged:"{}"', 'compact:"{}"'),
    ]
    if field.default is None:
        tags.append('default:"null"')
    elif not field.is_empty and field.default:
        tags.append(f'default:"{str(field.default).lower() if field.default is True else field.default}"')
    return {
        "type": ("*" if is_pointer else "") + _typed(field, types, "[]{}", "{}"),
        "tags": " ".join(tags),
        "shape": f", {_camel(field.kind)}Shape" if field.is_struct else ", nil",
    }


def _rust(field: Declared) -> Texts:
    types = {f"{sign}int{bits}": f"{sign or 'i'}{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}
    types |= {"float64": "f64", "string": "String", "uuid": "Uuid", "bytes": "Bytes", "records": "Bytes"}
    default = "Default::default()"
    if field.may_be_null and field.default is not None:
        default = f"Some({default})"
    number = isinstance(field.default, int | float) and field.kind != "uuid"
    if field.default and not field.is_empty:
        default = str(field.default).lower() if number else f"{json.dumps(field.default)}.into()"
        default = f"Some({default})" if field.may_be_null else default
    options = _options(field, 'nullable: "{}"', 'tag: {}, tagged: "{}"', 'compact: "{}"')
    form = ", ".join([f'there: "{field.there}"', *options, "..FORM"])
    return {"type": _typed(field, types, "Vec<{}>", "Option<{}>"), "default": default, "form": form}


def _java(field: Declared) -> Texts:
    types = {"bool": "boolean", "int8": "byte", "int16": "short", "uint16": "int", "int32": "int"}
    types |= {"uint32": "long", "int64": "long", "float64": "double", "string": "String", "uuid": "UUID"}
    types |= {"bytes": "byte[]", "records": "byte[]"}
    boxes = {"boolean": "Boolean", "byte": "Byte", "short": "Short", "int": "Integer", "long": "Long"}
    held = types.get(field.kind, field.kind)
    default = "null" if field.default is None else json.dumps(field.default, default=lambda _: "")
    if field.is_empty:
        default = "new ArrayList<>()" if field.is_array else f"new {field.kind}()"
    elif field.default is not None:
        suffixed = {"long": f"{default}L", "UUID": "new UUID(0, 0)", "byte[]": "new byte[0]"}
        default = suffixed.get(held, default)
    calls = {(False, False): "field", (False, True): "list", (True, False): "struct", (True, True): "structs"}
    options = _options(field, '.nullable("{}")', '.tag({}, "{}")', '.compact("{}")')
    making = f"{field.kind}::new"
    return {
        "type": f"List<{boxes.get(held, held)}>" if field.is_array else held,
        "default": default,
        "call": calls[field.is_struct, field.is_array],
        "kind": making if field.is_struct else f'"{field.kind}"',
        "shape": f"Codec.{making}, Adapter::{_camel(field.kind)}" if field.is_struct else f'"{field.kind}"',
        "form": f'Form.in("{field.there}")' + "".join(options),
    }


def _python_attribute(name: str) -> str:
    made = _snake(name).lower()
    return f"{made}_" if keyword.iskeyword(made) else made


def _rust_attribute(name: str) -> str:
    made = _snake(name).lower()
    return f"{made}_" if made in {"type", "match"} else made


MESSAGE_TEXTS: Final = {
    "go": MessageTexts(
        operation='{1}: "{2}"',
        way='{1}: "{2}"',
        shape="var {shape} = shape{{\n{fields}}}\n\n",
        row='\t{{"{name}", "{held}", "{there}"{shape}}},\n',
        struct="\ntype {name} struct {{\n{fields}\tUnknownTags []UnknownTag\n}}\n",
        field="\t{held} {type} `{tags}`\n",
        walk="",
        shape_name=lambda name: f"{_camel(name)}Shape",
        attribute=_pascal,
        own_words=_go,
    ),
    "java": MessageTexts(
        operation='"{0}"',
        way='"{0}"',
        shape="\n    private static void {shape}(Fields fields, Codec.{name} it) {{\n{fields}    }}\n",
        row='        it.{held} = fields.{call}("{name}", "{there}", it.{held}, {shape});\n',
        struct=(
            "\n    static final class {name} extends Struct {{\n{fields}\n"
            "        @Override\n        void fields(Wire wire) {{\n{walk}        }}\n\n"
            "        @Override\n        Struct initial() {{\n"
            "            return new {name}();\n        }}\n    }}\n"
        ),
        field="        {type} {held} = {default};\n",
        walk="            {held} = wire.{call}({held}, {kind}, {form});\n",
        shape_name=_camel,
        attribute=_camel,
        own_words=_java,
    ),
    "javascript": MessageTexts(
        operation="{0}: codec.VERSIONS",
        way="{0}: codec.VERSIONS",
        shape="const {shape} = shape(codec.{name}, [\n{fields}])\n",
        row="  ['{name}', '{held}', '{there}', {kind}],\n",
        struct=(
            "\nexport class {name} {{\n{fields}  unknownTags = new Map()\n\n"
            "  static wire = [\n{walk}  ]\n}}\n"
        ),
        field="  {held} = {default}\n",
        walk="    ['{held}', {wire}],\n",
        shape_name=_camel,
        attribute=_camel,
        own_words=_javascript,
    ),
    "python": MessageTexts(
        operation="{0}",
        way="{0}",
        shape="{shape} = Shape(\n    codec.{name},\n{fields})\n",
        row='    ("{name}", "{held}", "{there}", {kind}),\n',
        struct=(
            "\n\n@dataclasses.dataclass\nclass {name}:\n{fields}"
            "    unknown_tags: dict[int, bytes] = dataclasses.field(default_factory=dict)\n"
        ),
        field="    {held}: {type} = wire({wire})\n",
        walk="",
        shape_name=lambda name: _snake(name).upper(),
        attribute=_python_attribute,
        own_words=_python,
        joint=" ",
    ),
    "rust": MessageTexts(
        operation='"{0}"',
        way="{0}: codec::VERSIONS.into()",
        shape=(
            "impl Shape for codec::{name} {{\n"
            "    fn fields(&mut self, object: &mut Conversion) -> Result<(), Refusal> {{\n"
            "{fields}        object.tags(&mut self.unknown_tags)\n    }}\n}}\n\n"
        ),
        row='        object.field("{name}", "{there}", &mut self.{held})?;\n',
        struct=("\nfields! {{\n    {name} {{\n{fields}    }}\n}}\n"),
        field="        {held}: {type} = {default}, Form {{ {form} }};\n",
        walk="",
        shape_name=lambda name: name,
        attribute=_rust_attribute,
        own_words=_rust,
    ),
}
"""The texts by the name of the language."""
