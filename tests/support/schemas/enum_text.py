"""The enums of krammar as the text of their file."""

from collections.abc import Iterable

from wireproof.definitions.krammar.definition_model import KrammarEnum


def enum_text(enums: Iterable[KrammarEnum]) -> str:
    blocks = []
    for enum in enums:
        case = "camelcase " if enum.camel_case else ""
        values = "".join(f"  {number}: {word}\n" for number, word in enum.values)
        blocks.append(f"{enum.name} {enum.type} {case}(\n{values})\n")
    return "\n".join(blocks)
