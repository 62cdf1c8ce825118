"""The comparison of several codecs: which of them give the same answer to the same question."""
