"""Reports of the matrix: codecs side by side."""
