"""Checks that an adapter or an oracle answers as its interface documents. Its door is `wireproof.testing`."""
