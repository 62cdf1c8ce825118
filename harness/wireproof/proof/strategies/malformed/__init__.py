"""Malformed bytes: mutations of messages, frames and record sets."""
