"""The strategies for users: selection, validity, shrinking, errors, and the property tests of the guide."""

import os
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, find, given, settings

from kafkawire import codec, layout, versions
from kafkawire.errors import DecodeError, UnknownMessageError, UnknownReleaseError
from kafkawire.headers import FrameCodec
from kafkawire.records import Compression, RecordBatch, RecordSet, decode_records, encode_records
from wireproof.strategies import (
    FrameExample,
    MalformedFrame,
    MessageExample,
    frames,
    malformed_frames,
    messages,
    record_sets,
)

GUIDE = Path(__file__).parents[4] / "docs" / "guides" / "strategies.md"
BLOCK = re.compile(r"```python\n# (test_\w+\.py)\n(.*?)```", re.DOTALL)
STRATEGIES = (messages, frames, malformed_frames)
QUICK = settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])


def codec_of(message: str, version: int) -> FrameCodec:
    """Return the codec of whole frames of a request."""
    header = layout(message, version).header_version
    assert header is not None
    return FrameCodec(codec("RequestHeader", header), codec(message, version))


@QUICK
@given(messages("FetchRequest", versions="4+", release="4.4.0"))
def test_messages_are_valid_and_of_the_selected_versions(example: MessageExample) -> None:
    """Each example is a value of its layout; the data is its encoding."""
    assert example.version in versions("FetchRequest", "4.4.0")
    assert example.layout == layout("FetchRequest", example.version, release="4.4.0")
    own = codec("FetchRequest", example.version)
    assert own.encode(own.decode(example.data)) == example.data


@QUICK
@given(frames("MetadataRequest", versions="0,9-11"))
def test_frames_name_their_body(example: FrameExample) -> None:
    """The header has the body's key and version, and the frame is read back to both."""
    assert example.version in {0, 9, 10, 11}
    header, value = codec_of("MetadataRequest", example.version).decode(example.data)
    assert (header["requestApiKey"], header["requestApiVersion"]) == (3, example.version)
    assert codec_of("MetadataRequest", example.version).encode(header, value) == example.data


@QUICK
@given(frames("ApiVersionsResponse"))
def test_responses_have_the_header_of_responses(example: FrameExample) -> None:
    """An ApiVersions response of any version has header version 0 (KIP-511)."""
    assert layout("ApiVersionsResponse", example.version).header_version == 0
    assert set(example.header) <= {"correlationId"}


@QUICK
@given(malformed_frames("MetadataRequest"))
def test_malformed_frames_are_changed_in_one_place(example: MalformedFrame) -> None:
    """The valid frame is read; the malformed one differs from the size or from the changed byte on."""
    own = codec_of("MetadataRequest", example.version)
    own.decode(example.valid)
    assert example.data != example.valid
    assert example.data[4 : example.offset] == example.valid[4 : example.offset]
    with suppress(DecodeError):
        own.decode(example.data)


@QUICK
@given(record_sets(magics=[2], codecs=["gzip", Compression.NONE], max_batches=2))
def test_record_sets_are_those_selected(records: RecordSet) -> None:
    """Magic, compressions and number of batches are the selected ones, and the sets are read back."""
    assert len(records.batches) <= 2
    for batch in records.batches:
        assert isinstance(batch, RecordBatch)
        assert batch.compression in {Compression.NONE, Compression.GZIP}
    assert decode_records(encode_records(records)) == records


def test_malformed_frames_have_many_operators() -> None:
    """Operators are drawn evenly: 300 examples have at least 30 of them, in every part of a frame."""
    met: set[str] = set()
    parts: set[str] = set()

    @settings(max_examples=300, database=None, derandomize=True, deadline=None)
    @given(malformed_frames("ProduceRequest", versions="9+"))
    def draw(example: MalformedFrame) -> None:
        met.add(example.operator)
        parts.add(example.operator.partition("-")[0].partition("=")[0])

    draw()
    assert len(met) >= 30
    assert {"frame", "truncate", "count", "length"} <= parts


def test_examples_shrink_to_the_field_at_fault() -> None:
    """A failure of one field leaves all others at their defaults; a failure of any value shrinks to the
    lowest version."""
    found = find(messages("FetchRequest", versions="4+"), lambda each: bool(each.value.get("topics")))
    assert found.value == {"topics": [{}]}
    least = find(messages("FetchRequest"), lambda each: True)
    assert (least.version, least.value) == (4, {})


def test_frames_shrink_in_header_and_body() -> None:
    """A condition on the header leaves the body empty."""
    found = find(
        frames("FetchRequest"),
        lambda each: each.header.get("correlationId", 0) > 0,
        settings=settings(database=None),  # a rare search ends at a later version, and would be kept
        random=Random(1),
    )
    assert (found.version, found.value) == (4, {})
    assert set(found.header) == {"correlationId", "requestApiKey", "requestApiVersion"}


