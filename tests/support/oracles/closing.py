"""Closes what a module of tests opened: releases, coordinators, generators and their oracles."""

import gc
import sys
from types import ModuleType
from typing import Final

_LARGE_HEAP: Final = 128 << 20


def close_caches(module: ModuleType) -> None:
    """Empty the caches of tests that a module names, and let Java give back classes and memory."""
    jpype = sys.modules.get("jpype")
    if jpype is None or not jpype.isJVMStarted():
        return
    named = [each for each in vars(module).values() if getattr(each, "__module__", "").startswith("tests.")]
    caches = [each for each in named if hasattr(each, "cache_clear") and each.cache_info().currsize]
    for each in caches:
        each.cache_clear()
    runtime = jpype.JClass("java.lang.Runtime").getRuntime()
    if caches or runtime.totalMemory() > _LARGE_HEAP:
        gc.collect()
        runtime.gc()  # it gives back what it does not need of a heap that large values made grow
