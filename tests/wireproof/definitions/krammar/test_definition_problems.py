"""Every mistake in a definition file gives one problem, with its line and its rule."""

import pytest

from kafkawire.schema import Severity
from wireproof.definitions.krammar.definition_problems import KrammarProblem, KrammarRule
from wireproof.definitions.krammar.parsing.definition_reader import read_definitions

PLAIN = "Probe => not top level"
FLEXIBLE = "Probe => not top level, flexible v0+"
REQUEST = "ProbeRequest => key 1, max version 3"

Row = tuple[str, KrammarRule, int]

HEADS: list[Row] = [
    ("probe => not top level\n  A: int8\n", KrammarRule.HEAD, 1),
    ("Probe =>\n  A: int8\n", KrammarRule.HEAD, 1),
    ("Probe: int8\n", KrammarRule.HEAD, 1),
    ("ProbeRequest => key 1\n", KrammarRule.HEAD, 1),
    ("ProbeRequest => max version 1\n", KrammarRule.HEAD, 1),
    (f"{PLAIN} level\n  A: int8\n", KrammarRule.HEAD, 1),
    (f"{PLAIN}, admin\n  A: int8\n", KrammarRule.MODIFIER, 1),
    (f"{PLAIN}, flexible 3\n  A: int8\n", KrammarRule.MODIFIER, 1),
    (f"{PLAIN}, no encoding, no encoding\n  A: int8\n", KrammarRule.MODIFIER, 1),
    (f"{PLAIN}, no encoding, with version field\n  Version: int16\n", KrammarRule.MODIFIER, 1),
    ("ProbeRequest => key one, max version 1\n", KrammarRule.MODIFIER, 1),
    ("ProbeRequest => key 1, max version 1, admin, group coordinator\n", KrammarRule.MODIFIER, 1),
    ("ProbeRequest => key 1, max version 40000\n", KrammarRule.VERSION, 1),
    ("ProbeResponse =>\n  A: int8\n", KrammarRule.RESPONSE, 1),
    (
        "ProbeRequest => key 1, max version 0\n\nOther => not top level\n  A: int8\n\nProbeResponse =>\n",
        KrammarRule.RESPONSE,
        6,
    ),
    (f"{PLAIN}, with version field\n  A: int8\n", KrammarRule.VERSION_FIELD, 1),
    (f"{PLAIN}, with version field\n  Version: int32\n", KrammarRule.VERSION_FIELD, 1),
    (f"{PLAIN}\n  A: int8\n\n{PLAIN}\n  A: int8\n", KrammarRule.DUPLICATE_NAME, 4),
    (
        f"ProbeParts => not top level\n  A: int8\n\n{PLAIN}\n  Parts: =>\n    A: int8\n",
        KrammarRule.DUPLICATE_NAME,
        5,
    ),
    (
        "ARequest => key 1, max version 0\n\nAResponse =>\n\n"
        "BRequest => key 1, max version 0\n\nBResponse =>\n",
        KrammarRule.DUPLICATE_KEY,
        5,
    ),
]

