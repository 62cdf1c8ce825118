"""The program: `assembly` puts objects together, `cli` parses and prints (the only importer of click).

It may import every district below it.
"""
