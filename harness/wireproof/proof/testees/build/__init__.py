"""The build of a testee in the cache, and its launch."""
