"""Codecs of other people under test, behind one interface (docs/reference/testee-protocol.md)."""

from wireproof.testees.build.launch import Launch, is_built, prepare_program, prepare_testee
from wireproof.testees.build.scaffold import LANGUAGES, start_testee
from wireproof.testees.build.toolchains import tool_problem
from wireproof.testees.description.hello import Claims, Hello, Identity, Operation
from wireproof.testees.description.manifest import FILE as TESTEE_FILE
from wireproof.testees.description.manifest import (
    Manifest,
    read_manifest,
    shipped,
    shipped_clients,
    shipped_folder,
)
from wireproof.testees.limits.resource_limits import Limits
from wireproof.testees.process.child_process import ChildProcess
from wireproof.testees.process.testee_container import Container
from wireproof.testees.session.local_session import LiveObject, LocalTestee, PythonObject, load_kit
from wireproof.testees.session.process_session import Testee
from wireproof.testees.session.protocol_answers import Answer, Ended, Failed, NotAsked, Ok, Unsupported
from wireproof.testees.session.testee_session import Conversation
from wireproof.testees.session.wrapped_session import WrappedConversation
from wireproof.testees.testee_errors import TesteeError

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
    "TesteeError",
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
