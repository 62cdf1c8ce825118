"""Several codecs side by side: which of them give the same answer to the same question."""
