"""Codecs without a schema file: the bundled releases, and errors that name the next step."""

import json
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import kafkawire
from kafkawire import codec, layout, messages, releases, versions
from kafkawire.compiler import MessageCodec, compile_layout, fastest_codec, interpret_layout
from kafkawire.errors import UnknownMessageError, UnknownReleaseError, UnsupportedVersionError
from kafkawire.schema import MessageLayout, resolve
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "codecs.md"


def test_the_newest_release_is_the_default() -> None:
    """Its layouts are those of the release table's newest release, and equal calls share one codec."""
    spec = load_snapshot(table().find("newest")).find("FetchRequest")[1]

    assert releases()[0] == table().newest
    assert layout("FetchRequest", 12) == resolve(spec, 12)
    assert codec("FetchRequest", 12) is codec("FetchRequest", 12, release=table().newest)


@pytest.mark.parametrize("make", [fastest_codec, compile_layout, interpret_layout])
def test_a_codec_goes_to_another_process(make: Callable[[MessageLayout], MessageCodec]) -> None:
    """In the process that it comes from, it is the same object."""
    one = make(layout("FetchRequest", 12))
    one.decode(one.encode({}))
    assert pickle.loads(pickle.dumps(one)) is one


def test_every_known_release_is_bundled() -> None:
    """A release, or its line, selects the layouts of that release."""
    assert list(releases()) == [release.version for release in table()]
    assert layout("FetchRequest", 0, release="3.9") == layout("FetchRequest", 0, release="3.9.2")
    assert layout("MetadataRequest", 4, release="2.8").versions.highest == 11


def test_every_message_has_a_codec() -> None:
    """`messages` lists the messages that have a version, and each has a codec at its lowest one."""
    names = messages()
    specs = {spec.name: spec for _, spec in load_snapshot(table().find("newest"))}

    assert set(names) == {name for name, spec in specs.items() if not spec.retired}
    for name in names:
        lowest = specs[name].valid_versions.lowest
        assert codec(name, lowest).layout == resolve(specs[name], lowest)


def test_versions_are_those_of_the_release() -> None:
    """A line selects its release; a retired message has no version; an unknown message is refused as by
    `codec`."""
    assert list(versions("FetchRequest", "3.9")) == list(range(18))
    assert (versions("FetchRequest").lowest, versions("FetchRequest").highest) == (4, 18)
    assert versions("LeaderAndIsrRequest").empty
    with pytest.raises(UnknownMessageError, match="did you mean FetchRequest"):
        versions("FetchRequst")


def test_an_unknown_message_suggests_similar_names() -> None:
    """The error has similar names as data and in its text."""
    with pytest.raises(UnknownMessageError) as caught:
        codec("FetchRequst", 12)

    error = pickle.loads(pickle.dumps(caught.value))
    assert (error.message, error.release) == ("FetchRequst", releases()[0])
    assert error.nearest[0] == "FetchRequest"
    assert f"Kafka {releases()[0]} has no message 'FetchRequst': did you mean FetchRequest" in str(error)


def test_an_unknown_message_without_similar_names_is_an_error() -> None:
    """The error names the function that lists all of them."""
    with pytest.raises(UnknownMessageError, match=r"kafkawire\.messages\(\) lists all names"):
        codec("???", 0)
    with pytest.raises(UnknownMessageError, match="has no message None"):
        codec(None, 0)  # type: ignore[arg-type]


@pytest.mark.parametrize("version", ["12", 12.0, None])
def test_a_version_that_is_not_an_integer_is_refused(version: Any) -> None:
    """12.0 equals 12, and would be taken for it."""
    with pytest.raises(TypeError, match="want the version as an integer, such as 12, not"):
        codec("FetchRequest", version)


def test_an_unknown_version_lists_the_valid_ones() -> None:
    """The error has the valid versions; a note names a release that has the version."""
    with pytest.raises(UnsupportedVersionError, match="FetchRequest has no version 2: it has 4-18") as caught:
        codec("FetchRequest", 2)

    assert (caught.value.lowest, caught.value.highest) == (4, 18)
    (note,) = caught.value.__notes__
    (release,) = re.findall(r"release='([\d.]+)'", note)
    assert 2 in layout("FetchRequest", 2, release=release).versions


def test_a_version_that_no_release_has_is_an_error() -> None:
    """No note suggests a release."""
    with pytest.raises(UnsupportedVersionError) as caught:
        codec("FetchRequest", 999)

    assert not hasattr(caught.value, "__notes__")


def test_an_unknown_release_is_an_error() -> None:
    """The error names the bundled releases."""
    with pytest.raises(UnknownReleaseError) as caught:
        codec("FetchRequest", 12, release="1.0")

    error = pickle.loads(pickle.dumps(caught.value))
    assert error.bundled == releases()
    assert "release '1.0' are not bundled: expected newest, one of 4." in str(error)

    with pytest.raises(UnknownReleaseError, match=r"release 4.4 are .* the text of a line, as '4.4'"):
        codec("FetchRequest", 12, release=4.4)  # type: ignore[arg-type]


def test_an_unknown_name_of_the_package_is_an_error() -> None:
    """The package refuses other names as any module does, and lists its own."""
    with pytest.raises(AttributeError, match="no attribute 'codecs'"):
        getattr(kafkawire, "codecs")  # noqa: B009 - a name that the type checker refuses
    assert {"codec", "layout", "messages", "releases"} <= set(dir(kafkawire))


def test_import_loads_nothing() -> None:
    """``import kafkawire`` loads no other module of it; the first use of a name does."""
    program = (
        "import sys, json, kafkawire\n"
        "before = [name for name in sys.modules if name.startswith('kafkawire.')]\n"
        "kafkawire.codec\n"
        "print(json.dumps([before, 'kafkawire.bundled' in sys.modules]))"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert json.loads(ran.stdout) == [[], True]


def test_the_example_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """The example of the page, pasted into a file, prints the output on the page."""
    section = PAGE.read_text(encoding="utf-8").partition("\n## kafkawire")[2]
    program, output = re.findall(r"```(?:python|text)\n(.*?)```", section, re.DOTALL)[:2]

    exec(compile(program, str(PAGE), "exec"), {})  # noqa: S102 - the project's own page

    assert capsys.readouterr().out == output
    for message, version, error in (
        ("FetchRequst", 12, UnknownMessageError),
        ("FetchRequest", 2, UnsupportedVersionError),
    ):
        with pytest.raises(error) as caught:
            codec(message, version)
        assert f"    {error.__name__}: {caught.value}\n" in section
