"""Reports of a run: terminal, event file, JUnit, Markdown, annotations."""
