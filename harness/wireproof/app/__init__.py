"""The program: `assembly` puts objects together, `cli` parses and prints (the only importer of click).

Its functions raise `FatalError`, with a message for the user, where what was asked cannot be done; that ends
the command. It may import every district below it.
"""
