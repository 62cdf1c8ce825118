"""Codecs of other people, under test in processes of their own (docs/testee-protocol.md)."""

from wireproof.testees.adapter import TesteeAdapter
from wireproof.testees.build import Launch, is_built, prepare_testee
from wireproof.testees.claims import Claims, Hello, Identity, Operation
from wireproof.testees.client import Testee
from wireproof.testees.errors import TesteeError
from wireproof.testees.manifest import Manifest, read_manifest, shipped, shipped_folder
from wireproof.testees.process import Limits
from wireproof.testees.reader import TesteeReader
from wireproof.testees.starting import LANGUAGES, start_testee

__all__ = [
    "LANGUAGES",
    "Claims",
    "Hello",
    "Identity",
    "Launch",
    "Limits",
    "Manifest",
    "Operation",
    "Testee",
    "TesteeAdapter",
    "TesteeError",
    "TesteeReader",
    "is_built",
    "prepare_testee",
    "read_manifest",
    "shipped",
    "shipped_folder",
    "start_testee",
]
