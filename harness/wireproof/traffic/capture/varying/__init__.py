"""Runs of a program against varied answers, and the search for the cause of a different end."""
