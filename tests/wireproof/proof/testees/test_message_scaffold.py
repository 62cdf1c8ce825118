"""The adapter and the example codec that `testee new --message` generates, asked in this process."""

import json
import re
import shutil
from collections.abc import Iterator
from compileall import compile_dir
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from kafkawire.canonical import canonical
from kafkawire.compiler import compile_layout
from kafkawire.schema import MessageSpec, resolve
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.model.repertoire import CodecDirection
from wireproof.proof.strategies.cases.scenarios import scenarios
from wireproof.proof.testees.build import scaffold
from wireproof.proof.testees.build.scaffold import LANGUAGES, start_testee
from wireproof.proof.testees.description.manifest import shipped_folder
from wireproof.proof.testees.session.in_process_testees import PythonObject, forget_modules

(NEWEST,) = table().choose("newest")
MESSAGES = {spec.name: spec for _, spec in load_snapshot(NEWEST) if not spec.retired}
MARKERS = re.compile(
    "SHAPES|STRUCTS|OPERATIONS|WAYS|ROOT|MESSAGE|(VERSIONS|FLEXIBLE)_TEXT|</?(decode|encode|both)>"
)


class Asked:
    """A new testee for a message, in this process."""

    def __init__(self, folder: Path, spec: MessageSpec, *directions: CodecDirection) -> None:
        start_testee(folder, "python", spec, frozenset(directions or CodecDirection))
        self._handler = PythonObject.parse(str(folder / "adapter.py")).load()
        self.hello = self.ask(op="hello", protocol=1, harness="tests")["ok"]

    def ask(self, **request: Any) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self._handler.answer({"id": 1, **request}))
        return answer


@pytest.fixture
def folders(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    forget_modules(tmp_path)


@pytest.mark.parametrize("name", MESSAGES)
def test_each_message_is_written_and_read_as_by_our_codec(name: str, folders: Path) -> None:
    """The oldest and the newest version; the first scenarios, which fill arrays, structs and tags."""
    spec = MESSAGES[name]
    testee = Asked(folders / "mine", spec)
    for version in {spec.valid_versions.lowest, spec.valid_versions.highest}:
        layout = resolve(spec, version)
        codec, form = compile_layout(layout), canonical(layout)
        for case in islice(scenarios(layout), 6):
            data, value = codec.encode(case.value), json.loads(form.to_json(case.value))
            about = {"message": name, "version": version}
            assert testee.ask(op="encode", **about, value=value) == {"id": 1, "ok": {"data": data.hex()}}, (
                case
            )
            read = testee.ask(op="decode", **about, data=data.hex())["ok"]
            assert read == {"value": value, "consumed": len(data)}, case


@pytest.mark.parametrize("direction", CodecDirection)
def test_one_direction_alone_is_claimed_and_generated(direction: CodecDirection, folders: Path) -> None:
    """A broker decodes requests and encodes responses."""
    testee = Asked(folders / "mine", MESSAGES["FetchResponse"], direction)
    text = (folders / "mine" / "adapter.py").read_text()

    assert testee.hello["messages"] == {"FetchResponse": {str(direction): "4-18"}}
    assert ("def from_value" in text, "def write" in text, "def from_json" in text) == (
        (direction is CodecDirection.ENCODE,) * 3
    )
    assert ("def to_value" in text, "def read" in text, "def to_json" in text) == (
        (direction is CodecDirection.DECODE,) * 3
    )


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("ffffffff0f00", "elements, "),
        ("ffffffff1f00", "varint of more than 32 bits"),
        ("", "1 bytes expected, 0 left"),
    ],
)
def test_bytes_that_are_no_message_are_refused(data: str, words: str, folders: Path) -> None:
    """A count needs no memory before its elements are read."""
    testee = Asked(folders / "mine", MESSAGES["MetadataRequest"])
    answer = testee.ask(op="decode", message="MetadataRequest", version=13, data=data)
    assert words in answer["decode_error"]["message"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_every_field_and_no_marker(language: str, tmp_path: Path) -> None:
    """Every field of every struct is in the adapter; one direction leaves the functions of the other out."""
    spec = MESSAGES["DescribeTopicPartitionsResponse"]
    for name, directions in (
        ("both", frozenset(CodecDirection)),
        ("one", frozenset({CodecDirection.ENCODE})),
    ):
        folder = tmp_path / name
        texts = [path.read_text("utf-8") for path in start_testee(folder, language, spec, directions)]
        text = "".join(texts)
        assert not MARKERS.search(text)
        for _, _, field in resolve(spec, 0).walk():
            assert re.search(f"[\"']{field.name}[\"']", texts[1]), field.name
        assert ("reencode" in texts[1].lower()) == (name == "both")


@pytest.mark.parametrize("message", [None, "MetadataResponse"])
def test_what_an_installer_compiled_is_no_part_of_a_template(
    message: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pip compiles the Python files that it installs, those of the templates too."""
    for name in ("templates", "message-template"):
        shutil.copytree(shipped_folder() / name, tmp_path / name)
        assert compile_dir(tmp_path / name, quiet=1)
    monkeypatch.setattr(scaffold, "shipped_folder", lambda: tmp_path)
    files = start_testee(tmp_path / "mine", "python", MESSAGES[message] if message else None)
    assert {path.name for path in files} == {"testee.toml", "adapter.py", "codec.py"}
    assert {path for path in (tmp_path / "mine").rglob("*") if path.is_file()} == {*files}
