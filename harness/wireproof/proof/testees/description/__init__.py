"""The descriptions of a testee: its `testee.toml`, its hello, the index of its library."""
