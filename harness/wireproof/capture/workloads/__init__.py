"""What clients do while a capture runs."""
