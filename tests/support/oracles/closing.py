"""Closes what a module of tests opened: releases, coordinators, generators and their oracles."""

import gc
import sys
from types import ModuleType


def close_caches(module: ModuleType) -> None:
    """Empty the caches of tests that a module names, and let Java unload the classes that they held."""
    jpype = sys.modules.get("jpype")
    if jpype is None or not jpype.isJVMStarted():
        return
    named = [each for each in vars(module).values() if getattr(each, "__module__", "").startswith("tests.")]
    caches = [each for each in named if hasattr(each, "cache_clear") and each.cache_info().currsize]
    for each in caches:
        each.cache_clear()
    if caches:
        gc.collect()
        jpype.JClass("java.lang.System").gc()
