"""Commands about several codecs side by side."""
