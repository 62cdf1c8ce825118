"""Commands about the mutation tests."""
