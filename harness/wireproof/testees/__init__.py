"""Codecs of other people, under test in processes of their own (docs/testee-protocol.md)."""

from wireproof.testees.adapter import TesteeAdapter
from wireproof.testees.build import Launch, prepare_testee
from wireproof.testees.claims import Claims, Hello, Identity, Operation
from wireproof.testees.client import Testee
from wireproof.testees.embedded import TesteeBlobs
from wireproof.testees.errors import TesteeError
from wireproof.testees.fresh import FreshTestee
from wireproof.testees.manifest import shipped, shipped_folder
from wireproof.testees.process import Limits
from wireproof.testees.reader import TesteeReader
from wireproof.testees.starting import LANGUAGES, start_testee

__all__ = [
    "LANGUAGES",
    "Claims",
    "FreshTestee",
    "Hello",
    "Identity",
    "Launch",
    "Limits",
    "Operation",
    "Testee",
    "TesteeAdapter",
    "TesteeBlobs",
    "TesteeError",
    "TesteeReader",
    "prepare_testee",
    "shipped",
    "shipped_folder",
    "start_testee",
]
