"""Helpers for captures: servers, brokers, proxies, segment files."""
