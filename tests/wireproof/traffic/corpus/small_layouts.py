"""The environment of the small release and its layouts, for tests of corpus files."""

from typing import Any

from kafkawire.schema.layout import MessageLayout
from tests.support.environments import small_environment

ENVIRONMENT = small_environment.make()()


def layouts_of(module: str, cell_id: str) -> tuple[MessageLayout, Any]:
    """Return the layouts of a cell and of its header, None for a cell without a header.

    Raises:
        LookupError: the small release does not have the cell.
    """
    _, message, version = cell_id.split("/")
    cell = small_environment.cell(message, int(version))
    try:
        return ENVIRONMENT.layouts.of(cell), ENVIRONMENT.layouts.header(cell)
    except ValueError as error:
        raise LookupError(cell_id) from error
