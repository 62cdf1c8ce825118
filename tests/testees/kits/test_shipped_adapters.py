"""Shipped adapters with a bug planted in their built library: each call that their page names is made."""

import shutil
from dataclasses import replace
from pathlib import Path

from wireproof.releases import cache_folder
from wireproof.testees import ChildProcess, prepare_testee
from wireproof.testees.session.protocol_answers import FailedAnswer

_LINE = "        if version is not None:\n            self.API_VERSION = version\n"
_PLANTED = """        if version is not None:
            if self.API_VERSION is not None:
                raise ZeroDivisionError("planted")
            self.API_VERSION = version
"""


def test_kafka_python_writes_each_object_at_a_version_that_encode_is_given(tmp_path: Path) -> None:
    """Also an object that was decoded and has a version: a bug of `encode(version=)` there is met."""
    launch = prepare_testee("python-kafka-python", cache_folder(), print)
    assert isinstance(launch.target, ChildProcess)
    assert launch.target.folder is not None
    folder = tmp_path / "testee"
    shutil.copytree(launch.target.folder, folder, symlinks=True)
    (source,) = folder.glob("env/lib/*/site-packages/kafka/protocol/api_message.py")
    text = source.read_text()
    assert text.count(_LINE) == 1
    source.write_text(text.replace(_LINE, _PLANTED))
    command = (str(folder / "env/bin/python"), *launch.target.command[1:])
    session = replace(launch, target=replace(launch.target, command=command, folder=folder)).open_session(
        "x 1"
    )
    request = '"op":"reencode","message":"MetadataRequest","version":1,"data":"00000000"'
    try:
        (answer,) = session.ask([request])
    finally:
        session.close()

    assert isinstance(answer, FailedAnswer)
    assert answer.error == "ZeroDivisionError"
