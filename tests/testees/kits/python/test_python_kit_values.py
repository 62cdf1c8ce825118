"""The Python kit's conversions of values and versions."""

import importlib.util
import math
import struct
import sys
from pathlib import Path
from types import ModuleType
from typing import Any
from uuid import UUID

import pytest

KIT = Path(__file__).parents[4] / "codecs/testees/kits/python/wireproof_testee.py"


@pytest.fixture(scope="module")
def kit() -> ModuleType:
    """The kit as a module, without standard output being taken."""
    spec = importlib.util.spec_from_file_location("wireproof_testee", KIT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["wireproof_testee"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("kind", "held", "json"),
    [
        ("bool", True, True),
        ("int32", -5, -5),
        ("int64", -(1 << 63), "-9223372036854775808"),
        ("uint32", (1 << 32) - 1, "4294967295"),
        ("string", "ä", "ä"),
        ("string", None, None),
        ("bytes", b"\x00\xff", "00ff"),
        ("bytes", None, None),
        ("records", b"", ""),
        ("uuid", UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        ("float64", 0.1, 0.1),
        ("float64", math.inf, "0x7ff0000000000000"),
        ("float64", -0.0, "0x8000000000000000"),
    ],
)
def test_scalars(kit: ModuleType, kind: str, held: Any, json: Any) -> None:
    """Each scalar goes out as canonical JSON and comes back as it was."""
    assert kit.TO_JSON[kind](held) == json
    back = kit.FROM_JSON[kind](json)
    assert type(back) is type(held)
    assert back == held
    assert math.copysign(1, back) == math.copysign(1, held) if kind == "float64" else True


def test_nan_keeps_its_bits(kit: ModuleType) -> None:
    """A NaN goes both ways with its payload."""
    text = kit.TO_JSON["float64"](struct.unpack(">d", bytes.fromhex("7ff80000000000ab"))[0])
    assert text == "0x7ff80000000000ab"
    assert struct.pack(">d", kit.FROM_JSON["float64"](text)).hex() == "7ff80000000000ab"


def test_wrong_types_are_shown(kit: ModuleType) -> None:
    """A value of a wrong type stays as it is."""
    assert kit.TO_JSON["int32"](True) is True
    assert kit.TO_JSON["int64"](1.0) == "1.0"
    assert kit.TO_JSON["bytes"]("00") == "00"


def test_arrays_and_tags(kit: ModuleType) -> None:
    """Arrays are converted by element, null stays null; unknown tags are ordered by number."""
    assert kit.array(kit.TO_JSON["int64"])([1, 2]) == ["1", "2"]
    assert kit.array(kit.TO_JSON["int32"])((1, 2)) == [1, 2]
    assert kit.array(kit.FROM_JSON["int64"])(None) is None
    assert list(kit.tags_to_json({10: b"\x01", 2: bytearray(b"")}).items()) == [("2", ""), ("10", "01")]
    assert kit.tags_from_json({"10": "01"}) == {10: b"\x01"}


@pytest.mark.parametrize(
    ("versions", "text"), [(range(18), "0-17"), ([3], "3"), ([5, 0, 1, 2, 1], "0-2,5"), ("0-3,4,7", "0-4,7")]
)
def test_versions(kit: ModuleType, versions: Any, text: str) -> None:
    """Versions are written in their shortest form, and read back."""
    assert kit.versions_text(versions) == text
    assert kit.versions_text(kit.read_versions(text)) == text


@pytest.mark.parametrize("text", ["", "3+", "3-1", "-1", "1-", "0-32768", "٣"])
def test_no_versions(kit: ModuleType, text: str) -> None:
    """Text that is not a range of versions is an error of the adapter."""
    with pytest.raises(kit.AdapterError):
        kit.read_versions(text)