FIELDS: list[Row] = [
    (f"{PLAIN}\n  A int8\n", KrammarRule.FIELD, 2),
    (f"{PLAIN}\n  A:int8\n", KrammarRule.FIELD, 2),
    (f"{PLAIN}\n  A: int8: int8\n", KrammarRule.FIELD, 2),
    (f"{PLAIN}\n  a: int8\n", KrammarRule.FIELD_NAME, 2),
    (f"{PLAIN}\n  A-B: int8\n", KrammarRule.FIELD_NAME, 2),
    (f"{PLAIN}\n  A: int8\n  A: int16\n", KrammarRule.DUPLICATE_FIELD, 3),
    (f"{PLAIN}\n  P: =>\n    A: int8\n    A: int8\n", KrammarRule.DUPLICATE_FIELD, 4),
    (f"{FLEXIBLE}\n  UnknownTags: int8\n", KrammarRule.RESERVED_NAME, 2),
    (f"{REQUEST}\n  Version: int8\n\nProbeResponse =>\n", KrammarRule.RESERVED_NAME, 2),
    (f"{PLAIN}\n  A: int128\n", KrammarRule.UNKNOWN_TYPE, 2),
    (f"{PLAIN}\n  A: Pair\n", KrammarRule.UNKNOWN_TYPE, 2),
    (f"{PLAIN}\n  A: Probe\n", KrammarRule.UNKNOWN_TYPE, 2),
    (f"{PLAIN}\n  A: Pair\n\nPair => not top level\n  B: int8\n", KrammarRule.UNKNOWN_TYPE, 2),
    (f"{PLAIN}\n  A: enum-Colour\n", KrammarRule.UNKNOWN_ENUM, 2),
    (f"{PLAIN}\n  A: []\n", KrammarRule.UNKNOWN_TYPE, 2),
    (f"{PLAIN}\n  A: [int8\n", KrammarRule.TYPE, 2),
    (f"{PLAIN}\n  A: [[int8]\n", KrammarRule.TYPE, 2),
    (f"{PLAIN}\n  A: [int8]s\n", KrammarRule.TYPE, 2),
    (f"{PLAIN}\n  A: maybe[int8]\n", KrammarRule.TYPE, 2),
    (f"{PLAIN}\n  A: nullable-v1[int8]\n", KrammarRule.TYPE, 2),
    (f"{PLAIN}\n  A: nullable-v+[int8]\n", KrammarRule.TYPE, 2),
    (f"{PLAIN}\n  A: nullable-string-v1\n", KrammarRule.NULLABLE, 2),
    (f"{PLAIN}\n  A: [nullable=>]\n    B: int8\n", KrammarRule.NULLABLE, 2),
    (f"{PLAIN}\n  A: =>Entry\n    B: int8\n", KrammarRule.HINT, 2),
    (f"{PLAIN}\n  A: [=>entry]\n    B: int8\n", KrammarRule.HINT, 2),
    (f"{PLAIN}\n  A: int8(1\n", KrammarRule.DEFAULT, 2),
    (f"{PLAIN}\n  A: int8(1)2\n", KrammarRule.DEFAULT, 2),
    (f"{PLAIN}\n  A: int8(128)\n", KrammarRule.DEFAULT, 2),
    (f"{PLAIN}\n  A: uint16(-1)\n", KrammarRule.DEFAULT, 2),
    (f"{PLAIN}\n  A: int8(one)\n", KrammarRule.DEFAULT, 2),
    (f"{PLAIN}\n  A: bool(yes)\n", KrammarRule.DEFAULT, 2),
    (f"{PLAIN}\n  A: float64(much)\n", KrammarRule.DEFAULT, 2),
    (f"{PLAIN}\n  A: string(x)\n", KrammarRule.DEFAULT, 2),
    (f"{PLAIN}\n  A: uuid(0)\n", KrammarRule.DEFAULT, 2),
    (f"{PLAIN}\n  A: nullable-string(x)\n", KrammarRule.DEFAULT, 2),
    (f"{PLAIN}\n  A: [int32](null)\n", KrammarRule.DEFAULT, 2),
    (f"{PLAIN}\n  A: int8 // since v1\n", KrammarRule.COMMENT, 2),
    (f"{PLAIN}\n  A: int8 // v1\n", KrammarRule.COMMENT, 2),
    (f"{PLAIN}\n  A: int8 // tag 0, v1+\n", KrammarRule.COMMENT, 2),
    (f"{PLAIN}\n  A: int8 // v3-v1\n", KrammarRule.VERSION, 2),
    (f"{PLAIN}\n  A: int8 // v99999+\n", KrammarRule.VERSION, 2),
    (f"{REQUEST}\n  A: int8 // v4+\n\nProbeResponse =>\n", KrammarRule.VERSION, 2),
    (f"{REQUEST}\n  A: =>\n    B: int8 // v1-v4\n\nProbeResponse =>\n", KrammarRule.VERSION, 3),
    (f"{FLEXIBLE}\n  A: int8 // tag 0\n  B: int8 // tag 0\n", KrammarRule.TAG, 3),
    (f"{FLEXIBLE}\n  A: int8 // tag 1\n", KrammarRule.TAG, 1),
    (f"{FLEXIBLE}\n  P: =>\n    A: int8 // tag 1\n", KrammarRule.TAG, 2),
    (f"{FLEXIBLE}\n  A: string // tag 0\n", KrammarRule.TAG, 2),
    (f"{FLEXIBLE}\n  A: bytes // tag 0\n", KrammarRule.TAG, 2),
    (f"{FLEXIBLE}\n  A: int8 // tag 123456\n", KrammarRule.TAG, 2),
    (f"{PLAIN}\n  ThrottleMillis: int32\n", KrammarRule.SPECIAL_FIELD, 2),
    (f"{PLAIN}\n  ThrottleMillis // v1-v2\n", KrammarRule.SPECIAL_FIELD, 2),
    (f"{PLAIN}\n  TimeoutMillis(-1)\n", KrammarRule.SPECIAL_FIELD, 2),
    (f"{PLAIN}\n  // How long.\n  TimeoutMillis\n", KrammarRule.SPECIAL_FIELD, 2),
    (f"{PLAIN}\n  Rest: length-field-minus => Length - 4\n", KrammarRule.LENGTH_FIELD, 2),
    (f"{PLAIN}\n  Rest: length-field-minus => Length + 4\n", KrammarRule.LENGTH_FIELD, 2),
    (f"Pair => not top level, flexible v0+\n  B: int8\n\n{PLAIN}\n  A: Pair\n", KrammarRule.FLEXIBLE, 5),
]

