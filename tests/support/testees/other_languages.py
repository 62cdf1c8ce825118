"""The languages of the templates as test parameters; those that need tools have the marker of these tools."""

from typing import Final

import pytest

from wireproof.proof.testees.build.scaffold import LANGUAGES

TOOLS: Final = {
    "go": ("go",),
    "java": ("java", "javac", "mvn"),
    "javascript": ("node", "npm"),
    "python": (),
    "rust": ("cargo",),
}
"""The programs that build and run a testee of each language."""

EACH_LANGUAGE: Final = [
    pytest.param(language, marks=pytest.mark.languages(*TOOLS[language]) if TOOLS[language] else ())
    for language in LANGUAGES
]
