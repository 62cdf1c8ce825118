"""Other people's codecs under test, with one interface (docs/reference/testee-protocol.md)."""

from wireproof.proof.testees.build.launch import (
    Launch,
    TesteeFiles,
    claims_key,
    prepare_program,
    prepare_testee,
    testee_files,
)
from wireproof.proof.testees.build.scaffold import LANGUAGES, start_testee
from wireproof.proof.testees.build.testee_build import EXCLUDED_FOLDERS, is_built
from wireproof.proof.testees.description.claimed_operations import Operation
from wireproof.proof.testees.description.hello import Hello
from wireproof.proof.testees.description.manifest import FILE as TESTEE_FILE
from wireproof.proof.testees.description.manifest import (
    Manifest,
    every_shipped_word,
    read_manifest,
    shipped,
    shipped_clients,
    shipped_folder,
    shipped_manifests,
)
from wireproof.proof.testees.description.source_locations import lines_of_messages
from wireproof.proof.testees.limits.time_limits import ResourceLimits
from wireproof.proof.testees.process.child_process import ChildProcess
from wireproof.proof.testees.process.testee_container import Container
from wireproof.proof.testees.session.in_process_testees import LiveObject, forget_modules, load_kit
from wireproof.proof.testees.session.process_session import ProcessSession
from wireproof.proof.testees.session.protocol_answers import (
    EndedAnswer,
    FailedAnswer,
    NotAskedAnswer,
    OkAnswer,
    ProtocolAnswer,
)
from wireproof.proof.testees.session.testee_session import TesteeSession, WrappedSession
from wireproof.proof.testees.testee_errors import ManifestError, TesteeError

__all__ = [
    "Container",
    "ProcessSession",
    "ResourceLimits",
    "EXCLUDED_FOLDERS",
    "LANGUAGES",
    "TESTEE_FILE",
    "ProtocolAnswer",
    "ChildProcess",
    "TesteeSession",
    "EndedAnswer",
    "FailedAnswer",
    "Hello",
    "Launch",
    "LiveObject",
    "Manifest",
    "NotAskedAnswer",
    "OkAnswer",
    "Operation",
    "ManifestError",
    "TesteeError",
    "TesteeFiles",
    "WrappedSession",
    "claims_key",
    "forget_modules",
    "is_built",
    "lines_of_messages",
    "load_kit",
    "prepare_program",
    "prepare_testee",
    "read_manifest",
    "shipped",
    "shipped_clients",
    "shipped_folder",
    "shipped_manifests",
    "every_shipped_word",
    "start_testee",
    "testee_files",
]
