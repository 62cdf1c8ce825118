"""The version of a corpus, and the content that it was given for."""
