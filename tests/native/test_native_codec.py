"""What the native codec does beside encoding and decoding: choice, fallback, interrupts, threads."""

import gc
import os
import signal
import subprocess
import sys
import threading
from typing import Any
from uuid import UUID

import pytest

import kafkawire
from kafkawire.compiler import compile_layout
from kafkawire.compiler.native import NativeCodec, fastest_codec, native_codec
from kafkawire.errors import DecodeError, EncodeError
from kafkawire.schema import MessageKind, MessageLayout, StructLayout, VersionRange
from tests.support.schemas.kitchen_sink import message
from tests.support.schemas.real_layouts import real


def test_the_fastest_codec_is_native() -> None:
    """`codec` gives the native one, `implementation` says so, and equal layouts share one."""
    assert isinstance(kafkawire.codec("FetchRequest", 12), NativeCodec)
    assert (
        kafkawire.implementation()
        == kafkawire.implementation(fastest_codec(real("FetchRequest", 12)))
        == "native"
    )
    assert kafkawire.codec("FetchRequest", 12) is kafkawire.codec("FetchRequest", 12)
    assert kafkawire.codec("FetchRequest", 12).source == ""


@pytest.mark.parametrize("kind", [bytearray, memoryview])
def test_other_buffers_are_decoded(kind: Any) -> None:
    """A bytearray and a memoryview decode as bytes do, whole and from an offset."""
    codec = kafkawire.codec("ApiVersionsRequest", 3)
    data = codec.encode({"clientSoftwareName": "a"})
    assert codec.decode(kind(data)) == codec.decode(data)
    assert codec.decode_from(kind(b"\0" + data), 1) == codec.decode_from(b"\0" + data, 1)


def test_bad_arguments_are_refused_as_ever() -> None:
    """Other types, negative offsets and offsets behind the end raise what the compiled codec raises."""
    codec = kafkawire.codec("ApiVersionsRequest", 3)
    with pytest.raises(TypeError, match="want bytes, bytearray or memoryview, not str"):
        codec.decode("text")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="offset -1 is negative"):
        codec.decode_from(b"", -1)
    with pytest.raises(DecodeError, match="a message after the 1 bytes"):
        codec.decode_from(b"\0", 2)
    with pytest.raises(EncodeError, match="is not a dict"):
        codec.encode([])  # type: ignore[arg-type]


def test_deep_layouts_fall_back() -> None:
    """A layout that has no table gets the compiled codec, which falls back in its turn."""
    text = '{"name": "Leaf", "type": "int8", "versions": "0+"}'
    for depth in range(14):
        text = f'{{"name": "A{depth}", "type": "S{depth}", "versions": "0+", "fields": [{text}]}}'
    layout = message(text)
    assert native_codec(layout) is None
    assert fastest_codec(layout).decode(fastest_codec(layout).encode({}))
    empty = MessageLayout(
        "E", MessageKind.DATA, None, 0, StructLayout("E", False, ()), None, VersionRange(0, 0)
    )
    assert native_codec(empty) is not None


def test_a_hostile_count_takes_no_memory() -> None:
    """A count of as many elements as bytes are left is refused at the first wrong element."""
    codec = fastest_codec(real("MetadataRequest", 0))
    data = (10_000_000).to_bytes(4, "big") + b"\xff" * 10_000_000
    with pytest.raises(DecodeError) as caught:
        codec.decode(data)
    assert caught.value.path == "topics[0].name"


def test_an_interrupt_reaches_python() -> None:
    """A signal's handler runs while a frame of 100 MB is decoded, which ends the decoding."""
    codec = fastest_codec(real("MetadataRequest", 0))
    data = (50_000_000).to_bytes(4, "big") + bytes(100_000_000)

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    # A callback of the collector, such as Hypothesis has, may meet the signal, and what it raises is ignored.
    callbacks, gc.callbacks[:] = gc.callbacks[:], []
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(KeyboardInterrupt):
            codec.decode(data)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        gc.callbacks[:] = callbacks


def test_no_signal_handler_meets_a_pause() -> None:
    """The collector is on while a handler runs in the midst of decoding, as other threads may then."""
    codec = fastest_codec(real("MetadataRequest", 0))
    data = (50_000).to_bytes(4, "big") + bytes(100_000)
    seen: list[bool] = []

    def observe(*_: Any) -> None:
        seen.append(gc.isenabled())

    before = signal.signal(signal.SIGVTALRM, observe)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0005, 0.0005)
        while len(seen) < 5:
            codec.decode(data)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    assert all(seen)