TEXTS: list[Row] = [
    (f"{PLAIN}\n  A: int8", KrammarRule.FINAL_NEWLINE, 2),
    (f"{PLAIN}\n\tA: int8\n", KrammarRule.TAB, 2),
    (f"{PLAIN} \n  A: int8\n", KrammarRule.SPACING, 1),
    (f"{PLAIN}\n   A: int8\n", KrammarRule.INDENTATION, 2),
    (f"{PLAIN}\n  A: int8\n    B: int8\n", KrammarRule.INDENTATION, 3),
    (f"{PLAIN}\n  A: int8\n\n  B: int8\n", KrammarRule.INDENTATION, 4),
]


def problems_of(text: str) -> list[KrammarProblem]:
    definitions, problems = read_definitions({"probe": text})
    errors = any(each.severity is Severity.ERROR for each in problems)
    assert (definitions is None) == errors
    return problems


@pytest.mark.parametrize("row", [*HEADS, *FIELDS], ids=lambda row: repr(row[0])[-40:])
def test_a_mistake_is_one_error(row: Row) -> None:
    """One mistake gives one error, at its line, with its rule."""
    text, rule, line = row
    errors = [each for each in problems_of(text) if each.severity is Severity.ERROR]
    assert [(each.rule, each.line) for each in errors] == [(rule, line)]


@pytest.mark.parametrize("row", TEXTS, ids=lambda row: repr(row[0])[-40:])
def test_a_mistake_of_the_text_is_reported_at_its_line(row: Row) -> None:
    """Others may follow from it."""
    text, rule, line = row
    found = [(each.severity, each.rule, each.line) for each in problems_of(text)]
    assert (Severity.ERROR, rule, line) in found


WARNINGS: list[Row] = [
    (f"{PLAIN}\n  A: [=>]Entry\n    B: int8\n", KrammarRule.HINT, 2),
    (f"{PLAIN}\n  A: int8 // v0-v1\n  P: => // v2+\n    B: int8 // v0-v1\n", KrammarRule.VERSION, 4),
    (f"{PLAIN}\n  A: int8 // tag 0\n", KrammarRule.FLEXIBLE, 2),
    (f"{PLAIN}\n", KrammarRule.EMPTY_STRUCT, 1),
    (f"{PLAIN}\n  A: =>\n", KrammarRule.EMPTY_STRUCT, 2),
    (f"{PLAIN}\n  A: [int8(1)]\n", KrammarRule.DEFAULT, 2),
    (f"{REQUEST}\n  A: int8\n", KrammarRule.RESPONSE, 1),
    (
        f"{PLAIN}\n  Length: int32\n  A: int8\n  Rest: length-field-minus => Length - 2\n",
        KrammarRule.LENGTH_FIELD,
        4,
    ),
    (f"Pair => not top level\n  B: int8\n\n{FLEXIBLE}\n  A: Pair\n", KrammarRule.FLEXIBLE, 5),
    (f"{FLEXIBLE}\n  A: int8 // v0+, tag 0\n", KrammarRule.TAG_AND_VERSIONS, 2),
]


