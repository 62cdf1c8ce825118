"""Bytes and texts of an attacker."""
