"""`read_message`: the text of a schema file to its definition and everything wrong with it."""

from kafkawire.schema.dialect import TODAY, Dialect, leniently
from kafkawire.schema.model import MessageSpec
from kafkawire.schema.parsing._commented_json import JsonSyntaxError, line_at, line_index, parse_json
from kafkawire.schema.parsing.definitions import DefinitionReader
from kafkawire.schema.rule_table import SchemaProblem, SchemaRule, Severity
from kafkawire.schema.rules.validation import check_message


def read_message(
    text: str, source: str, dialect: Dialect = TODAY
) -> tuple[MessageSpec | None, list[SchemaProblem]]:
    """Read one message's JSON.

    Args:
        text: the text of the file, with Kafka's comments in it.
        source: the name of the file in problems.
        dialect: the rules of the generator of its release; what only that generator accepts is a warning.

    Returns:
        The definition, and all problems in order of line. The definition is None if a part of it could not
        be read as written, so that no caller continues with a guess. A definition that breaks Kafka's rules
        but is unambiguous is returned with its problems.
    """
    try:
        document = parse_json(text)
    except JsonSyntaxError as error:
        line = line_at(line_index(text), error.offset)
        return None, [
            SchemaProblem(source, line, "", Severity.ERROR, error.text, SchemaRule.JSON_SYNTAX.value)
        ]
    reader = DefinitionReader(text, source, dialect)
    spec = reader.message(document.root)
    if document.trailing is not None:
        what = "something follows the message: remove everything after its last }"
        lenient = leniently(dialect.trailing_text)
        reader.report(document.trailing, "", SchemaRule.TRAILING_TEXT, what, lenient)
    if spec is not None:
        reader.problems += check_message(spec, reader.key_lines, frozenset(reader.broken))
    problems = sorted(reader.problems, key=lambda problem: (problem.line, problem.path))
    return (None if reader.broken else spec), problems
