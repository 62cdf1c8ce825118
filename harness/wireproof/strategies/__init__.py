"""Layouts -> instances: Hypothesis strategies and named boundary cases."""
