"""Provers of cells: messages, record sets, primitives, protocols without schemas."""
