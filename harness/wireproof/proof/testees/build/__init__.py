"""The build of a testee in the cache, and how it is then launched."""
