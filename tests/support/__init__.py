"""Helpers of tests, by subject; a helper of one test is beside that test."""
