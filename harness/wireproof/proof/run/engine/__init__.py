"""The engine: cells over worker processes, totals and the exit code; the replay of one case."""