def test_malformed_frames_shrink_to_a_small_frame() -> None:
    """The example is a hostile count in the smallest frame that has one.

    Hypothesis also draws constants of the modules that a process has imported, so one search may end at a
    frame that is not the smallest. Three searches without a database do not depend on that.
    """
    found = [
        find(
            malformed_frames("FetchRequest"),
            lambda each: each.operator.startswith("count"),
            settings=settings(database=None),
            random=Random(seed),
        )
        for seed in range(3)
    ]
    assert {each.version for each in found} == {4}
    assert min(len(each.valid) for each in found) <= 40


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_unknown_names_suggest_the_nearest(strategy: Any) -> None:
    """Message, release and versions are checked before anything is drawn."""
    with pytest.raises(UnknownMessageError, match="did you mean FetchRequest"):
        strategy("FetchRequst")
    with pytest.raises(UnknownReleaseError, match=r"9\.9.*expected newest"):
        strategy("FetchRequest", release="9.9")
    with pytest.raises(ValueError, match=r"selects no version of FetchRequest: Kafka newest has 4-\d+"):
        strategy("FetchRequest", versions="0-3")
    with pytest.raises(ValueError, match="versions='four' cannot be read: expected a version"):
        strategy("FetchRequest", versions="four")


@pytest.mark.parametrize("strategy", [frames, malformed_frames])
def test_a_message_without_a_frame_is_refused(strategy: Any) -> None:
    """For a message inside others the error names the right strategy."""
    with pytest.raises(ValueError, match=r"ConsumerProtocolSubscription has no frame.*messages\("):
        strategy("ConsumerProtocolSubscription")


def test_wrong_numbers_and_compressions_are_refused() -> None:
    """The error has the valid ones."""
    with pytest.raises(ValueError, match="max_elements must be at least 1, not 0"):
        messages("FetchRequest", max_elements=0)
    with pytest.raises(ValueError, match="there is no compression 'gzp': did you mean 'gzip'"):
        record_sets(codecs=["gzp"])
    with pytest.raises(ValueError, match="there is no compression 'brotli': expected one of none, gzip"):
        record_sets(codecs=["brotli"])
    with pytest.raises(ValueError, match="there is no magic 3: expected 2, 1 or 0"):
        record_sets(magics=[3])
    with pytest.raises(ValueError, match="there is no compression 'gzp': did you mean 'gzip'"):
        record_sets(codecs="gzp")
    with pytest.raises(ValueError, match="there is no compression '9'"):
        record_sets(codecs=[9])  # type: ignore[list-item]


@pytest.mark.parametrize(("magics", "codecs"), [([], ["none"]), ([2], []), ([0, 1], ["zstd"])])
def test_a_choice_that_no_batch_has_is_refused(magics: list[int], codecs: list[str]) -> None:
    """Such a strategy would draw empty sets alone, and every test would pass."""
    with pytest.raises(ValueError, match=r"no batch has magics=.*zstd needs magic 2"):
        record_sets(magics=magics, codecs=codecs)


def test_the_guide_has_a_test_for_each_strategy() -> None:
    """Four files each import their strategy."""
    blocks = dict(BLOCK.findall(GUIDE.read_text("utf-8")))
    assert list(blocks) == [
        "test_messages.py", "test_frames.py", "test_record_sets.py", "test_malformed_frames.py",
    ]  # fmt: skip
    for name, text in blocks.items():
        assert name.removesuffix(".py").removeprefix("test_") in text


def test_the_tests_of_the_guide_pass(tmp_path: Path) -> None:
    """They are pasted into files, without any other configuration, with warnings as errors.

    Hypothesis takes its profile for CI, which has no deadline: this machine may be busy.
    """
    for name, text in BLOCK.findall(GUIDE.read_text("utf-8")):
        (tmp_path / name).write_text(text, "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-W", "error", "--rootdir", str(tmp_path), str(tmp_path)]
    environment = {**os.environ, "CI": "true"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 passed" in done.stdout


def test_a_wrong_codec_fails_the_guides_test_with_a_small_example(tmp_path: Path) -> None:
    """A codec that drops a rack id is found; the example has that field alone, at a version that has it."""
    (text,) = (text for name, text in BLOCK.findall(GUIDE.read_text("utf-8")) if name == "test_messages.py")
    wrong = text.replace("decode(example.data)", "decode(example.data) | {'rackId': ''}")
    (tmp_path / "test_wrong.py").write_text(wrong, "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "--rootdir", str(tmp_path), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 1
    assert re.search(
        r"MessageExample\(message='FetchRequest', version=1[1-8], value=\{'rackId': '.{1,3}'\}", done.stdout
    )
