"""Mutation operators and planted faults."""