@pytest.mark.parametrize(("inner", "calls"), [("int8", False), ("P", True)], ids=["flat", "nested"])
def test_no_python_code_meets_a_pause(inner: str, calls: bool) -> None:
    """Whatever function of Python is called while a message is decoded, the collector is on.

    Such a function makes the default of a tagged struct with structs or arrays in it; others are copied.
    """
    nested = ', "fields": [{"name": "N", "type": "int8", "versions": "0+"}]' if calls else ""
    fields = (
        '{"name": "U", "type": "uuid", "versions": "0+"}, {"name": "T", "type": "T", "versions": "0+", '
        '"taggedVersions": "0+", "tag": 0, "fields": '
        f'[{{"name": "B", "type": "{inner}", "versions": "0+"{nested}}}]}}'
    )
    codec = native_codec(message(f'{{"name": "A", "type": "[]S", "versions": "0+", "fields": [{fields}]}}'))
    assert codec is not None
    data = codec.encode({"a": [{"u": UUID(int=number)} for number in range(300)]})
    seen: list[bool] = []
    sys.setprofile(lambda *_: seen.append(gc.isenabled()))
    try:
        codec.decode(data)
    finally:
        sys.setprofile(None)
    assert len(seen) > 300 if calls else len(seen) < 300
    assert all(seen)


@pytest.mark.parametrize("on", [True, False])
def test_the_collector_is_as_it_was(on: bool) -> None:
    """After a value, for which no collection is started, and after a refusal."""
    codec = fastest_codec(real("MetadataRequest", 0))
    data = (50_000).to_bytes(4, "big") + bytes(100_000)
    collections: list[str] = []

    def note(phase: str, _: Any) -> None:
        collections.append(phase)

    gc.collect()
    gc.callbacks.append(note)
    if not on:
        gc.disable()
    try:
        value = codec.decode(data)
        started = len(collections)  # any new list of Python's starts one
        found = [gc.isenabled()]
        with pytest.raises(DecodeError):
            codec.decode(data + b"more")
        found.append(gc.isenabled())
    finally:
        gc.callbacks.remove(note)
        gc.enable()
    assert (started, found) == (0, [on, on])
    assert value == {"topics": [{"name": ""}] * 50_000}


def test_threads_share_a_codec() -> None:
    """Threads that decode at the same time get their own values."""
    codec = fastest_codec(real("MetadataResponse", 12))
    data = codec.encode({"topics": [{"name": "t", "partitions": [{}]}]})
    expected = codec.decode(data)
    found: list[bool] = []
    threads = [
        threading.Thread(target=lambda: found.extend(codec.decode(data) == expected for _ in range(500)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 2000


def test_a_changing_list_is_no_crash() -> None:
    """A list that a value's own code changes while it is encoded gives what the compiled codec gives."""

    class Sly:
        def __init__(self, items: list[Any]) -> None:
            self.items = items

        def __index__(self) -> int:
            self.items.clear()
            return 1

    def changing() -> list[Any]:
        items: list[Any] = [1, 2, 3]
        items.insert(0, Sly(items))
        return items

    layout = message('{"name": "A", "type": "[]int8", "versions": "0+"}')
    assert fastest_codec(layout).encode({"a": changing()}) == compile_layout(layout).encode({"a": changing()})


@pytest.mark.parametrize(
    ("setting", "patch", "expected"),
    [
        ("0", "", "compiled"),
        ("1", "", "native"),
        ("1", "import kafkawire_native as n; n.INTERFACE = 99", "compiled"),
    ],
)
def test_it_can_be_off_or_unfit(setting: str, patch: str, expected: str) -> None:
    """`WIREPROOF_NATIVE=0` turns it off; one that does not fit is never used, and one line says so."""
    program = (
        f"{patch}\nimport kafkawire; kafkawire.codec('FetchRequest', 12); print(kafkawire.implementation())"
    )
    environment = {**os.environ, "WIREPROOF_NATIVE": setting, "PYTHONWARNINGS": "default"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [expected]
    assert ("has interface 99, this kafkawire wants" in done.stderr) == bool(patch)


@pytest.mark.parametrize("tags", [b"\x02\x63\0\x63\0", b"\x02\x64\0\x63\0"])
def test_repeated_and_descending_tags_are_refused(tags: bytes) -> None:
    """Unknown tags ascend; the native decoder refuses others, as the compiled one does."""
    layout = real("ApiVersionsRequest", 3)
    body = fastest_codec(layout).encode({})[:-1]
    assert fastest_codec(layout).decode(body + b"\x02\x63\0\x64\0")["_tags"] == {99: b"", 100: b""}
    for codec in (fastest_codec(layout), compile_layout(layout)):
        with pytest.raises(DecodeError):
            codec.decode(body + tags)
