"""The forms in which ``wireproof matrix`` writes its results."""

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from wireproof.app.cli.events.event_loop import opened
from wireproof.base.fatal import FatalError
from wireproof.base.text.parsing import read_text
from wireproof.proof.run import ExitCode

if TYPE_CHECKING:
    from wireproof.verdict.report.comparison.matrix_tables import Matrix

__all__ = ["write_matrix", "write_page_of"]


def write_matrix(matrix: "Matrix", form: str, output: str) -> None:
    """Write the results of a run.

    Args:
        form: ``text``, ``tsv``, ``json``, ``markdown`` or ``html``.
        output: a file; ``-`` is standard output.

    Raises:
        FatalError: the file cannot be written.
    """
    with contextlib.ExitStack() as stack:
        _write(matrix, form, opened(stack, output))


def write_page_of(results: Path, output: str) -> int:
    """Write the page of a saved matrix; the exit code.

    Args:
        results: a file that ``--format json`` wrote.

    Raises:
        FatalError: the file cannot be read, or is not a matrix.
    """
    from wireproof.verdict.report.comparison.matrix_document import MatrixDocument, MatrixDocumentError
    from wireproof.verdict.report.comparison.matrix_html import as_html

    try:
        page = as_html(MatrixDocument.parse(read_text(results)))
    except (OSError, ValueError, MatrixDocumentError) as error:
        advice = "Write it with `wireproof matrix --format json --output FILE`."
        raise FatalError(f"{results}: {error}", advice, ExitCode.USAGE) from error
    with contextlib.ExitStack() as stack:
        opened(stack, output).write(page)
    return int(ExitCode.PROVEN)


def _write(matrix: "Matrix", form: str, stream: TextIO) -> None:
    from rich.console import Console

    from wireproof.verdict.report.comparison.matrix_document import MatrixDocument
    from wireproof.verdict.report.comparison.matrix_html import as_html
    from wireproof.verdict.report.comparison.matrix_json import as_json
    from wireproof.verdict.report.comparison.matrix_page import as_markdown
    from wireproof.verdict.report.comparison.matrix_tables import as_tsv, print_matrix

    match form:
        case "tsv":
            stream.writelines(f"{line}\n" for line in as_tsv(matrix))
        case "json":
            stream.write(f"{as_json(matrix)}\n")
        case "markdown":
            stream.write(as_markdown(matrix))
        case "html":
            stream.write(as_html(MatrixDocument.parse(as_json(matrix, disagreements=False))))
        case _:
            print_matrix(matrix, Console(file=stream))
