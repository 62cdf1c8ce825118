"""Codecs of other people under test, behind one interface (docs/reference/testee-protocol.md)."""

from wireproof.testees.adapter import TesteeAdapter
from wireproof.testees.answers import Answer, Ended, Failed, NotAsked, Ok, Unsupported
from wireproof.testees.build import Launch, is_built, prepare_program, prepare_testee
from wireproof.testees.claims import Claims, Hello, Identity, Operation
from wireproof.testees.client import Testee
from wireproof.testees.container import Container
from wireproof.testees.embedded import TesteeBlobs
from wireproof.testees.errors import TesteeError
from wireproof.testees.fresh import FreshTestee
from wireproof.testees.in_process import LiveObject, LocalTestee, PythonObject, load_kit
from wireproof.testees.manifest import FILE as TESTEE_FILE
from wireproof.testees.manifest import Manifest, read_manifest, shipped, shipped_clients, shipped_folder
from wireproof.testees.process import ChildProcess
from wireproof.testees.reader import TesteeReader
from wireproof.testees.starting import LANGUAGES, start_testee
from wireproof.testees.toolchains import tool_problem
from wireproof.testees.transport import Conversation, Limits
from wireproof.testees.wrapped import WrappedConversation

__all__ = [
    "LANGUAGES",
    "TESTEE_FILE",
    "Answer",
    "ChildProcess",
    "Claims",
    "Container",
    "Conversation",
    "Ended",
    "Failed",
    "FreshTestee",
    "Hello",
    "Identity",
    "Launch",
    "Limits",
    "LiveObject",
    "LocalTestee",
    "Manifest",
    "NotAsked",
    "Ok",
    "Operation",
    "PythonObject",
    "Testee",
    "TesteeAdapter",
    "TesteeBlobs",
    "TesteeError",
    "TesteeReader",
    "Unsupported",
    "WrappedConversation",
    "is_built",
    "load_kit",
    "prepare_program",
    "prepare_testee",
    "read_manifest",
    "shipped",
    "shipped_clients",
    "shipped_folder",
    "start_testee",
    "tool_problem",
]
