"""Text of the report formats: escaping, tables, workflow commands, XML."""
