"""Codecs in this process that deviate or claim something."""
