"""Programs that write blocks of documentation pages."""
