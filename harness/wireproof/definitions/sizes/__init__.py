"""Sizes of messages by field, with the encodings of integers that KIP-625 proposes beside today's."""
