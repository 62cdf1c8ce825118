"""Reports of mutation testing."""
