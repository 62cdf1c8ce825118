"""The decoder of bytes in the browser: layouts as data, and pages with its scripts.

The scripts are in `assets`; both the site and `wireproof decode --html` use them.
"""
