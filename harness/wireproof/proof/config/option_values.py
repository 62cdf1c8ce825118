"""The options of a run as typed keywords, for editors and type checkers."""

from collections.abc import Sequence
from os import PathLike
from typing import TypeAlias, TypedDict

_Texts: TypeAlias = str | Sequence[str]
_Place: TypeAlias = str | PathLike[str]


class ProveOptions(TypedDict, total=False):
    """The keywords of `wireproof.prove`, each as a configuration file would give it.

    The options are those of `OPTIONS`, and ``profile``, which sets several of them. A plural of an option
    that takes a list works, too: ``phases``.
    """

    profile: str
    twin: _Texts
    no_java: _Place
    release: _Texts
    releases: _Texts
    schemas: _Place
    schemas_jar: _Place | Sequence[_Place]
    schemas_jars: _Place | Sequence[_Place]
    module: _Texts
    modules: _Texts
    message: _Texts
    messages: _Texts
    message_version: str | int
    cell: _Texts
    cells: _Texts
    shard: str | tuple[int, int]
    edges: bool
    phase: _Texts
    phases: _Texts
    mutations: str
    examples: int
    cases: int
    first_case: int
    seed: int
    every_hang: bool
    last_failed: bool
    cause: str
    cause_from: _Place
    maxfail: int
    jobs: int
    budget: float
    shrink: float
    shrink_total: float
    ledger: _Place
    events: _Place
    junit: _Place
    markdown: _Place
    annotations: bool
    sarif: _Place
    code_quality: _Place
    badge: _Place
    html: _Place
    jars: _Place
    offline: bool


class OptionValues(ProveOptions, total=False):
    """The keywords of `RunConfig.of`."""

    testee: str