@pytest.mark.parametrize("row", WARNINGS, ids=lambda row: repr(row[0])[-40:])
def test_an_oddity_is_a_warning(row: Row) -> None:
    """The generator of franz-go accepts the file, and so does the reader."""
    text, rule, line = row
    assert [(each.severity, each.rule, each.line) for each in problems_of(text)] == [
        (Severity.WARNING, rule, line)
    ]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Lamp int8\n  0: OFF\n)\n", 1),
        ("Lamp int8 (\n  0: OFF\n", 1),
        ("Lamp int8 (\n  0: OFF\n\n)\n", 1),
        ("Lamp float64 (\n  0: OFF\n)\n", 1),
        ("Lamp int8 (\n  -1: OFF\n)\n", 2),
        ("Lamp int8 (\n  0: OFF2\n)\n", 2),
        ("Lamp int8 (\n 0: OFF\n)\n", 2),
        ("Lamp int8 (\n  200: OFF\n)\n", 2),
        ("Lamp int8 (\n  0: OFF\n  0: ON\n)\n", 3),
        ("Lamp int8 (\n  0: OFF\n  1: OFF\n)\n", 3),
        ("Lamp int8 (\n  0: OFF\n  // Lit.\n)\n", 3),
    ],
)
def test_a_mistake_in_an_enum(text: str, line: int) -> None:
    """The first error is at the line of the mistake."""
    definitions, problems = read_definitions({"enums": text})
    assert definitions is None
    assert (problems[0].rule, problems[0].line) == (KrammarRule.ENUM, line)


def test_two_enums_have_one_name() -> None:
    """Names of enums and structs are names of one language."""
    enums = "Lamp int8 (\n  0: OFF\n)\n\nLamp int8 (\n  0: OFF\n)\n"
    _, problems = read_definitions({"enums": enums})
    assert [(each.rule, each.line) for each in problems] == [(KrammarRule.DUPLICATE_NAME, 5)]
    one = {"enums": "Lamp int8 (\n  0: OFF\n)\n", "probe": "Lamp => not top level\n  A: int8\n"}
    _, problems = read_definitions(one)
    assert [(each.source, each.rule) for each in problems] == [("probe", KrammarRule.DUPLICATE_NAME)]


def test_every_rule_has_a_test() -> None:
    """The rules that are about files and masses of problems are in `test_hostile_files`."""
    tested = {row[1] for row in (*HEADS, *FIELDS, *TEXTS, *WARNINGS)} | {KrammarRule.ENUM}
    elsewhere = {
        KrammarRule.FILE_SIZE,
        KrammarRule.ENCODING,
        KrammarRule.LINE_END,
        KrammarRule.LINE_LENGTH,
        KrammarRule.DEPTH,
        KrammarRule.STRUCT_SIZE,
        KrammarRule.TOO_MANY,
    }
    assert tested | elsewhere == set(KrammarRule)
    assert not tested & elsewhere


def test_all_problems_of_all_files_are_listed() -> None:
    """In order of file and line, as a compiler prints them."""
    texts = {"b": f"{PLAIN}\n  a: int8\n  B: int9\n", "a": "Other => not top level\n  B: int9\n"}
    _, problems = read_definitions(texts)
    assert [str(each) for each in problems] == [
        "b:2: error: 'a' is not a name for a field: use letters and digits, a capital letter first "
        "[field-name]",
        "b:3: error: there is no type 'int9' [unknown-type]",
        "a:2: error: there is no type 'int9' [unknown-type]",
    ]
