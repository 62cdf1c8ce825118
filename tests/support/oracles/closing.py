"""Closes what a module of tests opened: releases, coordinators, generators and their oracles; and lets Java's
heap shrink after a test that made it grow."""

import gc
import sys
from types import ModuleType
from typing import Any, Final

_LARGE_HEAP: Final = 128 << 20


def close_caches(module: ModuleType) -> None:
    """Empty the caches of tests that a module names, and let Java unload their classes."""
    named = [each for each in vars(module).values() if getattr(each, "__module__", "").startswith("tests.")]
    caches = [each for each in named if hasattr(each, "cache_clear") and each.cache_info().currsize]
    for each in caches:
        each.cache_clear()
    if caches:
        _collect()


def shrink_heap() -> None:
    """Let Java give back what it does not need of a heap that large values made grow."""
    runtime = _runtime()
    if runtime is not None and runtime.totalMemory() > _LARGE_HEAP:
        _collect()


def _collect() -> None:
    gc.collect()
    runtime = _runtime()
    if runtime is not None:
        runtime.gc()


def _runtime() -> Any:
    """Return Java's ``Runtime``; None if no JVM has started."""
    jpype = sys.modules.get("jpype")
    if jpype is None or not jpype.isJVMStarted():
        return None
    return jpype.JClass("java.lang.Runtime").getRuntime()
