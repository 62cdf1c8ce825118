"""Checks of a codec's claims about itself."""
