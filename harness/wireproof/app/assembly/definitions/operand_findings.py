"""The findings between two operands of the `wireproof schema` commands."""

from wireproof.app.assembly.definitions.schema_operands import SchemaOperand
from wireproof.base.exit_codes import ExitCode
from wireproof.base.fatal import FatalError
from wireproof.definitions.evolution import SchemaFinding, check_releases, check_versions

__all__ = ["compared_messages", "findings_between"]


def findings_between(before: SchemaOperand, after: SchemaOperand, message: str | None) -> list[SchemaFinding]:
    """Return the changes from one operand to another.

    Args:
        message: only this message; None for all that both have.

    Raises:
        FatalError: the operands cannot be compared, or have no message in common.
    """
    if (before.cell is None) != (after.cell is None):
        raise FatalError(
            f"{before.text} and {after.text} cannot be compared: one is a version of a message",
            "Name two versions, such as FetchRequest/16 and FetchRequest/17.",
            ExitCode.USAGE,
        )
    if before.cell is not None and after.cell is not None:
        if before.cell.message != after.cell.message:
            raise FatalError(
                f"{before.cell.message} and {after.cell.message} are two messages",
                "Name two versions of one message.",
                ExitCode.USAGE,
            )
        module, spec = after.schemas.find(after.cell.message)
        _, older = before.schemas.find(before.cell.message)
        return check_versions(module, (older, before.cell.version), (spec, after.cell.version))
    chosen = compared_messages(before, after, message)
    if not chosen & _names(before) & _names(after):
        raise FatalError(
            f"{before.text} and {after.text} have no message in common"
            + (f" named {message}" if message else ""),
            "`wireproof cells` lists the messages of a release.",
            ExitCode.NOTHING_RAN,
        )
    return [each for each in check_releases(before.schemas, after.schemas) if each.message in chosen]


def compared_messages(before: SchemaOperand, after: SchemaOperand, message: str | None) -> frozenset[str]:
    """Return the names of the messages that a comparison of two operands is about."""
    chosen = _names(before) | _names(after)
    for each in (before, after):
        chosen &= _names(each) if each.partial else chosen
    return chosen if message is None else chosen & {message}


def _names(operand: SchemaOperand) -> frozenset[str]:
    return frozenset(spec.name for _, spec in operand.schemas)
