"""Workloads that drive a cluster while it is captured."""
