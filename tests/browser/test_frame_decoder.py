"""The decoder of the browser reads what our Python annotation reads: every span of the whole corpus."""

import json
import random
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources
from itertools import islice
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from kafkawire.compiler import MessageCodec, interpret_layout
from kafkawire.records import (
    Compression,
    Header,
    Message,
    MessageSet,
    Record,
    RecordBatch,
    RecordSet,
    encode_records,
)
from kafkawire.schema import KIP_625, IntegerEncoding, MessageSpec, SchemaSet, read_message, resolve
from tests.browser.python_spans import PythonReader, Question
from wireproof.app.assembly.inputs.bundled_schemas import snapshots
from wireproof.kafka.releases.release_table import table
from wireproof.traffic.corpus.corpus_folder import open_set
from wireproof.verdict.report.decoder.decoder_page import layout_tables

ROOT = Path(__file__).parents[2]
SCRIPT = (
    resources.files("wireproof.verdict.report.decoder").joinpath("assets/frame_decoder.js").read_text("utf-8")
)
AS_TEXT = (Path(__file__).parent / "spans_as_text.js").read_text("utf-8")
BATCH = 2000
"""Questions in one message to the browser."""


@cache
def schemas() -> dict[str, SchemaSet]:
    """The schemas of all releases."""
    return snapshots(table().releases)


@cache
def tables() -> str:
    """The layouts of all releases as JSON."""
    return json.dumps(layout_tables(schemas()))


@cache
def corpus() -> tuple[Question, ...]:
    """Every entry of the corpus."""
    return tuple(
        Question.of(entry) for _, part in open_set(ROOT / "corpus").parts() for entry in part.entries
    )


def reader_page(browser: Browser, script: str = SCRIPT) -> Page:
    """A page with the decoder and without anything else."""
    page = browser.new_page()
    page.evaluate(script)
    page.evaluate(AS_TEXT)
    return page


def differences(
    page: Page, questions: Sequence[Question], known: dict[str, SchemaSet] | None = None
) -> Iterator[str]:
    """A line for each question that the browser answers otherwise than Python."""
    reader = PythonReader(schemas() if known is None else known)
    layouts = tables() if known is None else json.dumps(layout_tables(known))
    page.evaluate(f"() => {{ window.tables = {layouts}; }}")
    rest = iter(questions)
    while part := list(islice(rest, BATCH)):
        asked = json.dumps([question.plain() for question in part])
        answers = json.loads(page.evaluate("asked => askSpans(window.tables, asked)", asked))
        for question, answer in zip(part, answers, strict=True):
            if (expected := reader.text(question)) != answer:
                yield _difference(question, expected, answer)


def _difference(question: Question, expected: str, answer: str) -> str:
    lines = zip([*expected.splitlines(), ""], [*answer.splitlines(), ""], strict=False)
    first = next((f"Python: {ours}; browser: {theirs}" for ours, theirs in lines if ours != theirs), "lines")
    return f"{question.release}/{question.message}/{question.version} {question.data.hex()[:200]}: {first}"


def record_sets() -> Iterator[bytes]:
    """Record sets of each magic, plain and compressed, and several batches with a tail."""
    records = (Record(0, -1, b"k", b"value", (Header("h"), Header("", b"v"))), Record(300, 1 << 40))
    batch = RecordBatch(records, base_offset=1 << 40, producer_id=-1, transactional=True)
    message = Message(3, 1_700_000_000_000, b"key", None, 1)
    for batches in (
        (batch,),
        (RecordBatch(records, compression=Compression.GZIP), batch),
        (message, Message(4, -1, None, b"old", 0)),
        (MessageSet(Compression.GZIP, (message,), 3, 5, 1),),
    ):
        yield encode_records(RecordSet(batches, b""))
    yield encode_records(RecordSet((batch,), b"tail"))


def _codec(message: str, version: int) -> MessageCodec:
    return interpret_layout(resolve(schemas()["4.4.0"].find(message)[1], version))


def with_faults(data: bytes, chance: random.Random) -> Iterator[bytes]:
    """Every truncation of the bytes, and each byte replaced."""
    yield from (data[:end] for end in range(len(data)))
    for place in range(len(data)):
        byte = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))
        yield data[:place] + bytes([byte]) + data[place + 1 :]


def faulty_records(chance: random.Random) -> Iterator[Question]:
    """Record sets with faults, alone and in a Produce request."""
    produce = _codec("ProduceRequest", 12)
    for data in record_sets():
        for faulty in (data, *with_faults(data, chance)):
            yield Question("4.4.0", "RecordBatch", 2, "body", faulty)
            partition = {"index": 0, "records": faulty}
            body = produce.encode({"topicData": [{"name": "t", "partitionData": [partition]}]})
            yield Question("4.4.0", "ProduceRequest", 12, "body", body)


def faulty_messages(chance: random.Random) -> Iterator[Question]:
    """A sample of the corpus with faults, and texts with characters that are easily lost."""
    odd = {"clientSoftwareName": "\ufeffa\0\u00e9\U0001f600", "clientSoftwareVersion": "\ufeff"}
    yield Question("4.4.0", "ApiVersionsRequest", 3, "body", _codec("ApiVersionsRequest", 3).encode(odd))
    for question in corpus()[::500]:
        if len(question.data) <= 300:
            for faulty in with_faults(question.data, chance):
                yield Question(question.release, question.message, question.version, question.begins, faulty)


