"""Clusters to capture: one protocol, and several kinds of clusters that implement it."""
