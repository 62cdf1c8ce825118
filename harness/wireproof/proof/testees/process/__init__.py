"""The process or container of a testee: lines in, lines out, resource limits."""