@cache
def sample() -> tuple[Question, ...]:
    """Questions with and without faults, few of each kind."""
    faulty = (*faulty_records(random.Random(2)), *faulty_messages(random.Random(1)))
    return (*faulty, *corpus()[::7])


def test_the_browser_reads_the_corpus_as_python_does(browser: Browser) -> None:
    """Path, offsets, role and value of every span of all entries, and the places where reading stops."""
    assert len(corpus()) > 24_000
    assert {question.begins for question in corpus()} == {"size", "body"}
    assert list(differences(reader_page(browser), corpus())) == []


def test_every_message_of_the_newest_and_the_oldest_release(browser: Browser) -> None:
    """The defaults of each cell, which name every field in place."""
    releases = (table().releases[0].version, table().releases[-1].version)
    asked = [
        Question(release, spec.name, version, "body", interpret_layout(resolve(spec, version)).encode({}))
        for release in releases
        for _, spec in schemas()[release]
        for version in spec.valid_versions
        if spec.name != "RecordBatch"
    ]
    assert len(asked) > 1_000
    assert list(differences(reader_page(browser), asked)) == []


def test_reading_stops_where_python_stops(browser: Browser) -> None:
    """Every truncation of a sample, and every byte of it replaced."""
    asked = list(faulty_messages(random.Random(1)))
    assert len(asked) > 1_000
    assert list(differences(reader_page(browser), asked)) == []


def test_record_sets_of_each_magic(browser: Browser) -> None:
    """Records by name, compressed ones as bytes, with every truncation and every byte replaced."""
    asked = list(faulty_records(random.Random(2)))
    assert any("stop" in PythonReader(schemas()).text(question) for question in asked)
    assert list(differences(reader_page(browser), asked)) == []


def probe_message() -> MessageSpec:
    """A message with the integer encodings of KIP-625, and with nullable structs in place and tagged."""
    fields: list[dict[str, object]] = []
    for encoding in IntegerEncoding:
        name = str(encoding).title()
        fields += [
            {"name": name, "type": "int64", "versions": "0+", "encoding": str(encoding), "default": "-9"},
            {"name": f"{name}s", "type": "[]int64", "versions": "0+", "encoding": str(encoding)},
        ]
    nullable = {"versions": "0+", "nullableVersions": "0+"}
    inner = [{"name": "Inner", "type": "float64", "versions": "0+"}]
    fields += [
        {"name": "InPlace", "type": "Place", **nullable, "fields": inner},
        {"name": "Tagged", "type": "Tag", **nullable, "tag": 1, "taggedVersions": "0+", "fields": inner},
    ]
    text = {"type": "data", "name": "Probe", "validVersions": "0", "flexibleVersions": "0+", "fields": fields}
    spec, problems = read_message(json.dumps(text), "Probe.json", KIP_625)
    assert spec is not None, problems
    return spec


def test_traits_that_no_message_of_kafka_has(browser: Browser) -> None:
    """The integers of KIP-625, floats, and nullable structs, with faults."""
    spec = probe_message()
    known = {"0.0.1": SchemaSet("0.0.1", {"clients": {spec.name: spec}})}
    numbers = {
        str(encoding): -1 - (1 << 15 if "16" in encoding else 1 << 31) // 3 for encoding in IntegerEncoding
    }
    arrays = {f"{name}s": [0, number, -number] for name, number in numbers.items()}
    inner = {"inner": -0.0}
    codec = interpret_layout(resolve(spec, 0))
    every = {**numbers, **arrays, "inPlace": inner, "tagged": inner}
    values: list[dict[str, object]] = [{}, every, {"tagged": None, "inPlace": None}]
    chance = random.Random(3)
    asked = [
        Question("0.0.1", "Probe", 0, "body", data)
        for value in values
        for whole in [codec.encode(value)]
        for data in (whole, *with_faults(whole, chance))
    ]
    assert list(differences(reader_page(browser), asked, known)) == []


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("const size = compact ? raw - 1 : raw;", "const size = raw;"),
        ("ignoreBOM: true", "ignoreBOM: false"),
        ("fatal: true", "fatal: false"),
        (
            "const INT64 = fixed(8, (view, pos) => view.getBigInt64",
            "const INT64 = fixed(8, (view, pos) => view.getBigUint64",
        ),
        ("tag <= previous", "tag < previous"),
        ("size > left - BATCH_PREFIX", "size >= left - BATCH_PREFIX"),
        ("this.field(path, field);\n", "this.field(path, { ...field, compact: false });\n"),
        ("(wide >> 1n) ^ -(wide & 1n)", "wide >> 1n"),
        ("if (head.attributes & 7) {\n        this.note(", "if (head.attributes & 3) {\n        this.note("),
        ("size > MAX_LENGTH", "size > 2 ** 33"),
        ("field.tag === null ? readMarker : readTaggedMarker", "readMarker"),
        ("marker !== 1 && marker !== -1", "marker !== 1"),
        ("result >> BigInt(bits)", "result >> 70n"),
    ],
)
def test_a_planted_bug_is_found(right: str, wrong: str, browser: Browser) -> None:
    """One wrong expression in the script, and some question has another answer."""
    assert SCRIPT.count(right) == 1
    page = reader_page(browser, SCRIPT.replace(right, wrong))
    assert next(differences(page, sample()), None) is not None
