"""Codecs of other people under test, behind one face wherever they run (docs/testee-protocol.md)."""

from wireproof.testees.adapter import TesteeAdapter
from wireproof.testees.build import Launch, prepare_testee
from wireproof.testees.claims import Claims, Hello, Identity, Operation
from wireproof.testees.client import Testee
from wireproof.testees.container import Container
from wireproof.testees.errors import TesteeError
from wireproof.testees.in_process import LocalTestee, PythonObject, desk_of
from wireproof.testees.manifest import shipped, shipped_folder
from wireproof.testees.process import ChildProcess
from wireproof.testees.reader import TesteeReader
from wireproof.testees.starting import LANGUAGES, start_testee
from wireproof.testees.transport import Conversation, Limits

__all__ = [
    "LANGUAGES",
    "ChildProcess",
    "Claims",
    "Container",
    "Conversation",
    "Hello",
    "Identity",
    "Launch",
    "Limits",
    "LocalTestee",
    "Operation",
    "PythonObject",
    "Testee",
    "TesteeAdapter",
    "TesteeError",
    "TesteeReader",
    "desk_of",
    "prepare_testee",
    "shipped",
    "shipped_folder",
    "start_testee",
]
