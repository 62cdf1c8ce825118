"""Our codec as a testee, testees with planted faults, and the tools of other languages."""
